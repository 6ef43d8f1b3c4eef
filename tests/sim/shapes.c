/* SPDX-License-Identifier: GPL-2.0-only */
/* Shapes: what pods look like. */
#include "sim/world.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"

static bool wants(struct world *w, enum sim_shape shape)
{
	return (w->plan.shapes >> shape & 1) != 0 && world_below(w, 3) == 0;
}

static const char *some_key(struct world *w)
{
	return world_below(w, 3) == 0 ? HOST : ZONE;
}

/* ---- affinity ---- */

static void write_node_affinity(struct world *w, struct writer *out)
{
	static const char *const terms[] = {
		"{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"In\",\"values\":[\"ssd\"]}"
		"]}",
		"{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"NotIn\",\"values\":["
		"\"hdd\"]}]}",
		"{\"matchExpressions\":[{\"key\":\"" ZONE
		"\",\"operator\":\"In\",\"values\":[\"site-0\",\"site-1\"]}]}",
		"{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"DoesNotExist\"}]}",
	};

	write_z(out,
		"\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
		"\"nodeSelectorTerms\":[");
	write_z(out, terms[world_below(w, ARRAY_COUNT(terms))]);
	if (world_below(w, 3) == 0)
		write_format(out, ",%s", terms[world_below(w, ARRAY_COUNT(terms))]);
	write_z(out, "]}}");
}

/*
 * kube-scheduler does not wake pods when labels of namespaces change, and neither do we: so what
 * holds a pod back does not depend on labels that do.
 */
static void write_term(struct world *w, struct writer *out, uint32_t group, bool hard)
{
	write_format(
		out, "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{", some_key(w));
	write_format(out, "\"app\":\"g-%u\"}}", (unsigned)group);
	switch (world_below(w, 4)) {
	case 0: write_z(out, ",\"namespaces\":[\"team-a\",\"team-b\"]"); break;
	case 1:
		if (!hard || w->plan.namespace_terms)
			write_z(out, ",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"a\"}}");
		break;
	default: break;
	}
	write_char(out, '}');
}

static void write_pod_terms(struct world *w, struct writer *out, const char *which,
	enum sim_shape required, uint32_t group)
{
	bool hard = wants(w, required);

	if (!hard && !wants(w, SIM_WISHES))
		return;
	write_format(out, ",\"%s\":{", which);
	if (hard) {
		write_z(out, "\"requiredDuringSchedulingIgnoredDuringExecution\":[");
		write_term(w, out, world_below(w, 2) == 0 ? world_below(w, 8) : group, true);
	} else {
		write_z(out,
			"\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":50,"
			"\"podAffinityTerm\":");
		write_term(w, out, world_below(w, 8), false);
		write_char(out, '}');
	}
	write_z(out, "]}");
}

static void write_affinity(struct world *w, struct writer *out, uint32_t group)
{
	write_z(out, ",\"affinity\":{");
	size_t start = out->used;
	if (wants(w, SIM_NODE_CHOOSERS))
		write_node_affinity(w, out);
	write_pod_terms(w, out, "podAntiAffinity", SIM_ANTI, group);
	write_pod_terms(w, out, "podAffinity", SIM_TOGETHER, group);
	if (out->used > start && out->at[start] == ',')
		out->at[start] = ' ';
	write_char(out, '}');
}

/* ---- the rest ---- */

static void write_spread(struct world *w, struct writer *out, uint32_t group)
{
	bool hard = world_below(w, 2) == 0;

	write_format(out,
		",\"topologySpreadConstraints\":[{\"maxSkew\":%u,\"topologyKey\":\"%s\","
		"\"whenUnsatisfiable\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":"
		"\"g-%u\"}}",
		1 + (unsigned)world_below(w, 2), some_key(w),
		hard ? "DoNotSchedule" : "ScheduleAnyway", (unsigned)group);
	if (hard && world_below(w, 4) == 0)
		write_z(out, ",\"minDomains\":2");
	if (world_below(w, 4) == 0)
		write_z(out, ",\"nodeTaintsPolicy\":\"Honor\"");
	write_z(out, "}]");
}

