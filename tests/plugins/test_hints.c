/* SPDX-License-Identifier: GPL-2.0-only */
/* Hints: which events wake a pod that a plugin rejected, and which do not. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
#include <unity.h>

#include "plugins/hints.h"
#include "plugins/picture.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

struct row {
	enum plugin_id id;
	const char *pod; /* spec of the pod that waits */
	const char *before;
	const char *event;
	const char *says; /* "-": not registered */
};

static const struct row *asked;
static const char *said;

static struct plugin_waiting who_waits(void)
{
	return (struct plugin_waiting){.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = picture_decide("default", "p")->pod};
}

static void changed(const struct cache_event *event)
{
	const struct plugin_waiting w = who_waits();
	enum plugin_hint hint;
	said = "-";
	if (plugin_hint_of(asked->id, &w, event, &hint))
		said = hint == PLUGIN_HINT_QUEUE                   ? "queue"
			: plugin_event_helps(asked->id, &w, event) ? "forgotten"
								   : "skip";
	const struct plugin_set waiters = plugin_waiters(event->kind, event->actions);
	if (said[0] != '-' || picture.profile.gates.release == KUBE_1_36)
		TEST_ASSERT_EQUAL(said[0] != '-', plugin_set_has(&waiters, asked->id));
}

static void hear_addition(const char *json)
{
	said = "nothing";
	picture.changed = changed;
	picture_add(json);
	picture.changed = NULL;
}

static void hear_removal(void (*hear)(const struct cache_event *), enum kube_kind kind,
	const char *namespace, const char *name)
{
	said = "nothing";
	picture.changed = hear;
	picture_remove(kind, namespace, name);
	picture.changed = NULL;
}

#define NODE(version, rest) \
	"{'kind':'Node','metadata':{'name':'n','resourceVersion':'" version "'" rest "}"
#define ON(spec)                                                                              \
	"{'kind':'Pod','metadata':{'name':'o','namespace':'default','labels':{'app':'web'}}," \
	"'spec':{'containers':[{'name':'c'" spec "}],'nodeName':'n'}}"
#define TERM      "{'topologyKey':'zone','labelSelector':{'matchLabels':{'app':'web'}}}"
#define CORDONED  "},'spec':{'unschedulable':true}"
#define TAINTED   "},'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}"
#define CPUS(n)   "},'status':{'allocatable':{'pods':'9','cpu':'" n "'}}"
#define ASKS_CPU  "'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]"
#define ASKS_PORT "'containers':[{'name':'c','ports':[{'containerPort':1,'hostPort':80}]}]"
#define AFFINITY \
	"'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM "]}}"
#define ANTI                                                                                     \
	"'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM \
	"]}}"
#define CLAIMS "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'mine'}}]"
#define CLAIM(name)                                                 \
	"{'kind':'PersistentVolumeClaim','metadata':{'name':'" name \
	"','namespace':'default'},'spec':{'accessModes':['ReadWriteOncePod']}}"
#define DEVICES(name, of)                                                                          \
	"{'kind':'DeviceClass','metadata':{'name':'" name "'},'spec':{'extendedResourceName':'" of \
	"'}}"
#define ASKS(what, much) \
	"'containers':[{'name':'c','resources':{'requests':{'" what "':'" much "'}}}]"
#define OFFERS(what, much) "},'status':{'allocatable':{'pods':'9','" what "':'" much "'}}"
#define OTHER(labels, spec)                                                                        \
	"{'kind':'Pod','metadata':{'name':'o','namespace':'default','labels':{" labels "}},'spec'" \
	":{" spec ",'nodeName':'n'}}"
#define ITSELF(spec)                                                                               \
	"{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':{'it':'is'}},'spec':" \
	"{" spec "}}"
#define NO_SUCH                                                                                    \
	"{'topologyKey':'zone','labelSelector':{'matchExpressions':[{'key':'a','operator':'In'}]}" \
	"}"
#define BROKEN                                                                                  \
	"'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" NO_SUCH \
	"]}}"
