/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Volumes: a provisioner of local volumes and the controller that binds claims, as far as a
 * scheduler waits for them. They look once in a while; few claims wait at a time.
 */
#include "apisim/life_private.h"

#define CLAIMS  "/api/v1/namespaces/%.*s/persistentvolumeclaims/%.*s"
#define VOLUMES "/api/v1/persistentvolumes"

static struct tree *read_state(struct life *life, uint32_t revision)
{
	return tree_read(revision_json(registry_revision(apisim_registry(life->api), revision)),
		apisim_scratch(life->api));
}

/* What the binding controller writes into both. `volume` is the name of the volume. */
static void bind_claim(struct life *life, struct text namespace, struct text claim, struct text uid,
	const char *volume)
{
	char path[LIFE_PATH_MAX];
	struct writer w;

	writer_init(&w, path, sizeof(path) - 1);
	write_format(&w, VOLUMES "/%s", volume);
	path[w.used] = '\0';
	life_ask(life, "PATCH", LIFE_MERGE, path,
		life_body(life,
			"{\"spec\":{\"claimRef\":{\"kind\":\"PersistentVolumeClaim\","
			"\"apiVersion\":"
			"\"v1\",\"namespace\":\"%.*s\",\"name\":\"%.*s\",\"uid\":\"%.*s\"}}}",
			TEXT_ARGS(namespace), TEXT_ARGS(claim), TEXT_ARGS(uid)));
	writer_init(&w, path, sizeof(path) - 1);
	write_format(&w, VOLUMES "/%s/status", volume);
	path[w.used] = '\0';
	life_ask(life, "PATCH", LIFE_MERGE, path, "{\"status\":{\"phase\":\"Bound\"}}");
	life_ask(life, "PATCH", LIFE_MERGE,
		life_path(life, CLAIMS, TEXT_ARGS(namespace), TEXT_ARGS(claim)),
		life_body(life,
			"{\"metadata\":{\"annotations\":{\"pv.kubernetes.io/bind-completed\":"
			"\"yes\"}},\"spec\":{\"volumeName\":\"%s\"}}",
			volume));
	life_ask(life, "PATCH", LIFE_MERGE,
		life_path(life, CLAIMS "/status", TEXT_ARGS(namespace), TEXT_ARGS(claim)),
		"{\"status\":{\"phase\":\"Bound\"}}");
	life->counts.volumes_bound++;
}

/* A text that outlives the next request. */
static struct text keep(struct writer *to, struct text from)
{
	size_t at = to->used;

	write_text(to, from);
	return (struct text){to->at + at, to->used - at};
}

