/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything but pods and nodes, at random: who selects pods, and volumes. */
#include <stdio.h>

#include "cycle/world.h"

static void begin(struct world *w, bool namespaced, const char *name, uint32_t number)
{
	world_begin(w);
	write_format(&w->out, "{'metadata':{'name':'%s%u','resourceVersion':'%llu'", name, number,
		(unsigned long long)++w->version);
	if (namespaced)
		write_format(&w->out, ",'namespace':'ns%u'", world_below(w, WORLD_NAMESPACES));
}

static void change_namespace(struct world *w)
{
	begin(w, false, "ns", world_below(w, WORLD_NAMESPACES + 1));
	write_format(&w->out, "%s}}",
		WORLD_PICK(w, "", ",'labels':{'team':'x'}", ",'labels':{'team':'y','tier':'t1'}"));
	world_feed(w, KUBE_NAMESPACE);
}

static void change_service(struct world *w)
{
	begin(w, true, "service", world_below(w, 3));
	write_format(&w->out, "},'spec':{'selector':%s}}",
		WORLD_PICK(w, "{'app':'a1'}", "{'app':'a2','tier':'t1'}", "{'app':'a3'}", "{}",
			"null"));
	world_feed(w, KUBE_SERVICE);
}

static void change_owner(struct world *w)
{
	uint32_t which = world_below(w, 3);
	begin(w, true, which == 0 ? "rs" : which == 1 ? "ss" : "rc", world_below(w, 2));
	if (which == 2) {
		write_format(
			&w->out, "},'spec':{'selector':{'app':'a%u'}}}", 1 + world_below(w, 3));
		world_feed(w, KUBE_REPLICATION_CONTROLLER);
		return;
	}
	write_z(&w->out, "},'spec':{'selector':");
	world_write_selector(w, &w->out);
	write_z(&w->out, "}}");
	world_feed(w, which == 0 ? KUBE_REPLICA_SET : KUBE_STATEFUL_SET);
}

static void change_budget(struct world *w)
{
	begin(w, true, "budget", world_below(w, 2));
	write_z(&w->out, "},'spec':{'selector':");
	world_write_selector(w, &w->out);
	write_format(&w->out, "},'status':{'disruptionsAllowed':%u%s}}", world_below(w, 3),
		WORLD_PICK(w, "", ",'disruptedPods':{'p1':'2026-01-01T00:00:00Z'}"));
	world_feed(w, KUBE_PDB);
}

/* ---- volumes ---- */

static void change_class(struct world *w)
{
	begin(w, false, "class", world_below(w, 2));
	write_format(&w->out, "},'provisioner':'%s','volumeBindingMode':'%s'}",
		WORLD_PICK(w, "driver", "kubernetes.io/no-provisioner"),
		WORLD_PICK(w, "WaitForFirstConsumer", "WaitForFirstConsumer", "Immediate"));
	world_feed(w, KUBE_STORAGE_CLASS);
}

static void change_volume(struct world *w)
{
	begin(w, false, "volume", world_below(w, WORLD_VOLUMES));
	if (world_chance(w, 3))
		write_format(&w->out, ",'labels':{'topology.kubernetes.io/zone':'z%u'}",
			1 + world_below(w, 3));
	write_format(&w->out,
		"},'spec':{'accessModes':['%s'],'capacity':{'storage':'1Gi'},"
		"'storageClassName':'class%u','csi':{'driver':'driver','volumeHandle':'h%u'}",
		WORLD_PICK(w, "ReadWriteOnce", "ReadWriteOncePod"), world_below(w, 2),
		world_below(w, WORLD_VOLUMES));
	if (world_chance(w, 3))
		write_format(&w->out,
			",'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':"
			"[{'key':'%s','operator':'In','values':['%s1','n%u']}]}]}}",
			WORLD_PICK(w, "kubernetes.io/hostname", "topology.kubernetes.io/zone"),
			WORLD_PICK(w, "z", "n"), 1 + world_below(w, w->node_room));
	write_format(&w->out, "},'status':{'phase':'%s'}}", WORLD_PICK(w, "Available", "Bound"));
	world_feed(w, KUBE_PV);
}

