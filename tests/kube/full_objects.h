/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One object of each kind that has every field a decoder reads, and some that none does.
 */
#ifndef BERTH_TESTS_KUBE_FULL_OBJECTS_H
#define BERTH_TESTS_KUBE_FULL_OBJECTS_H

#include "kube/object.h"

#define FULL_META(name, more)                                                                      \
	"\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"u-" name "\","         \
	"\"resourceVersion\":\"7\",\"generation\":3,\"labels\":{\"app\":\"web\",\"tier\":"         \
	"\"front\"},"                                                                              \
	"\"deletionTimestamp\":\"2026-11-18T08:00:00Z\",\"managedFields\":[{\"f:x\":{}}],"         \
	"\"creationTimestamp\":\"2026-11-18T07:00:00Z\",\"ownerReferences\":[{\"apiVersion\":"     \
	"\"batch/v1\",\"kind\":\"Job\",\"name\":\"other\",\"uid\":\"o0\"},{\"apiVersion\":\"apps/" \
	"v1\","                                                                                    \
	"\"kind\":\"ReplicaSet\",\"name\":\"owner\",\"uid\":\"o1\",\"controller\":true}]," more    \
	"\"finalizers\":[\"f\"]}"

#define FULL_SELECTOR                                                                              \
	"{\"matchLabels\":{\"app\":\"web\"},\"matchExpressions\":[{\"key\":\"tier\",\"operator\":" \
	"\"In\",\"values\":[\"front\",\"back\"]},{\"key\":\"x\",\"operator\":\"DoesNotExist\"}]}"

#define FULL_TERM                                                                                 \
	"{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]}," \
	"{\"key\":\"size\",\"operator\":\"Gt\",\"values\":[\"4\"]}],\"matchFields\":[{\"key\":"   \
	"\"metadata.name\",\"operator\":\"NotIn\",\"values\":[\"n9\"]}]}"

#define FULL_POD_TERM                                                              \
	"{\"labelSelector\":" FULL_SELECTOR ",\"namespaces\":[\"ns-b\",\"ns-a\"]," \
	"\"namespaceSelector\":{\"matchLabels\":{\"team\":\"x\"}},\"topologyKey\":\"zone\"}"

#define FULL_POD_AFFINITY                                                          \
	"{\"requiredDuringSchedulingIgnoredDuringExecution\":[" FULL_POD_TERM "]," \
	"\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":7,"      \
	"\"podAffinityTerm\":" FULL_POD_TERM "}]}"

#define FULL_CONTAINER(name, more)                                                              \
	"{\"name\":\"" name "\",\"image\":\"registry:5000/" name "\",\"env\":[{\"name\":\"A\"," \
	"\"value\":\"1\"}],\"resources\":{\"requests\":{\"cpu\":\"250m\",\"memory\":\"64Mi\","  \
	"\"example.com/dev\":\"2\"},\"limits\":{\"cpu\":1}}" more "}"

#define FULL_PORTS                                                                     \
	",\"ports\":[{\"containerPort\":80,\"hostPort\":8080,\"hostIP\":\"10.0.0.1\"," \
	"\"protocol\":\"UDP\"}]"