#define BROKEN_NODES                                                                            \
	"'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"        \
	"'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'Gt','values':['x']}]" \
	"}]}}}"
#define CSI_NODE(migrated, drivers)                                 \
	"{'kind':'CSINode','metadata':{'name':'n','annotations':{"  \
	"'storage.alpha.kubernetes.io/migrated-plugins':'" migrated \
	"'}},'spec':{'drivers':[" drivers "]}}"
#define DRIVER(limit) "{'name':'d','nodeID':'n','allocatable':{'count':" limit "}}"
#define CSI_DRIVER(name, watches) \
	"{'kind':'CSIDriver','metadata':{'name':'" name "'},'spec':{'storageCapacity':" watches "}}"
#define CAPACITY(sizes)                                                                            \
	"{'kind':'CSIStorageCapacity','metadata':{'name':'k','namespace':'default'},'storageClass" \
	"Name':'s'" sizes "}"
#define INLINE    "'volumes':[{'name':'v','csi':{'driver':'d'}}]"
#define EPHEMERAL "'volumes':[{'name':'v','ephemeral':{'volumeClaimTemplate':{}}}]"
#define ZONES(terms)                                                                            \
	"{'kind':'StorageClass','metadata':{'name':'s'},'provisioner':'x','allowedTopologies':" \
	"[" terms "]}"
#define ZONE(key, values) "{'matchLabelExpressions':[" KEY(key, values) "]}"
#define KEY(key, values)  "{'key':'" key "','values':[" values "]}"
#define IN_ZONE(zone)                                                                          \
	"{'kind':'PersistentVolume','metadata':{'name':'v','labels':{'topology.kubernetes.io/" \
	"zone':'" zone "'}}}"
#define CLASS(mode)                                                                       \
	"{'kind':'StorageClass','metadata':{'name':'s'},'provisioner':'x','volumeBinding" \
	"Mode':'" mode "'}"
#define SPREADS                                                           \
	"'topologySpreadConstraints':[{'topologyKey':'zone','maxSkew':1," \
	"'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'web'}}}]"