static void change_claim(struct world *w)
{
	uint32_t number = world_below(w, WORLD_CLAIMS);
	begin(w, true, "claim", number);
	bool bound = world_chance(w, 2);
	write_format(&w->out, ",'uid':'claim-%u'%s},'spec':{'accessModes':['%s']", number,
		bound ? ",'annotations':{'pv.kubernetes.io/bind-completed':'yes'}" : "",
		WORLD_PICK(w, "ReadWriteOnce", "ReadWriteOncePod"));
	write_format(&w->out, ",'storageClassName':'class%u'", world_below(w, 2));
	if (bound)
		write_format(&w->out, ",'volumeName':'volume%u'", world_below(w, WORLD_VOLUMES));
	write_format(&w->out,
		",'resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'%s'}}",
		bound ? "Bound" : "Pending");
	world_feed(w, KUBE_PVC);
}

static void change_csi_node(struct world *w)
{
	begin(w, false, "n", world_below(w, w->node_room));
	write_format(&w->out,
		"},'spec':{'drivers':[{'name':'driver','nodeID':'x','allocatable':{'count':%u}}]}}",
		world_below(w, 3));
	world_feed(w, KUBE_CSI_NODE);
}

static void change_attachment(struct world *w)
{
	begin(w, false, "attachment", world_below(w, 3));
	write_format(&w->out,
		"},'spec':{'attacher':'driver','nodeName':'n%u',"
		"'source':{'persistentVolumeName':'volume%u'}}}",
		world_below(w, w->node_room), world_below(w, WORLD_VOLUMES));
	world_feed(w, KUBE_VOLUME_ATTACHMENT);
}

/* ---- coming and going ---- */

struct family {
	enum kube_kind kind;
	const char *name;
	uint32_t count;
};

static const struct family families[] = {
	{KUBE_NAMESPACE, "ns", WORLD_NAMESPACES + 1},
	{KUBE_SERVICE, "service", 3},
	{KUBE_REPLICA_SET, "rs", 2},
	{KUBE_STATEFUL_SET, "ss", 2},
	{KUBE_REPLICATION_CONTROLLER, "rc", 2},
	{KUBE_PDB, "budget", 2},
	{KUBE_STORAGE_CLASS, "class", 2},
	{KUBE_PV, "volume", WORLD_VOLUMES},
	{KUBE_PVC, "claim", WORLD_CLAIMS},
	{KUBE_CSI_NODE, "n", WORLD_NODES_MAX},
	{KUBE_VOLUME_ATTACHMENT, "attachment", 3},
};

static void remove_one(struct world *w, const struct family *family, uint32_t number, uint32_t ns)
{
	char namespace[16];
	char name[24];
	snprintf(namespace, sizeof(namespace), "ns%u", ns);
	snprintf(name, sizeof(name), "%s%u", family->name, number);
	world_unfeed(w, family->kind, kube_kinds[family->kind].namespaced ? namespace : "", name);
}

void world_change_object(struct world *w)
{
	if (world_chance(w, 5)) {
		const struct family *family =
			&families[world_below(w, sizeof(families) / sizeof(families[0]))];
		remove_one(
			w, family, world_below(w, family->count), world_below(w, WORLD_NAMESPACES));
		return;
	}
	switch (world_below(w, w->volume_share > 0 ? 14 : 8)) {
	case 0:
	case 1: change_namespace(w); break;
	case 2:
	case 3: change_service(w); break;
	case 4:
	case 5: change_owner(w); break;
	case 6:
	case 7: change_budget(w); break;
	case 8: change_class(w); break;
	case 9:
	case 10: change_volume(w); break;
	case 11: change_claim(w); break;
	case 12: change_csi_node(w); break;
	default: change_attachment(w); break;
	}
}

void world_clear_objects(struct world *w)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (uint32_t i = 0; i < families[f].count; i++)
			for (uint32_t ns = 0; ns < WORLD_NAMESPACES; ns++)
				remove_one(w, &families[f], i, ns);
}