static const char full_pod[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"," FULL_META("p",
	"\"annotations\":{\"a\":\"b\"},") ",\"spec\":{\"nodeName\":\"\",\"schedulerName\":"
					  "\"berth\",\"priority\":-5,"
					  "\"preemptionPolicy\":\"Never\",\"schedulingGates\":[{"
					  "\"name\":\"g1\"},{\"name\":\"g2\"}],"
					  "\"nodeSelector\":{\"disk\":\"ssd\",\"arch\":\"arm64\"},"
					  "\"affinity\":{\"nodeAffinity\":{"
					  "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
					  "\"nodeSelectorTerms\":[" FULL_TERM ",{}]},"
					  "\"preferredDuringSchedulingIgnoredDuringExecution\":[{"
					  "\"weight\":9,\"preference\":" FULL_TERM
					  "}]},\"podAffinity\":" FULL_POD_AFFINITY
					  ",\"podAntiAffinity\":" FULL_POD_AFFINITY
					  "},\"tolerations\":[{\"key\":\"k\",\"operator\":"
					  "\"Equal\",\"value\":\"v\",\"effect\":"
					  "\"NoExecute\",\"tolerationSeconds\":3}],"
					  "\"topologySpreadConstraints\":[{\"maxSkew\":2,"
					  "\"topologyKey\":\"zone\",\"whenUnsatisfiable\":"
					  "\"DoNotSchedule\",\"labelSelector\":" FULL_SELECTOR
					  ",\"minDomains\":3,\"nodeAffinityPolicy\":\"Ignore\","
					  "\"nodeTaintsPolicy\":"
					  "\"Honor\",\"matchLabelKeys\":[\"pod-template-hash\","
					  "\"app\"]}],\"containers\":[" FULL_CONTAINER("main",
						  FULL_PORTS
						  ",\"restartPolicyRules\":[{\"action\":"
						  "\"RestartAllContainers\","
						  "\"exitCodes\":{}}]") "," FULL_CONTAINER("second",
						  FULL_PORTS) "],\"initContainers\":"
							      "[" FULL_CONTAINER("setup",
								      "") "," FULL_CONTAINER("sidec"
											     "ar",
								      FULL_PORTS
								      ",\"restartPolicy\":"
								      "\"Always\"") "],"
										    "\"overhead\":{"
										    "\"cpu\":"
										    "\"10m\"},"
										    "\"resources\":"
										    "{\"requests\":"
										    "{\"cpu\":"
										    "\"2\"},"
										    "\"limits\":{"
										    "\"cpu\":\"2\"}"
										    "},\"volumes\":"
										    "[{\"name\":"
										    "\"v0\","
										    "\"persistentVo"
										    "lumeClaim\":{"
										    "\"claimName\":"
										    "\"c0\","
										    "\"readOnly\":"
										    "true}},{"
										    "\"name\":"
										    "\"v1\","
										    "\"ephemeral\":"
										    "{\"volumeClaim"
										    "Template\":{}}"
										    "},{"
										    "\"name\":"
										    "\"v2\","
										    "\"gcePersisten"
										    "tDisk\":{"
										    "\"pdName\":"
										    "\"pd\","
										    "\"readOnly\":"
										    "true}},{"
										    "\"name\":"
										    "\"v3\","
										    "\"awsElasticBl"
										    "ockStore\":{"
										    "\"volumeID\":"
										    "\"ebs\"}},{"
										    "\"name\":"
										    "\"v4\","
										    "\"iscsi\":{"
										    "\"iqn\":"
										    "\"iqn.x\","
										    "\"readOnly\":"
										    "false,\"lun\":"
										    "0}},{\"name\":"
										    "\"v5\","
										    "\"rbd\":{"
										    "\"monitors\":["
										    "\"m2\","
										    "\"m1\",\"m2\"]"
										    ",\"pool\":"
										    "\"rbd\","
										    "\"image\":"
										    "\"im\","
										    "\"readOnly\":"
										    "true}},{"
										    "\"name\":"
										    "\"v6\","
										    "\"csi\":{"
										    "\"driver\":"
										    "\"csi.x\"}},{"
										    "\"name\":"
										    "\"v7\","
										    "\"azureDisk\":"
										    "{\"diskURI\":"
										    "\"ad\"}},{"
										    "\"name\":"
										    "\"v8\","
										    "\"azureFile\":"
										    "{\"shareName\""
										    ":\"af\"}},{"
										    "\"name\":"
										    "\"v9\","
										    "\"cinder\":{"
										    "\"volumeID\":"
										    "\"ci\"}},{"
										    "\"name\":"
										    "\"v10\","
										    "\"vsphereVolum"
										    "e\":{"
										    "\"volumePath\""
										    ":\"vs\"}},{"
										    "\"name\":"
										    "\"v11\","
										    "\"portworxVolu"
										    "me\":{"
										    "\"volumeID\":"
										    "\"px\"}},{"
										    "\"name\":"
										    "\"v12\","
										    "\"image\":{"
										    "\"reference\":"
										    "\"data:1\"}},{"
										    "\"name\":"
										    "\"v13\","
										    "\"emptyDir\":{"
										    "}}],"
										    "\"hostNetwork"
										    "\":true,"
										    "\"hostUsers\":"
										    "false,"
										    "\"resourceClai"
										    "ms\":[{"
										    "\"name\":"
										    "\"rc\","
										    "\"resourceClai"
										    "mName\":"
										    "\"claim\"},{"
										    "\"name\":"
										    "\"rt\","
										    "\"resourceClai"
										    "mTemplateName"
										    "\":"
										    "\"template\"}]"
										    "},\"status\":{"
										    "\"phase\":"
										    "\"Pending\","
										    "\"nominatedNod"
										    "eName\":"
										    "\"n2\","
										    "\"startTime\":"
										    "\"2026-11-"
										    "18T07:30:"
										    "00Z\","
										    "\"conditions\""
										    ":[{\"type\":"
										    "\"PodScheduled"
										    "\",\"status\":"
										    "\"False\","
										    "\"reason\":"
										    "\"Unschedulabl"
										    "e\","
										    "\"message\":"
										    "\"0/"
										    "1\","
										    "\"lastProbeTim"
										    "e\":\"2026-11-"
										    "18T07:31:"
										    "00Z\","
										    "\"lastTransiti"
										    "onTime\":"
										    "\"2026-11-"
										    "18T07:32:"
										    "00Z\","
										    "\"observedGene"
										    "ration\":2},{"
										    "\"type\":"
										    "\"DisruptionTa"
										    "rget\","
										    "\"status\":"
										    "\"True\","
										    "\"reason\":"
										    "\"PreemptionBy"
										    "Scheduler\"}],"
										    "\"containerSta"
										    "tuses\":[{"
										    "\"name\":"
										    "\"main\","
										    "\"resources\":"
										    "{\"requests\":"
										    "{\"cpu\":"
										    "\"300m\"}},"
										    "\"allocatedRes"
										    "ources\":{"
										    "\"cpu\":"
										    "\"300m\"},"
										    "\"state\":{}}]"
										    ",\"initContain"
										    "erStatuses\":["
										    "{"
										    "\"name\":"
										    "\"sidecar\","
										    "\"resources\":"
										    "{\"requests\":"
										    "{\"cpu\":"
										    "\"300m\"}},"
										    "\"allocatedRes"
										    "ources\":{"
										    "\"cpu\":"
										    "\"300m\"}}],"
										    "\"resources\":"
										    "{\"requests\":"
										    "{\"cpu\":"
										    "\"2\"}},"
										    "\"allocatedRes"
										    "ources\":{"
										    "\"cpu\":\"2\"}"
										    ",\"resourceCla"
										    "imStatuses\":["
										    "{\"name\":"
										    "\"rt\","
										    "\"resourceClai"
										    "mName\":\"rt-"
										    "x\"}]}}";

static const char full_node[] = "{\"kind\":\"Node\",\"apiVersion\":\"v1\"," FULL_META("n",
	"\"annotations\":{\"a\":\"b\"},") ",\"spec\":{\"podCIDR\":\"10.0.0.0/"
					  "24\",\"unschedulable\":true,\"taints\":[{\"key\":\"k\","
					  "\"value\":\"v\",\"effect\":\"NoSchedule\"}]},\"status\":"
					  "{\"capacity\":{\"cpu\":\"9\"},"
					  "\"allocatable\":{\"cpu\":\"3800m\",\"memory\":\"8Gi\","
					  "\"pods\":\"110\","
					  "\"ephemeral-storage\":\"20Gi\",\"example.com/"
					  "dev\":\"4\",\"hugepages-2Mi\":\"0\"},"
					  "\"images\":[{\"names\":[\"a:1\",\"a@sha256:0\"],"
					  "\"sizeBytes\":1000},{\"names\":[\"b:2\"],"
					  "\"sizeBytes\":5}],\"conditions\":[{\"type\":\"Ready\","
					  "\"status\":\"True\"}],"
					  "\"declaredFeatures\":["
					  "\"RestartAllContainersOnContainerExits\",\"Unknown\","
					  "\"UserNamespacesHostNetworkSupport\"]}}";

#define FULL(kind_name, version, name, annotations, rest)                                          \
	"{\"kind\":\"" kind_name "\",\"apiVersion\":\"" version "\"," FULL_META(name, annotations) \
		rest "}"

static const struct full_object {
	enum kube_kind kind;
	const char *json;
} full_objects[] = {
	{KUBE_POD, full_pod},
	{KUBE_NODE, full_node},
	{KUBE_NAMESPACE, FULL("Namespace", "v1", "ns", "", ",\"spec\":{},\"status\":{}")},
	{KUBE_SERVICE,
		FULL("Service", "v1", "svc", "",
			",\"spec\":{\"selector\":{\"app\":\"web\",\"b\":\"c\"}}")},
	{KUBE_REPLICATION_CONTROLLER,
		FULL("ReplicationController", "v1", "rc", "",
			",\"spec\":{\"replicas\":2,\"selector\":{\"app\":\"web\"}}")},
	{KUBE_REPLICA_SET,
		FULL("ReplicaSet", "apps/v1", "rs", "",
			",\"spec\":{\"selector\":" FULL_SELECTOR "}")},
	{KUBE_STATEFUL_SET,
		FULL("StatefulSet", "apps/v1", "ss", "",
			",\"spec\":{\"selector\":" FULL_SELECTOR "}")},
	{KUBE_PV,
		FULL("PersistentVolume", "v1", "pv",
			"\"annotations\":{\"volume.beta.kubernetes.io/storage-class\":\"beta\","
			"\"pv.kubernetes.io/bound-by-controller\":\"yes\",\"other\":\"x\"},",
			",\"spec\":{\"capacity\":{\"storage\":\"10Gi\"},\"accessModes\":["
			"\"ReadWriteOnce\","
			"\"ReadWriteMany\"],\"volumeMode\":\"Block\",\"storageClassName\":\"fast\","
			"\"volumeAttributesClassName\":\"gold\",\"claimRef\":{\"namespace\":\"ns\","
			"\"name\":"
			"\"c0\",\"uid\":\"cu\"},\"nodeAffinity\":{\"required\":{"
			"\"nodeSelectorTerms\":[" FULL_TERM
			"]}},\"csi\":{\"driver\":\"csi.x\",\"volumeHandle\":\"h\",\"fsType\":"
			"\"ext4\"}},\"status\":{\"phase\":\"Bound\"}")},
	{KUBE_PVC,
		FULL("PersistentVolumeClaim", "v1", "c0",
			"\"annotations\":{\"pv.kubernetes.io/bind-completed\":\"yes\","
			"\"volume.kubernetes.io/selected-node\":\"n1\"},",
			",\"spec\":{\"volumeName\":\"pv\",\"storageClassName\":\"fast\","
			"\"volumeMode\":"
			"\"Filesystem\",\"volumeAttributesClassName\":\"gold\",\"accessModes\":["
			"\"ReadWriteOncePod\"],\"resources\":{\"requests\":{\"storage\":\"5Gi\"},"
			"\"limits\":"
			"{}},\"selector\":" FULL_SELECTOR "},\"status\":{\"phase\":\"Bound\"}")},
	{KUBE_STORAGE_CLASS,
		FULL("StorageClass", "storage.k8s.io/v1", "fast", "",
			",\"provisioner\":\"csi.x\",\"volumeBindingMode\":\"WaitForFirstConsumer\","
			"\"parameters\":{\"p\":\"q\"},\"allowedTopologies\":[{"
			"\"matchLabelExpressions\":[{"
			"\"key\":\"zone\",\"values\":[\"b\",\"a\"]}]}]")},
	{KUBE_CSI_NODE,
		FULL("CSINode", "storage.k8s.io/v1", "n",
			"\"annotations\":{\"storage.alpha.kubernetes.io/migrated-plugins\":"
			"\"kubernetes.io/gce-pd,kubernetes.io/aws-ebs\"},",
			",\"spec\":{\"drivers\":[{\"name\":\"csi.x\",\"nodeID\":\"id\","
			"\"topologyKeys\":["
			"\"z\"],\"allocatable\":{\"count\":25}},{\"name\":\"csi.y\",\"nodeID\":"
			"\"id2\"}]}")},
	{KUBE_CSI_DRIVER,
		FULL("CSIDriver", "storage.k8s.io/v1", "csi.x", "",
			",\"spec\":{\"storageCapacity\":true,\"preventPodSchedulingIfMissing\":"
			"true}")},
	{KUBE_CSI_CAPACITY,
		FULL("CSIStorageCapacity", "storage.k8s.io/v1", "cap", "",
			",\"storageClassName\":\"fast\",\"nodeTopology\":" FULL_SELECTOR
			",\"capacity\":\"100Gi\",\"maximumVolumeSize\":\"10Gi\"")},
	{KUBE_VOLUME_ATTACHMENT,
		FULL("VolumeAttachment", "storage.k8s.io/v1", "va", "",
			",\"spec\":{\"attacher\":\"csi.x\",\"nodeName\":\"n\",\"source\":{"
			"\"persistentVolumeName\":\"pv\"}},\"status\":{\"attached\":true}")},
	{KUBE_PDB,
		FULL("PodDisruptionBudget", "policy/v1", "pdb", "",
			",\"spec\":{\"selector\":" FULL_SELECTOR
			"},\"status\":{\"disruptionsAllowed\":2,"
			"\"disruptedPods\":{\"p2\":\"2026-11-18T07:00:00Z\",\"p1\":null}}")},
	{KUBE_RESOURCE_CLAIM,
		FULL("ResourceClaim", "resource.k8s.io/v1", "claim",
			"\"annotations\":{\"resource.kubernetes.io/extended-resource-claim\":"
			"\"true\",\"x\":\"y\"},",
			",\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r0\",\"exactly\":"
			"{\"deviceClassName\":\"gpu\",\"allocationMode\":\"ExactCount\","
			"\"count\":2,\"adminAccess\":true,\"selectors\":[{\"cel\":{"
			"\"expression\":\"device.driver == 'd'\"}}],\"tolerations\":[{\"key\":"
			"\"broken\",\"operator\":\"Exists\",\"value\":\"\",\"effect\":"
			"\"NoExecute\"}],\"capacity\":{\"requests\":{\"memory\":\"1Gi\"}}}},"
			"{\"name\":\"r1\",\"firstAvailable\":[{\"name\":\"s0\","
			"\"deviceClassName\":\"npu\",\"allocationMode\":\"All\"}]}],"
			"\"constraints\":[{\"requests\":[\"r0\"],\"matchAttribute\":\"d/numa\"},"
			"{\"distinctAttribute\":\"d/model\"}],\"config\":[{\"requests\":"
			"[\"r0\"],\"opaque\":{\"driver\":\"d\",\"parameters\":{\"a\":1}}}]}},"
			"\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"request\":"
			"\"r0\",\"driver\":\"d\",\"pool\":\"p\",\"device\":\"dev-0\","
			"\"adminAccess\":true,\"shareID\":\"s-1\",\"consumedCapacity\":{"
			"\"memory\":\"1Gi\"},\"bindingConditions\":[\"ready\"],"
			"\"bindingFailureConditions\":[\"broken\"]}]},\"nodeSelector\":{"
			"\"nodeSelectorTerms\":[" FULL_TERM "]},\"allocationTimestamp\":"
			"\"2026-11-18T08:00:00Z\"},\"reservedFor\":[{\"apiGroup\":\"\","
			"\"resource\":\"pods\",\"name\":\"p\",\"uid\":\"u-p\"}],"
			"\"devices\":[{\"driver\":\"d\",\"pool\":\"p\",\"device\":\"dev-0\","
			"\"shareID\":\"s-1\",\"data\":{\"x\":1},\"conditions\":[{\"type\":"
			"\"ready\",\"status\":\"True\",\"reason\":\"R\",\"message\":"
			"\"m\"}]}]}")},
	{KUBE_RESOURCE_SLICE,
		FULL("ResourceSlice", "resource.k8s.io/v1", "slice", "",
			",\"spec\":{\"driver\":\"d\",\"pool\":{\"name\":\"p\","
			"\"generation\":3,\"resourceSliceCount\":2},\"nodeName\":\"n1\","
			"\"nodeSelector\":{\"nodeSelectorTerms\":[" FULL_TERM "]},"
			"\"allNodes\":true,\"perDeviceNodeSelection\":true,"
			"\"sharedCounters\":[{\"name\":\"set\",\"counters\":{\"cores\":{"
			"\"value\":\"8\"}}}],\"devices\":[{\"name\":\"dev-0\","
			"\"attributes\":{\"model\":{\"string\":\"a1\"},\"d/version\":{"
			"\"version\":\"1.2.3\"},\"cores\":{\"int\":4},\"ecc\":{\"bool\":"
			"true}},\"capacity\":{\"memory\":{\"value\":\"16Gi\","
			"\"requestPolicy\":{\"default\":\"1Gi\",\"validValues\":[\"2Gi\"],"
			"\"validRange\":{\"min\":\"1Gi\",\"max\":\"8Gi\",\"step\":\"1Gi\"}"
			"}}},\"consumesCounters\":[{\"counterSet\":\"set\",\"counters\":{"
			"\"cores\":{\"value\":\"2\"}}}],\"nodeName\":\"n1\",\"nodeSelector\":{"
			"\"nodeSelectorTerms\":[" FULL_TERM "]},\"allNodes\":true,"
			"\"taints\":[{\"key\":\"broken\",\"value\":\"yes\",\"effect\":"
			"\"NoSchedule\"}],\"bindsToNode\":true,\"bindingConditions\":[\"ready\"],"
			"\"bindingFailureConditions\":[\"broken\"],\"allowMultipleAllocations\":"
			"true},{\"name\":\"dev-1\",\"basic\":{\"attributes\":{\"model\":{"
			"\"string\":\"b1\"}}}}]}")},
	{KUBE_DEVICE_CLASS,
		FULL("DeviceClass", "resource.k8s.io/v1", "class", "",
			",\"spec\":{\"selectors\":[{\"cel\":{\"expression\":"
			"\"device.driver == 'd'\"}}],\"config\":[{\"opaque\":{\"driver\":"
			"\"d\"}}],\"extendedResourceName\":\"example.com/dev\"}")},
	{KUBE_TAINT_RULE,
		FULL("DeviceTaintRule", "resource.k8s.io/v1", "rule", "",
			",\"spec\":{\"deviceSelector\":{\"driver\":\"d\",\"pool\":\"p\","
			"\"device\":\"dev-0\"},\"taint\":{\"key\":\"broken\",\"value\":"
			"\"yes\",\"effect\":\"NoExecute\"}}")},
};

#endif