static const struct row rows[] = {
	{PLUGIN_NODE_NAME, "", NULL, NODE("1", "}"), "queue"},
	{PLUGIN_NODE_NAME, "", NULL, ON(""), "-"},
	{PLUGIN_NODE_UNSCHEDULABLE, "", NODE("1", CORDONED), NODE("2", "}"), "queue"},
	{PLUGIN_NODE_UNSCHEDULABLE, "", NULL, NODE("1", CORDONED), "skip"},
	{PLUGIN_TAINT_TOLERATION, "", NODE("1", TAINTED), NODE("2", "}"), "queue"},
	{PLUGIN_TAINT_TOLERATION, "", NULL, NODE("1", TAINTED), "skip"},
	{PLUGIN_NODE_AFFINITY, "'nodeSelector':{'a':'1'}", NODE("1", "}"),
		NODE("2", ",'labels':{'a':'1'}}"), "queue"},
	{PLUGIN_NODE_AFFINITY, "'nodeSelector':{'a':'1'}", NODE("1", "}"),
		NODE("2", ",'labels':{'a':'2'}}"), "skip"},
	{PLUGIN_FIT, ASKS_CPU, NODE("1", CPUS("1")), NODE("2", CPUS("2")), "queue"},
	{PLUGIN_FIT, ASKS_CPU, NODE("1", CPUS("4")), NODE("2", CPUS("3")), "skip"},
	{PLUGIN_FIT, ASKS_CPU, NULL, NODE("1", CPUS("1")), "skip"},
	{PLUGIN_FIT, ASKS_CPU, ON(""), NULL, "queue"},
	{PLUGIN_FIT, ASKS_CPU, NULL, ON(""), "-"},
	{PLUGIN_FIT, ASKS_CPU, NODE("1", CPUS("4")),
		NODE("2",
			",'labels':{'a':'1'}},'status':"
			"{'allocatable':{'pods':'9','cpu':'4'}}"),
		"-"},
	{PLUGIN_NODE_PORTS, ASKS_PORT, ON(",'ports':[{'containerPort':1,'hostPort':80}]"), NULL,
		"queue"},
	{PLUGIN_NODE_PORTS, ASKS_PORT, ON(",'ports':[{'containerPort':1,'hostPort':81}]"), NULL,
		"skip"},
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, NULL, ON(""), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, "", NULL, ON(""), "skip"},
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, ON(""), NULL, "skip"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, ON(""), NULL, "queue"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, NULL, ON(""), "skip"},
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, NODE("1", "}"), NODE("2", ",'labels':{'zone':'a'}}"),
		"queue"},
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, NODE("1", "}"), NODE("2", ",'labels':{'rack':'a'}}"),
		"skip"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, NULL, NODE("1", "}"), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, NODE("1", ",'labels':{'zone':'a'}}"), NODE("2", "}"),
		"queue"},
	{PLUGIN_SPREAD, SPREADS, ON(""), NULL, "queue"},
	{PLUGIN_SPREAD, SPREADS, NULL, ON(""), "queue"},
	{PLUGIN_SPREAD, SPREADS, NULL, NODE("1", ",'labels':{'zone':'a'}}"), "queue"},
	{PLUGIN_SPREAD, SPREADS, NULL, NODE("1", "}"), "skip"},
	{PLUGIN_SPREAD, SPREADS, NODE("1", ",'labels':{'zone':'a'}}"),
		NODE("2", ",'labels':{'zone':'b'}}"), "queue"},
	{PLUGIN_SPREAD, SPREADS, NODE("1", ",'labels':{'zone':'a'}}"),
		NODE("2", ",'labels':{'zone':'a','x':'y'}}"), "skip"},
	{PLUGIN_SPREAD, SPREADS, NODE("1", ",'labels':{'zone':'a'}}"), NODE("2", "}"), "queue"},
	{PLUGIN_VOLUME_RESTRICTIONS, CLAIMS, NULL, CLAIM("mine"), "queue"},
	{PLUGIN_VOLUME_RESTRICTIONS, CLAIMS, NULL, CLAIM("other"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, NULL, CLAIM("mine"), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, NULL, CLAIM("other"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, NULL, CLASS("Immediate"), "queue"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, NULL, CLAIM("mine"), "queue"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, NULL, CLASS("Immediate"), "skip"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, NULL, CLASS("WaitForFirstConsumer"), "queue"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, NULL, ON(""), "-"},
	{PLUGIN_SPREAD, "", ON(""), NULL, "skip"},
	{PLUGIN_NODE_DECLARED_FEATURES, "", NULL, NODE("1", "}"), "queue"},
	{PLUGIN_DEFAULT_PREEMPTION, "", ON(""), NULL, "skip"},
	{PLUGIN_IMAGE_LOCALITY, "", NULL, NODE("1", "}"), "-"},
	/* room that a node offers, or that another pod gives back */
	{PLUGIN_FIT, ASKS("ephemeral-storage", "2Gi"),
		NODE("1", OFFERS("ephemeral-storage", "2Gi")),
		NODE("2", OFFERS("ephemeral-storage", "3Gi")), "queue"},
	{PLUGIN_FIT, ASKS("ephemeral-storage", "2Gi"), NULL,
		NODE("1", OFFERS("ephemeral-storage", "1Gi")), "skip"},
	{PLUGIN_FIT, ASKS("memory", "2Gi"), NODE("1", OFFERS("memory", "2Gi")),
		NODE("2", OFFERS("memory", "3Gi")), "queue"},
	{PLUGIN_FIT, ASKS("memory", "2Gi"), NULL, NODE("1", OFFERS("memory", "1Gi")), "skip"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "2"), NODE("1", OFFERS("example.com/gpu", "2")),
		NODE("2", OFFERS("example.com/gpu", "3")), "queue"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "2"), NODE("1", OFFERS("example.com/gpu", "3")),
		NODE("2", OFFERS("example.com/gpu", "2")), "skip"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "2"), NULL, NODE("1", OFFERS("example.com/gpu", "1")),
		"skip"},
	{PLUGIN_FIT, "", NULL, NODE("1", "},'status':{'allocatable':{'cpu':'4'}}"), "skip"},
	{PLUGIN_FIT, ASKS("ephemeral-storage", "1"), OTHER("", ASKS("ephemeral-storage", "2")),
		OTHER("", ASKS("ephemeral-storage", "1")), "queue"},
	{PLUGIN_FIT, ASKS("memory", "1"), OTHER("", ASKS("memory", "2")),
		OTHER("", ASKS("memory", "1")), "queue"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "1"), OTHER("", ASKS("example.com/gpu", "2")),
		OTHER("", ASKS("example.com/gpu", "1")), "queue"},
	{PLUGIN_FIT, ASKS("memory", "1"), OTHER("", ASKS("cpu", "2")), OTHER("", ASKS("cpu", "1")),
		"skip"},
	/* device classes that stand for a resource */
	{PLUGIN_FIT, ASKS("example.com/gpu", "1"), NULL, DEVICES("dc", "example.com/gpu"), "queue"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "1"), NULL, DEVICES("dc", "example.com/tpu"), "skip"},
	{PLUGIN_FIT, ASKS("example.com/gpu", "1"), DEVICES("dc", "example.com/tpu"),
		DEVICES("dc", "example.com/gpu"), "queue"},
	{PLUGIN_FIT, ASKS("deviceclass.resource.kubernetes.io/dc", "1"), NULL,
		DEVICES("dc", "example.com/tpu"), "queue"},
	{PLUGIN_FIT, ASKS("deviceclass.resource.kubernetes.io/dc", "1"), NULL,
		DEVICES("other", "example.com/tpu"), "skip"},
	{PLUGIN_FIT, ASKS("deviceclass.resource.kubernetes.io/dc", "1"),
		DEVICES("dc", "example.com/tpu"), DEVICES("dc", "example.com/gpu"), "skip"},
	/* what cannot be read is tried again with each event */
	{PLUGIN_NODE_AFFINITY, BROKEN_NODES, NULL, NODE("1", "}"), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, BROKEN, NULL, ON(""), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, BROKEN, NULL, NODE("1", "}"), "queue"},
	/* pods that change */
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, NULL, ITSELF(AFFINITY), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, AFFINITY, OTHER("'app':'db'", "'priority':1"),
		OTHER("'app':'web'", "'priority':1"), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, OTHER("'app':'web'", "'priority':1"),
		OTHER("'app':'db'", "'priority':1"), "queue"},
	{PLUGIN_INTER_POD_AFFINITY, ANTI, OTHER("'app':'db'", "'priority':1"),
		OTHER("'app':'web'", "'priority':1"), "skip"},
	{PLUGIN_SPREAD, SPREADS, OTHER("'app':'db'", "'priority':1"),
		OTHER("'app':'web'", "'priority':1"), "queue"},
	{PLUGIN_SPREAD, SPREADS, OTHER("'app':'db'", "'priority':1"),
		OTHER("'app':'cache'", "'priority':1"), "skip"},
	/* limits of drivers */
	{PLUGIN_NODE_VOLUME_LIMITS, CLAIMS, NULL, CSI_NODE("", ""), "queue"},
	{PLUGIN_NODE_VOLUME_LIMITS, CLAIMS, CSI_NODE("", DRIVER("1")), CSI_NODE("", DRIVER("2")),
		"queue"},
	{PLUGIN_NODE_VOLUME_LIMITS, CLAIMS, CSI_NODE("", DRIVER("2")), CSI_NODE("", DRIVER("1")),
		"skip"},
	{PLUGIN_NODE_VOLUME_LIMITS, CLAIMS, CSI_NODE("", DRIVER("2")), CSI_NODE("", DRIVER("0")),
		"skip"},
	{PLUGIN_NODE_VOLUME_LIMITS, EPHEMERAL, NULL, CLAIM("p-v"), "queue"},
	{PLUGIN_NODE_VOLUME_LIMITS, EPHEMERAL, NULL, CLAIM("p-w"), "skip"},
	/* what volumes wait for */
	{PLUGIN_VOLUME_BINDING, EPHEMERAL, NULL, CLAIM("p-v"), "queue"},
	{PLUGIN_VOLUME_RESTRICTIONS, EPHEMERAL, NULL, CLAIM("p-v"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, ZONES(ZONE("z", "'a'")), ZONES(""), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, ZONES(ZONE("z", "'a'")), ZONES(ZONE("z", "'b'")), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, ZONES(ZONE("z", "'a'")), ZONES(ZONE("y", "'a'")), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, ZONES(ZONE("z", "'a'")), ZONES(ZONE("z", "'a','b'")),
		"queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, ZONES(ZONE("z", "'a'")),
		ZONES("{'matchLabelExpressions':[" KEY("z", "'a'") "," KEY("y", "'a'") "]}"),
		"queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, NULL, CSI_NODE("", ""), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CSI_NODE("", ""), CSI_NODE("kubernetes.io/aws-ebs", ""),
		"queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CSI_NODE("kubernetes.io/gce-pd", ""),
		CSI_NODE("kubernetes.io/aws-ebs", ""), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CSI_NODE("kubernetes.io/gce-pd", ""),
		CSI_NODE("kubernetes.io/gce-pd", DRIVER("1")), "skip"},
	{PLUGIN_VOLUME_BINDING, INLINE, CSI_DRIVER("d", "true"), CSI_DRIVER("d", "false"), "queue"},
	{PLUGIN_VOLUME_BINDING, INLINE, CSI_DRIVER("d", "false"), CSI_DRIVER("d", "true"), "skip"},
	{PLUGIN_VOLUME_BINDING, INLINE, CSI_DRIVER("e", "true"), CSI_DRIVER("e", "false"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CSI_DRIVER("d", "true"), CSI_DRIVER("d", "false"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, NULL, CAPACITY(""), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CAPACITY(""), CAPACITY(",'capacity':'1Gi'"), "queue"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CAPACITY(",'capacity':'2Gi'"),
		CAPACITY(",'capacity':'3Gi','maximumVolumeSize':'1Gi'"), "skip"},
	{PLUGIN_VOLUME_BINDING, CLAIMS, CAPACITY(",'capacity':'2Gi'"), CAPACITY(""), "skip"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, NULL, IN_ZONE("a"), "queue"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, IN_ZONE("a"), IN_ZONE("b"), "queue"},
	{PLUGIN_VOLUME_ZONE, CLAIMS, IN_ZONE("a"),
		"{'kind':'PersistentVolume','metadata':{'name':'v'}}", "queue"},
};

static void test_hints(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		asked = &rows[i];
		said = "nothing";
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			asked->pod);
		if (asked->before != NULL)
			picture_add(asked->before);
		picture.changed = changed;
		if (asked->event != NULL)
			picture_add(asked->event);
		else
			picture_remove(KUBE_POD, "default", "o");
		picture.changed = NULL;
		TEST_ASSERT_EQUAL_STRING_MESSAGE(asked->says, said,
			asked->event == NULL ? plugins[asked->id]->name : asked->event);
	}
}

