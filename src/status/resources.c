/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /metrics/resources: what pods ask for and may use, a line for each resource of each pod that
 * counts. Of limits the picture has cpu and memory, without overhead; of the other ones only that
 * they are there.
 */
#include "base/real.h"
#include "status/private.h"

struct line {
	const struct status_answer *a;
	struct writer *w;
	const struct cache_pod *pod;
	const char *name; /* of the family */
};

static const char *resources_unit_of(struct text resource)
{
	if (text_starts(resource, TEXT("hugepages-")))
		return "bytes";
	return text_starts(resource, TEXT("attachable-volumes-")) ? "integer" : "";
}

static void resources_put(
	const struct line *line, struct text resource, const char *unit, double value)
{
	const struct cache *cache = &line->a->status->s->cache;
	const struct kube_pod_template *class = cache_template_of(cache, line->pod);
	uint32_t node = line->pod->node;
	char priority[16];
	struct writer p;
	if (value == 0)
		return;
	writer_init(&p, priority, sizeof(priority));
	write_i64(&p, class->priority);
	write_z(line->w, line->name);
	metrics_label(line->w, '{', "namespace", cache_text(cache, class->namespace));
	metrics_label(line->w, ',', "pod", cache_text(cache, line->pod->name));
	metrics_label(line->w, ',', "node",
		node == 0 ? TEXT("") : cache_text(cache, cache_node_at(cache, node)->name));
	metrics_label(line->w, ',', "scheduler", cache_text(cache, class->scheduler_name));
	metrics_label(line->w, ',', "priority", writer_text(&p));
	metrics_label(line->w, ',', "resource", resource);
	metrics_label(line->w, ',', "unit", text_of(unit));
	write_z(line->w, "} ");
	real_write(line->w, value, 15);
	write_char(line->w, '\n');
}

static void resources_put_requests(const struct line *line, const struct kube_pod_template *class)
{
	const struct kube_resources *fit = &class->fit;
	const struct kube_scalar *scalars = KUBE_AT(class, fit->scalars, struct kube_scalar);
	resources_put(line, TEXT("cpu"), "cores", (double)fit->cpu_milli / 1000);
	resources_put(line, TEXT("memory"), "bytes", (double)fit->memory_bytes);
	resources_put(line, TEXT("ephemeral-storage"), "bytes", (double)fit->storage_bytes);
	for (uint32_t i = 0; i < fit->scalars.count; i++) {
		struct text name = cache_text(&line->a->status->s->cache, scalars[i].name);
		resources_put(line, name, resources_unit_of(name), (double)scalars[i].value);
	}
}

static bool resources_step(struct status_answer *a, struct writer *w)
{
	static const char *const names[] = {"kube_pod_resource_limit", "kube_pod_resource_request"};
	static const char *const what[] = {"may use", "asks for"};
	const struct cache *cache = &a->status->s->cache;
	struct line line = {a, w, NULL, names[a->part % 2]};
	if (!a->any)
		write_format(w, "# HELP %s [STABLE] What a pod %s.\n# TYPE %s gauge\n", line.name,
			what[a->part % 2], line.name);
	a->any = true;
	a->at = pool_next(&cache->pods, a->at);
	if (a->at == 0) {
		a->any = false;
		return ++a->part < 2;
	}
	line.pod = cache_pod_at(cache, a->at);
	const struct kube_pod_template *class = cache_template_of(cache, line.pod);
	if (a->part == 1) {
		resources_put_requests(&line, class);
		return true;
	}
	resources_put(&line, TEXT("cpu"), "cores", (double)class->limit_cpu_milli / 1000);
	resources_put(&line, TEXT("memory"), "bytes", (double)class->limit_memory_bytes);
	return true;
}

/* Who stands by has nothing to say, or all would be counted twice. */
void resources_answer(struct status_answer *a)
{
	const struct scheduler *s = a->status->s;
	if (s->lease != NULL && !lease_holds(s->lease, clock_mono(&s->setup.clock)))
		status_reply(a, 200, metrics_type, TEXT(""));
	else
		status_stream(a, metrics_type, resources_step);
}
