/* SPDX-License-Identifier: GPL-2.0-only */
/* Random pod specs, over all kinds of rules. */
#include "cycle/world.h"

void world_write_selector(struct world *w, struct writer *out)
{
	switch (world_below(w, 8)) {
	case 0: write_z(out, "{}"); return;
	case 1:
		write_format(out, "{'matchLabels':{'app':'a%u','tier':'%s'}}",
			world_below(w, 3) + 1, WORLD_PICK(w, "t1", "t2"));
		return;
	case 2:
		write_format(out, "{'matchExpressions':[{'key':'%s','operator':'%s'}]}",
			WORLD_PICK(w, "app", "tier", "release"),
			WORLD_PICK(w, "Exists", "DoesNotExist"));
		return;
	case 3:
		write_format(out,
			"{'matchExpressions':[{'key':'app','operator':'%s','values':['a%u','a%u']}]"
			"}",
			WORLD_PICK(w, "In", "NotIn"), world_below(w, 3) + 1, world_below(w, 3) + 1);
		return;
	default: write_format(out, "{'matchLabels':{'app':'a%u'}}", world_below(w, 3) + 1); return;
	}
}

/* What no apiserver lets through, but a file may say. */
static int32_t weight(struct world *w)
{
	static const int32_t strange[] = {0, -1, -100, INT32_MAX, INT32_MIN, 1000000};
	if (w->is_absurd && world_chance(w, 4))
		return strange[world_below(w, ARRAY_COUNT(strange))];
	return (int32_t)(1 + world_below(w, 100));
}