/* A resource that devices stand for is no reason for a node not to help: DynamicResources looks. */
static void test_a_node_for_a_resource_of_devices(void)
{
	static const char both[] =
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'2','example.com/gpu':"
		"'1'}}}]";
	static const struct row cases[] = {
		{PLUGIN_FIT, both, NULL, NODE("1", CPUS("4")), "queue"},
		{PLUGIN_FIT, both, NULL, NODE("1", CPUS("1")), "skip"},
		{PLUGIN_FIT, both, NODE("1", CPUS("1")), NODE("2", CPUS("3")), "queue"},
		/* As kube-scheduler has it: what is delegated may be there now. */
		{PLUGIN_FIT, both, NODE("1", CPUS("4")), NODE("2", CPUS("3")), "queue"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		tearDown();
		setUp();
		picture_release(KUBE_1_36);
		asked = &cases[i];
		said = "nothing";
		picture_add(DEVICES("dc", "example.com/gpu"));
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			asked->pod);
		if (asked->before != NULL)
			picture_add(asked->before);
		picture.changed = changed;
		picture_add(asked->event);
		picture.changed = NULL;
		TEST_ASSERT_EQUAL_STRING_MESSAGE(asked->says, said, asked->event);
	}
}

/* Where the pods on it stood, others may stand now. */
static void test_a_node_that_moves(void)
{
	static const struct row row = {.id = PLUGIN_INTER_POD_AFFINITY};
	static const struct {
		const char *labels; /* of the pod that waits */
		const char *node;
		const char *says;
	} moves[] = {
		{"'app':'web'", NODE("2", ",'labels':{'zone':'b'}}"), "forgotten"},
		{"'app':'web'", NODE("2", "}"), "forgotten"},
		{"'app':'web'", NODE("2", ",'labels':{'zone':'a','rack':'b'}}"), "skip"},
		{"'app':'db'", NODE("2", ",'labels':{'zone':'b'}}"), "skip"},
	};

	asked = &row;
	for (size_t i = 0; i < ARRAY_COUNT(moves); i++) {
		tearDown();
		setUp();
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':"
			     "{%s}},'spec':{}}",
			moves[i].labels);
		picture_add(NODE("1", ",'labels':{'zone':'a'}}"));
		picture_add("{'kind':'Pod','metadata':{'name':'o','namespace':'default'},"
			    "'spec':{'nodeName':'n'," ANTI "}}");
		hear_addition(moves[i].node);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(moves[i].says, said, moves[i].node);
	}
}