/* A volume on the node that the scheduler has chosen. */
static void provision(struct life *life, uint32_t revision)
{
	char kept[1024], volume[80];
	struct writer w, name;
	const struct tree *claim = read_state(life, revision);
	const struct tree *chosen = tree_get(
		tree_path(claim, "metadata.annotations"), "volume.kubernetes.io/selected-node");

	/* What another class promises is another provisioner's to keep. */
	if (chosen == NULL || tree_text(claim, "spec.volumeName").size > 0 ||
		!text_is_z(tree_text(claim, "spec.storageClassName"), "local-path"))
		return;
	writer_init(&w, kept, sizeof(kept));
	struct text node = keep(&w, chosen->text);
	struct text namespace = keep(&w, tree_text(claim, "metadata.namespace"));
	struct text claim_name = keep(&w, tree_text(claim, "metadata.name"));
	struct text uid = keep(&w, tree_text(claim, "metadata.uid"));
	struct text class = keep(&w, tree_text(claim, "spec.storageClassName"));
	struct text size = keep(&w, tree_text(claim, "spec.resources.requests.storage"));
	if (w.overflowed)
		return;
	writer_init(&name, volume, sizeof(volume) - 1);
	write_format(&name, "pvc-%.*s", TEXT_ARGS(uid));
	volume[name.used] = '\0';
	life_ask(life, "POST", LIFE_JSON, VOLUMES,
		life_body(life,
			"{\"kind\":\"PersistentVolume\",\"apiVersion\":\"v1\",\"metadata\":{"
			"\"name\":"
			"\"%s\"},\"spec\":{\"capacity\":{\"storage\":\"%.*s\"},\"accessModes\":["
			"\"ReadWriteOnce\"],\"persistentVolumeReclaimPolicy\":\"Delete\","
			"\"storageClassName\":\"%.*s\",\"volumeMode\":\"Filesystem\",\"hostPath\":{"
			"\"path\":\"/"
			"data\"},\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":["
			"{\"matchExpressions\":[{\"key\":\"kubernetes.io/hostname\",\"operator\":"
			"\"In\",\"values\":[\"%.*s\"]}]}]}}}}",
			volume, TEXT_ARGS(size), TEXT_ARGS(class), TEXT_ARGS(node)));
	bind_claim(life, namespace, claim_name, uid, volume);
}

/* A volume whose claimRef somebody has written. */
static void accept(struct life *life, uint32_t revision)
{
	const struct registry *r = apisim_registry(life->api);
	char kept[1024], key[LIFE_KEY_MAX * 2], volume[256];
	struct writer w, k;
	const struct tree *pv = read_state(life, revision);

	writer_init(&w, kept, sizeof(kept));
	struct text namespace = keep(&w, tree_text(pv, "spec.claimRef.namespace"));
	struct text claim_name = keep(&w, tree_text(pv, "spec.claimRef.name"));
	if (claim_name.size == 0 ||
		!text_copy(tree_text(pv, "metadata.name"), volume, sizeof(volume)))
		return;
	writer_init(&k, key, sizeof(key));
	write_format(&k, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(claim_name));
	uint32_t claim = k.overflowed ? 0 : registry_find(r, RESOURCE_PVCS, writer_text(&k));
	if (claim == 0)
		return;
	struct text uid = keep(&w, tree_text(read_state(life, claim), "metadata.uid"));
	if (!w.overflowed)
		bind_claim(life, namespace, claim_name, uid, volume);
}

/* Of a replica that is gone. */
static void clean(struct life *life, uint32_t revision)
{
	const struct registry *r = apisim_registry(life->api);
	const struct revision *state = registry_revision(r, revision);
	char kept[1024];
	struct writer w;

	if (registry_find(r, RESOURCE_PODS, revision_key(state)) != 0)
		return;
	const struct tree *claim = read_state(life, revision);
	if (tree_path(claim, "metadata.labels.life-app") == NULL)
		return;
	writer_init(&w, kept, sizeof(kept));
	struct text volume = keep(&w, tree_text(claim, "spec.volumeName"));
	life_ask(life, "DELETE", LIFE_JSON,
		life_path(life, CLAIMS, TEXT_ARGS(revision_namespace(state)),
			TEXT_ARGS(revision_name(state))),
		NULL);
	if (volume.size > 0 && !w.overflowed)
		life_ask(life, "DELETE", LIFE_JSON,
			life_path(life, VOLUMES "/%.*s", TEXT_ARGS(volume)), NULL);
}

void life_each(struct life *life, uint32_t resource, const char *phase,
	void (*look)(struct life *life, uint32_t revision))
{
	struct registry *r = apisim_registry(life->api);
	uint32_t found[LIFE_LOOKED_AT_ONCE], count = 0, all = registry_count(r, resource);
	uint32_t from = all > 0 ? life->each_from % all : 0;

	for (uint32_t i = 0; i < all && count < LIFE_LOOKED_AT_ONCE; i++) {
		uint32_t revision = registry_nth(r, resource, (from + i) % all);

		if (phase != NULL &&
			!text_is_z(revision_phase(registry_revision(r, revision)), phase))
			continue;
		registry_hold(r, revision);
		found[count++] = revision;
	}
	for (uint32_t i = 0; i < count; i++) {
		scratch_reset(apisim_scratch(life->api));
		look(life, found[i]);
		registry_let_go(r, found[i]);
	}
}

void life_volumes(struct life *life)
{
	life_each(life, RESOURCE_PVCS, "Pending", provision);
	life_each(life, RESOURCE_PVS, "Pending", accept);
	life_each(life, RESOURCE_PVCS, NULL, clean);
}

void life_make_claim(struct life *life, uint32_t app, const char *name)
{
	life_ask(life, "POST", LIFE_JSON, "/api/v1/namespaces/default/persistentvolumeclaims",
		life_body(life,
			"{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{"
			"\"name\":\"%s\",\"labels\":{\"life-app\":\"%u\"}},\"spec\":{"
			"\"accessModes\":"
			"[\"ReadWriteOnce\"],\"storageClassName\":\"local-path\",\"resources\":{"
			"\"requests\":{\"storage\":\"1Gi\"}}}}",
			name, (unsigned)app));
}

void life_make_storage(struct life *life)
{
	life_ask(life, "POST", LIFE_JSON, "/apis/storage.k8s.io/v1/storageclasses",
		"{\"kind\":\"StorageClass\",\"apiVersion\":\"storage.k8s.io/v1\",\"metadata\":{"
		"\"name\":\"local-path\"},\"provisioner\":\"rancher.io/local-path\","
		"\"reclaimPolicy\":\"Delete\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}");
}