static const char *topology_key(struct world *w)
{
	return WORLD_PICK(w, "kubernetes.io/hostname", "kubernetes.io/hostname",
		"topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "rack", "disk");
}

/* ---- pod affinity ---- */

static void write_pod_term(struct world *w, struct writer *out)
{
	write_format(out, "{'topologyKey':'%s'", world_chance(w, 60) ? "" : topology_key(w));
	if (!world_chance(w, 15)) {
		write_z(out, ",'labelSelector':");
		world_write_selector(w, out);
	}
	if (world_chance(w, 4))
		write_format(out, ",'namespaces':[%s]",
			WORLD_PICK(w, "'ns0'", "'ns1','ns2'", "'ns2','ns0'", "'nowhere'"));
	if (world_chance(w, 4))
		write_format(out, ",'namespaceSelector':%s",
			WORLD_PICK(w, "{}", "{'matchLabels':{'team':'x'}}",
				"{'matchExpressions':[{'key':'team','operator':'DoesNotExist'}]}",
				"{'matchExpressions':[{'key':'team','operator':'In',"
				"'values':['x','y']}]}",
				"null"));
	write_char(out, '}');
}

static void write_required(struct world *w, struct writer *out, uint32_t most)
{
	uint32_t count = 1 + world_below(w, most);
	write_z(out, "'requiredDuringSchedulingIgnoredDuringExecution':[");
	for (uint32_t i = 0; i < count; i++) {
		write_z(out, i == 0 ? "" : ",");
		write_pod_term(w, out);
	}
	write_char(out, ']');
}

static void write_preferred(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_below(w, 2);
	write_z(out, "'preferredDuringSchedulingIgnoredDuringExecution':[");
	for (uint32_t i = 0; i < count; i++) {
		write_format(
			out, "%s{'weight':%d,'podAffinityTerm':", i == 0 ? "" : ",", weight(w));
		write_pod_term(w, out);
		write_char(out, '}');
	}
	write_char(out, ']');
}

static void write_pod_affinity(struct world *w, struct writer *out, const char *name)
{
	write_format(out, "'%s':{", name);
	bool required = !world_chance(w, 2);
	bool preferred = !required || world_chance(w, 4);
	if (required)
		write_required(w, out, 2);
	if (required && preferred)
		write_char(out, ',');
	if (preferred)
		write_preferred(w, out);
	write_char(out, '}');
}

/* ---- node affinity ---- */

static void write_node_requirement(struct world *w, struct writer *out)
{
	switch (world_below(w, 4)) {
	case 0:
		write_format(out, "{'key':'%s','operator':'%s'}", WORLD_PICK(w, "disk", "rack"),
			WORLD_PICK(w, "Exists", "DoesNotExist"));
		return;
	case 1:
		write_format(out, "{'key':'size','operator':'%s','values':['%s%u']}",
			WORLD_PICK(w, "Gt", "Lt"), w->is_absurd ? WORLD_PICK(w, "", "x", "-") : "",
			world_below(w, 4));
		return;
	default:
		write_format(out, "{'key':'%s','operator':'%s','values':['%s1','%s2']}",
			WORLD_PICK(w, "disk", "rack", "topology.kubernetes.io/zone"),
			WORLD_PICK(w, "In", "NotIn"), WORLD_PICK(w, "d", "r", "z"),
			WORLD_PICK(w, "d", "r", "z"));
		return;
	}
}

static void write_node_term(struct world *w, struct writer *out, bool own)
{
	write_char(out, '{');
	bool fields = own || world_chance(w, 5);
	if (own)
		write_z(out,
			"'matchFields':[{'key':'metadata.name','operator':'In','values':['n@']}]");
	else if (fields)
		write_format(out,
			"'matchFields':[{'key':'metadata.name','operator':'%s','values':['n%u']}]",
			WORLD_PICK(w, "In", "In", "NotIn"), world_below(w, w->node_room));
	if (!fields || world_chance(w, 3)) {
		write_z(out, fields ? ",'matchExpressions':[" : "'matchExpressions':[");
		write_node_requirement(w, out);
		if (world_chance(w, 4)) {
			write_char(out, ',');
			write_node_requirement(w, out);
		}
		write_char(out, ']');
	}
	write_char(out, '}');
}

static void write_node_affinity(struct world *w, struct writer *out)
{
	bool required = world_chance(w, 2);
	write_z(out, "'nodeAffinity':{");
	if (required) {
		write_z(out,
			"'requiredDuringSchedulingIgnoredDuringExecution':"
			"{'nodeSelectorTerms':[");
		uint32_t count = world_chance(w, 20) ? 0 : 1 + world_below(w, 2);
		bool own = world_chance(w, 4); /* as a DaemonSet has it made */
		for (uint32_t i = 0; i < count; i++) {
			write_z(out, i == 0 ? "" : ",");
			write_node_term(w, out, own);
		}
		write_z(out, "]}");
	}
	if (!required || world_chance(w, 3)) {
		write_format(out, "%s'preferredDuringSchedulingIgnoredDuringExecution':[",
			required ? "," : "");
		uint32_t count = 1 + world_below(w, 3);
		for (uint32_t i = 0; i < count; i++) {
			write_format(
				out, "%s{'weight':%d,'preference':", i == 0 ? "" : ",", weight(w));
			write_node_term(w, out, false);
			write_char(out, '}');
		}
		write_char(out, ']');
	}
	write_char(out, '}');
}

void world_write_affinity(struct world *w, struct writer *out)
{
	uint32_t parts = world_below(w, 8) & world_below(w, 8);
	bool any = false;
	write_z(out, "'affinity':{");
	if ((parts & 1) != 0) {
		write_node_affinity(w, out);
		any = true;
	}
	if ((parts & 2) != 0) {
		write_z(out, any ? "," : "");
		write_pod_affinity(w, out, "podAffinity");
		any = true;
	}
	if ((parts & 4) != 0) {
		write_z(out, any ? "," : "");
		write_pod_affinity(w, out, "podAntiAffinity");
	}
	write_char(out, '}');
}

/* ---- topology spread ---- */

void world_write_spread(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_below(w, 3);
	write_z(out, "'topologySpreadConstraints':[");
	for (uint32_t i = 0; i < count; i++) {
		bool hard = world_chance(w, 2);
		write_format(out, "%s{'topologyKey':'%s','maxSkew':%d,'whenUnsatisfiable':'%s'",
			i == 0 ? "" : ",", world_chance(w, 60) ? "" : topology_key(w),
			w->is_absurd && world_chance(w, 3) ? weight(w) : 1 + (int)world_below(w, 3),
			hard ? "DoNotSchedule" : "ScheduleAnyway");
		if (!world_chance(w, 20)) {
			write_z(out, ",'labelSelector':");
			world_write_selector(w, out);
		}
		if (hard && world_chance(w, 4))
			write_format(out, ",'minDomains':%u", 1 + world_below(w, 4));
		if (world_chance(w, 3))
			write_format(out, ",'nodeAffinityPolicy':'%s'",
				WORLD_PICK(w, "Honor", "Ignore"));
		if (world_chance(w, 3))
			write_format(
				out, ",'nodeTaintsPolicy':'%s'", WORLD_PICK(w, "Honor", "Ignore"));
		if (world_chance(w, 4))
			write_format(out, ",'matchLabelKeys':[%s]",
				WORLD_PICK(w, "'release'", "'release','tier'", "'gone'"));
		write_char(out, '}');
	}
	write_char(out, ']');
}

/* ---- the rest ---- */

static void write_absurd_requests(struct world *w, struct writer *out)
{
	write_format(out,
		"'resources':{'requests':{'cpu':'%s','memory':'%s','example.com/gpu':'%s'",
		WORLD_PICK(w, "-1", "9223372036854775807", "1e18", "1n"),
		WORLD_PICK(w, "-1", "9223372036854775807", "8Ei", "1m", "1"),
		WORLD_PICK(w, "-1", "9223372036854775807", "0"));
	uint32_t names = world_below(w, 90);
	for (uint32_t i = 0; i < names; i++)
		write_format(
			out, ",'example.com/r%u':'%u'", world_below(w, 200), world_below(w, 3));
	write_z(out, "}}");
}

static void write_requests(struct world *w, struct writer *out)
{
	if (w->is_absurd && world_chance(w, 3)) {
		write_absurd_requests(w, out);
		return;
	}
	write_format(out, "'resources':{'requests':{'cpu':'%s'",
		WORLD_PICK(w, "0", "100m", "250m", "500m", "1", "1500m"));
	if (!world_chance(w, 3))
		write_format(out, ",'memory':'%s'", WORLD_PICK(w, "64Mi", "200Mi", "512Mi", "1Gi"));
	if (world_chance(w, 4))
		write_format(out, ",'example.com/gpu':'%u'", world_below(w, 3));
	if (world_chance(w, 12))
		write_format(out, ",'hugepages-2Mi':'%u'", world_below(w, 2) * 2097152);
	if (world_chance(w, 10))
		write_format(out, ",'ephemeral-storage':'%uMi'", world_below(w, 3) * 100);
	write_z(out, "}}");
}

static void write_containers(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_chance(w, 4);
	write_z(out, "'containers':[");
	for (uint32_t i = 0; i < count; i++) {
		write_format(out, "%s{'name':'c%u'", i == 0 ? "" : ",", i);
		if (world_chance(w, 3))
			write_format(out, ",'image':'i%u'", world_below(w, 5));
		if (!world_chance(w, 6)) {
			write_char(out, ',');
			write_requests(w, out);
		}
		if (world_chance(w, 8))
			write_format(out, ",'ports':[{'hostPort':%u,'hostIP':'%s'}]",
				80 + world_below(w, 2), WORLD_PICK(w, "", "10.0.0.1", "10.0.0.2"));
		write_char(out, '}');
	}
	write_char(out, ']');
}

static void write_tolerations(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_below(w, 2);
	write_z(out, ",'tolerations':[");
	for (uint32_t i = 0; i < count; i++)
		write_format(out, "%s%s", i == 0 ? "" : ",",
			WORLD_PICK(w, "{'operator':'Exists'}", "{'key':'t0','operator':'Exists'}",
				"{'key':'t1','value':'v','effect':'NoSchedule'}",
				"{'key':'t2','operator':'Exists','effect':'PreferNoSchedule'}",
				"{'key':'node.kubernetes.io/unschedulable','operator':'Exists'}"));
	write_char(out, ']');
}

static void write_volumes(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_below(w, 2);
	write_z(out, ",'volumes':[");
	for (uint32_t i = 0; i < count; i++) {
		write_format(out, "%s{'name':'v%u',", i == 0 ? "" : ",", i);
		if (!world_chance(w, 3))
			write_format(out, "'persistentVolumeClaim':{'claimName':'claim%u'}}",
				world_below(w, WORLD_CLAIMS + 1));
		else if (world_chance(w, 3))
			write_z(out, "'ephemeral':{'volumeClaimTemplate':{}}}");
		else
			write_format(out, "'gcePersistentDisk':{'pdName':'d%u','readOnly':%s}}",
				world_below(w, 2), WORLD_PICK(w, "true", "false"));
	}
	write_char(out, ']');
}

void world_write_spec(struct world *w, struct writer *out)
{
	write_containers(w, out);
	write_format(out, ",'priority':%s", WORLD_PICK(w, "0", "0", "0", "10", "100", "-5"));
	if (world_chance(w, 10))
		write_z(out, ",'preemptionPolicy':'Never'");
	if (world_chance(w, 6))
		write_format(out, ",'nodeSelector':{'disk':'d%u'}", 1 + world_below(w, 2));
	if (world_chance(w, 2)) {
		write_char(out, ',');
		world_write_affinity(w, out);
	}
	if (world_chance(w, 4)) {
		write_char(out, ',');
		world_write_spread(w, out);
	}
	if (world_chance(w, 3))
		write_tolerations(w, out);
	if (w->volume_share > 0 && world_chance(w, w->volume_share))
		write_volumes(w, out);
	if (world_chance(w, 30))
		write_z(out, ",'hostNetwork':true,'hostUsers':false");
	if (world_chance(w, 200))
		write_z(out, ",'resourceClaims':[{'name':'r','resourceClaimName':'c'}]");
}