/* Who was kept away from it, as from all that is in its zone, may come there now. */
static void test_a_node_that_moves_away_from_a_pod(void)
{
	static const struct row row = {.id = PLUGIN_INTER_POD_AFFINITY};

	asked = &row;
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':"
		    "{'app':'web'}},'spec':{}}");
	picture_add(NODE("1", ",'labels':{'zone':'a'}}"));
	picture_add("{'kind':'Node','metadata':{'name':'other','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'o','namespace':'default'},"
		    "'spec':{'nodeName':'other'," ANTI "}}");
	said = "nothing";
	picture.changed = changed;
	picture_add(NODE("2", ",'labels':{'zone':'a','rack':'b'}}"));
	TEST_ASSERT_EQUAL_STRING("skip", said);
	picture_add(NODE("3", ",'labels':{'zone':'b'}}"));
	TEST_ASSERT_EQUAL_STRING("forgotten", said);
	picture.changed = NULL;
}

/* An attachment counts for claims, and for volumes in-line that its driver took over. */
static void test_a_volume_that_is_detached(void)
{
	static const struct row row = {.id = PLUGIN_NODE_VOLUME_LIMITS};
	static const struct {
		const char *pod, *attacher, *says;
	} rows_of[] = {
		{CLAIMS, "d", "queue"},
		{"'volumes':[{'name':'v','awsElasticBlockStore':{'volumeID':'vol-1'}}]",
			"ebs.csi.aws.com", "queue"},
		{"'volumes':[{'name':'v','awsElasticBlockStore':{'volumeID':'vol-1'}}]", "d",
			"skip"},
		{INLINE, "d", "skip"},
		{"", "d", "skip"},
	};

	asked = &row;
	for (size_t i = 0; i < ARRAY_COUNT(rows_of); i++) {
		tearDown();
		setUp();
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			rows_of[i].pod);
		picture_addf("{'kind':'VolumeAttachment','metadata':{'name':'a'},'spec':{"
			     "'attacher':'%s','nodeName':'n','source':{"
			     "'persistentVolumeName':'v'}}}",
			rows_of[i].attacher);
		hear_removal(changed, KUBE_VOLUME_ATTACHMENT, "", "a");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows_of[i].says, said, rows_of[i].pod);
	}
}