static void write_claim(struct world *w, struct writer *out, const char *name)
{
	if (world_below(w, 4) == 0) {
		write_z(out,
			",\"volumes\":[{\"name\":\"data\",\"persistentVolumeClaim\":{\"claimName\":"
			"\"shared\"}}]");
		return;
	}
	write_format(out,
		",\"volumes\":[{\"name\":\"data\",\"persistentVolumeClaim\":{\"claimName\":\"%s\"}"
		"}]",
		name);
}

static void write_containers(struct world *w, struct writer *out)
{
	static const uint32_t cpus[] = {0, 10, 100, 250, 500, 1500};
	uint32_t cpu = cpus[world_below(w, ARRAY_COUNT(cpus))];

	if (wants(w, SIM_INITIAL))
		write_format(out,
			",\"initContainers\":[{\"name\":\"first\",\"image\":\"first:1\","
			"\"resources\":{\"requests\":{\"cpu\":\"%um\"}}}],\"overhead\":{\"cpu\":"
			"\"50m\"}",
			(unsigned)world_below(w, 1200));
	write_z(out, ",\"containers\":[{\"name\":\"main\",\"image\":\"registry.example/app:1\"");
	if (wants(w, SIM_PORTS))
		write_format(out, ",\"ports\":[{\"containerPort\":80,\"hostPort\":%u}]",
			8000 + (unsigned)world_below(w, 3));
	if (cpu > 0)
		write_format(out,
			",\"resources\":{\"requests\":{\"cpu\":\"%um\",\"memory\":\"%uMi\"}}",
			(unsigned)cpu, 16u << world_below(w, 7));
	write_z(out, "}]");
}

static void write_tolerations(struct world *w, struct writer *out)
{
	static const char *const lists[] = {
		"{\"operator\":\"Exists\"}",
		("{\"key\":\"dedicated\",\"operator\":\"Equal\",\"value\":\"x\",\"effect\":"
		 "\"NoSchedule\"}"),
		"{\"key\":\"dedicated\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}",
	};

	write_format(out, ",\"tolerations\":[%s]", lists[world_below(w, ARRAY_COUNT(lists))]);
}

static void write_ballast(struct world *w, struct writer *out)
{
	static const uint32_t most[] = {100, 5000, 50000};

	write_z(out, ",\"annotations\":{\"ballast\":\"");
	for (uint32_t i = world_below(w, most[world_below(w, ARRAY_COUNT(most))]); i > 0; i--)
		write_char(out, 'a' + (char)(i % 26));
	write_z(out, "\"}");
}

void shapes_pod(struct world *w, struct writer *out, const char *name)
{
	static const char *const classes[] = {"sim-low", "sim-high", "sim-polite", "sim-huge"};
	uint32_t group = world_below(w, 8);

	write_format(out,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
		"\"app\":\"g-%u\",\"sim\":\"pod\"}",
		name, (unsigned)group);
	if (wants(w, SIM_LARGE))
		write_ballast(w, out);
	write_z(out, "},\"spec\":{\"restartPolicy\":\"Always\"");
	if (wants(w, SIM_NODE_CHOOSERS))
		write_format(out, ",\"nodeSelector\":{\"disk\":\"%s\"}",
			world_below(w, 2) == 0 ? "ssd" : "hdd");
	if (wants(w, SIM_TOLERANT))
		write_tolerations(w, out);
	if (wants(w, SIM_PRIORITIES))
		write_format(out, ",\"priorityClassName\":\"%s\"",
			classes[world_below(w, ARRAY_COUNT(classes))]);
	if (wants(w, SIM_SPREAD))
		write_spread(w, out, group);
	if (wants(w, SIM_GATES))
		write_z(out, ",\"schedulingGates\":[{\"name\":\"sim/gate\"}]");
	if (wants(w, SIM_CLAIMS))
		write_claim(w, out, name);
	if (w->plan.devices && world_below(w, 2) == 0)
		write_format(out,
			",\"resourceClaims\":[{\"name\":\"d\",\"resourceClaimName\":\"%s\"}]",
			name);
	if (wants(w, SIM_FOREIGN))
		write_z(out, ",\"schedulerName\":\"other\"");
	write_affinity(w, out, group);
	write_containers(w, out);
	write_z(out, "}}");
}