static void claim_gone(const struct cache_event *event)
{
	const struct plugin_waiting w = who_waits();
	enum plugin_hint hint;
	said = !plugin_hint_of(PLUGIN_DYNAMIC_RESOURCES, &w, event, &hint) ? "-"
		: hint == PLUGIN_HINT_QUEUE                                ? "queue"
									   : "skip";
}

/* Since v1.37 the end of a claim is registered; one with devices gives them back. */
static void test_a_claim_that_goes(void)
{
	static const struct {
		enum kube_release release;
		const char *status, *says;
	} ends[] = {
		{KUBE_1_36, "'allocation':{}", "-"},
		{KUBE_1_37, "'allocation':{}", "queue"},
		{KUBE_1_37, "", "skip"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		tearDown();
		setUp();
		picture_release(ends[i].release);
		picture_add(
			"{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':{}}");
		picture_addf("{'kind':'ResourceClaim','metadata':{'name':'c','namespace':"
			     "'default','uid':'u'},'spec':{},'status':{%s}}",
			ends[i].status);
		hear_removal(claim_gone, KUBE_RESOURCE_CLAIM, "default", "c");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(ends[i].says, said, ends[i].status);
	}
}

/* The affinity that the profile adds is asked of the node as well. */
static void test_affinity_that_the_profile_adds(void)
{
	static const struct row row = {.id = PLUGIN_NODE_AFFINITY};
	static const struct {
		const char *node, *says;
	} nodes[] = {{NODE("1", ",'labels':{'a':'1'}}"), "queue"}, {NODE("1", "}"), "skip"}};

	asked = &row;
	for (size_t i = 0; i < ARRAY_COUNT(nodes); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			    "'spec':{}}");
		uint32_t added =
			picture_add("{'kind':'Pod','metadata':{'name':'a','namespace':'default'},"
				    "'spec':{'nodeSelector':{'a':'1'}}}");
		PLUGIN_ARGS_OF(&picture.profile, NODE_AFFINITY, node_affinity_args)->added =
			cache_template_of(&picture.cache, cache_pod_at(&picture.cache, added));
		hear_addition(nodes[i].node);
		TEST_ASSERT_EQUAL_STRING(nodes[i].says, said);
	}
}

/* A node that is not chosen any more is no place that has the fewest. */
static void test_a_domain_that_goes(void)
{
	static const struct row row = {.id = PLUGIN_SPREAD};
	static const struct {
		const char *node;
		const char *says;
	} changes[] = {
		{NODE("2", ",'labels':{'zone':'a'}}"), "forgotten"},
		{NODE("2", ",'labels':{'zone':'a','disk':'ssd','rack':'b'}}"), "skip"},
	};

	asked = &row;
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			    "'spec':{'nodeSelector':{'disk':'ssd'}," SPREADS "}}");
		picture_add(NODE("1", ",'labels':{'zone':'a','disk':'ssd'}}"));
		hear_addition(changes[i].node);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(changes[i].says, said, changes[i].node);
	}
}

/* On a new node nobody is who keeps others away. */
static void test_a_node_that_comes(void)
{
	static const struct row row = {.id = PLUGIN_INTER_POD_AFFINITY};
	static const char *const labels[] = {"'app':'db'", "'app':'web'"};

	asked = &row;
	for (size_t i = 0; i < ARRAY_COUNT(labels); i++) {
		tearDown();
		setUp();
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':"
			     "{%s}},'spec':{}}",
			labels[i]);
		picture_add("{'kind':'Node','metadata':{'name':'first','labels':{'zone':'a'}}}");
		picture_add("{'kind':'Pod','metadata':{'name':'o','namespace':'default'},"
			    "'spec':{'nodeName':'first'," ANTI "}}");
		hear_addition(NODE("1", ",'labels':{'zone':'b'}}"));
		TEST_ASSERT_EQUAL_STRING_MESSAGE(i == 0 ? "skip" : "forgotten", said, labels[i]);
	}
}

/* What v1.37 asks otherwise: itself only, any term, and no taints for who waits for new nodes. */
static void test_hints_of_1_37(void)
{
	static const struct {
		struct row row;
		const char *in_1_37;
	} both[] = {
		{{PLUGIN_NODE_NAME, "", NODE("1", TAINTED), NODE("2", "}"), "queue"}, "-"},
		{{PLUGIN_TAINT_TOLERATION, "", NODE("1", TAINTED), NODE("2", "}"), "queue"},
			"queue"},
		{{PLUGIN_TAINT_TOLERATION, "", ON(""), ON("}],'tolerations':[{'x':'y'"), "skip"},
			"-"},
		{{PLUGIN_TAINT_TOLERATION, "", NULL,
			 ITSELF("'tolerations':[{'key':'k'}],'containers':[{'name':'c'}]"),
			 "queue"},
			"queue"},
		{{PLUGIN_INTER_POD_AFFINITY,
			 "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuring"
			 "Execution':[" TERM ",{'topologyKey':'zone','labelSelector':{"
			 "'matchLabels':{'no':'such'}}}]}}",
			 ON(""), NULL, "skip"},
			"queue"},
	};
	for (size_t i = 0; i < 2 * ARRAY_COUNT(both); i++) {
		const struct row *row = &both[i / 2].row;
		tearDown();
		setUp();
		if (i % 2 == 1)
			picture_release(KUBE_1_37);
		asked = row;
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			row->pod);
		if (row->before != NULL)
			picture_add(row->before);
		said = "nothing";
		picture.changed = changed;
		if (row->event != NULL)
			picture_add(row->event);
		else
			picture_remove(KUBE_POD, "default", "o");
		picture.changed = NULL;
		TEST_ASSERT_EQUAL_STRING_MESSAGE(i % 2 == 1 ? both[i / 2].in_1_37 : row->says, said,
			row->event == NULL ? "deleted" : row->event);
	}
}

static bool waits(enum plugin_id id, enum kube_kind kind, uint32_t actions)
{
	const struct plugin_set waiters = plugin_waiters(kind, actions);
	return plugin_set_has(&waiters, id);
}

/* Nobody looks at a pod for an event that none of the plugins that rejected it waits for. */
static void test_several_plugins(void)
{
	TEST_ASSERT_FALSE(waits(PLUGIN_FIT, KUBE_POD, CACHE_ADD));
	TEST_ASSERT_TRUE(waits(PLUGIN_SPREAD, KUBE_POD, CACHE_ADD));
	TEST_ASSERT_TRUE(waits(
		PLUGIN_FIT, KUBE_NODE, CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_ALLOCATABLE));
	TEST_ASSERT_FALSE(waits(PLUGIN_FIT, KUBE_NODE, CACHE_UPDATE_NODE_LABEL));
	TEST_ASSERT_FALSE(waits(PLUGIN_FIT, KUBE_SERVICE, CACHE_ADD));
	TEST_ASSERT_FALSE(waits(PLUGIN_SPREAD, KUBE_SERVICE, CACHE_ADD));
	const struct plugin_set nobody = plugin_waiters(KUBE_NODE, 0);
	TEST_ASSERT_TRUE(plugin_set_is_empty(&nobody));
}

/* Who waits for new nodes waits for taints that go: they may uncover one never looked at. */
static void test_registration_of_new_nodes_takes_taints(void)
{
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		if (waits((enum plugin_id)id, KUBE_NODE, CACHE_ADD))
			TEST_ASSERT_TRUE(
				waits((enum plugin_id)id, KUBE_NODE, CACHE_UPDATE_NODE_TAINT));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_hints);
	RUN_TEST(test_hints_of_1_37);
	RUN_TEST(test_a_node_for_a_resource_of_devices);
	RUN_TEST(test_a_node_that_moves);
	RUN_TEST(test_a_node_that_moves_away_from_a_pod);
	RUN_TEST(test_a_volume_that_is_detached);
	RUN_TEST(test_a_claim_that_goes);
	RUN_TEST(test_affinity_that_the_profile_adds);
	RUN_TEST(test_a_node_that_comes);
	RUN_TEST(test_a_domain_that_goes);
	RUN_TEST(test_several_plugins);
	RUN_TEST(test_registration_of_new_nodes_takes_taints);
	return UNITY_END();
}
