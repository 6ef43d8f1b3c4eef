/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every feature gate that a kube-scheduler of v1.36 or v1.37 knows: its own, and those of the
 * libraries that it is made of. What a release says about it is the stage and the default.
 */
#ifndef BERTH_KUBE_FEATURE_TABLE_H
#define BERTH_KUBE_FEATURE_TABLE_H

/* X(name, in v1.36, in v1.37), each FEATURE_... of enum feature_stage */
#define FEATURE_ROWS(X)                                                                \
	X(APIResponseCompression, BETA, BETA)                                          \
	X(APIServerIdentity, BETA, BETA)                                               \
	X(APIServerTracing, LOCKED, NONE)                                              \
	X(APIServerWebhookAuthenticationToken, NONE, ALPHA)                            \
	X(APIServingWithRoutine, ALPHA, ALPHA)                                         \
	X(AggregatedDiscoveryRemoveBetaType, OLD_LOCKED_ON, OLD_LOCKED_ON)             \
	X(AllAlpha, ALPHA, ALPHA)                                                      \
	X(AllBeta, BETA_OFF, BETA_OFF)                                                 \
	X(AllowDNSOnlyNodeCSR, OLD_OFF, OLD_OFF)                                       \
	X(AllowInsecureKubeletCertificateSigningRequests, OLD_OFF, OLD_OFF)            \
	X(AllowOverwriteTerminationGracePeriodSeconds, OLD_LOCKED_OFF, OLD_LOCKED_OFF) \
	X(AllowParsingUserUIDFromCertAuth, BETA, BETA)                                 \
	X(AllowServiceExternalIPs, GA, GA)                                             \
	X(AllowUnsafeMalformedObjectDeletion, ALPHA, BETA)                             \
	X(AnonymousAuthConfigurableEndpoints, LOCKED, NONE)                            \
	X(AnyVolumeDataSource, LOCKED, NONE)                                           \
	X(AtomicFIFO, BETA, BETA)                                                      \
	X(AtomicWriteVolumeUserFields, NONE, ALPHA)                                    \
	X(AuthorizeNodeWithSelectors, LOCKED, NONE)                                    \
	X(AuthorizePodWebsocketUpgradeCreatePermission, BETA, BETA)                    \
	X(AuthorizeWithSelectors, LOCKED, NONE)                                        \
	X(BtreeWatchCache, LOCKED, NONE)                                               \
	X(CBORServingAndStorage, ALPHA, ALPHA)                                         \
	X(CPUManagerPolicyAlphaOptions, ALPHA, ALPHA)                                  \
	X(CPUManagerPolicyBetaOptions, BETA, BETA)                                     \
	X(CPUManagerPolicyOptions, LOCKED, LOCKED)                                     \
	X(CRDObservedGenerationTracking, BETA, BETA)                                   \
	X(CRDValidationRatcheting, LOCKED, LOCKED)                                     \
	X(CRIListStreaming, ALPHA, ALPHA)                                              \
	X(CSIServiceAccountTokenSecrets, LOCKED, LOCKED)                               \
	X(CSIVolumeHealth, ALPHA, ALPHA)                                               \
	X(ChangeContainerStatusOnKubeletRestart, OLD_OFF, OLD_OFF)                     \
	X(ClearingNominatedNodeNameAfterBinding, BETA, BETA)                           \
	X(ClientsAllowCARotation, BETA, BETA)                                          \
	X(ClientsAllowCBOR, ALPHA, ALPHA)                                              \
	X(ClientsAllowTLSCacheGC, BETA, BETA)                                          \
	X(ClientsPreferCBOR, ALPHA, ALPHA)                                             \
	X(CloudControllerManagerWatchBasedRoutesReconciliation, ALPHA, ALPHA)          \
	X(CloudControllerManagerWebhook, ALPHA, ALPHA)                                 \
	X(ClusterTrustBundle, BETA_OFF, GA)                                            \
	X(ClusterTrustBundleProjection, BETA_OFF, GA)                                  \
	X(ComponentFlagz, BETA, BETA)                                                  \
	X(ComponentStatusz, BETA, BETA)                                                \
	X(CompositePodGroup, NONE, ALPHA)                                              \
	X(ConcurrentWatchObjectDecode, BETA_OFF, BETA)                                 \
	X(ConsistentListFromCache, LOCKED, NONE)                                       \
	X(ConsistentListFromCacheSkipTimeoutFallback, NONE, ALPHA)                     \
	X(ConstrainedImpersonation, BETA, BETA)                                        \
	X(ContainerCheckpoint, BETA, BETA)                                             \
	X(ContainerRestartRules, BETA, BETA)                                           \
	X(ContainerStopSignals, ALPHA, ALPHA)                                          \
	X(ContextualLogging, BETA, BETA)                                               \
	X(ControllerManagerReleaseLeaderElectionLockOnExit, ALPHA, ALPHA)              \
	X(CoordinatedLeaderElection, BETA_OFF, BETA_OFF)                               \
	X(CrossNamespaceVolumeDataSource, ALPHA, ALPHA)                                \
	X(CustomCPUCFSQuotaPeriod, GA, GA)                                             \
	X(CustomResourceFieldSelectors, LOCKED, LOCKED)                                \
	X(DRAAdminAccess, LOCKED, LOCKED)                                              \
	X(DRAConsumableCapacity, BETA, BETA)                                           \
	X(DRADerivedAttributes, NONE, ALPHA)                                           \
	X(DRADeviceBindingConditions, BETA, BETA)                                      \
	X(DRADeviceCompatibilityGroups, NONE, ALPHA)                                   \
	X(DRADeviceTaintRules, BETA_OFF, GA)                                           \
	X(DRADeviceTaints, BETA, GA)                                                   \
	X(DRAExtendedResource, BETA, LOCKED)                                           \
	X(DRAFractionalCapacityRange, NONE, BETA)                                      \
	X(DRAListTypeAttributes, ALPHA, ALPHA)                                         \
	X(DRANodeAllocatableResources, ALPHA, ALPHA)                                   \
	X(DRAOptionalNodeOperations, NONE, ALPHA)                                      \
	X(DRAPartitionableDevices, BETA, BETA)                                         \
	X(DRAPartitionableDevicesType, NONE, ALPHA)                                    \
	X(DRAPrioritizedList, GA, LOCKED)                                              \
	X(DRAResourceClaimDeviceStatus, BETA, LOCKED)                                  \
	X(DRAResourceClaimGranularStatusAuthorization, BETA, BETA)                     \
	X(DRAResourcePoolStatus, ALPHA, ALPHA)                                         \
	X(DRASchedulerFilterTimeout, BETA, BETA)                                       \
	X(DRAWorkloadResourceClaims, ALPHA, BETA_OFF)                                  \
	X(DeclarativeValidation, LOCKED, LOCKED)                                       \
	X(DeclarativeValidationBeta, BETA, BETA)                                       \
	X(DeclarativeValidationTakeover, OLD_OFF, OLD_LOCKED_OFF)                      \
	X(DefaultPodSysctls, NONE, ALPHA)                                              \
	X(DeploymentReplicaSetTerminatingReplicas, BETA, BETA)                         \
	X(DetectCacheInconsistency, BETA, BETA)                                        \
	X(DisableAllocatorDualWrite, LOCKED, LOCKED)                                   \
	X(DisableCPUQuotaWithExclusiveCPUs, OLD_ON, OLD_LOCKED_ON)                     \
	X(DisableNodeKubeProxyVersion, OLD_LOCKED_ON, OLD_LOCKED_ON)                   \
	X(DynamicResourceAllocation, LOCKED, LOCKED)                                   \
	X(EmptyDirVolumeMode, NONE, ALPHA)                                             \
	X(EnvFiles, BETA, BETA)                                                        \
	X(EtcdRangeStream, NONE, BETA)                                                 \
	X(EventedPLEG, ALPHA, ALPHA)                                                   \
	X(EvictionRequestAPI, NONE, ALPHA)                                             \
	X(ExcludeAdmissionWebhookVirtualResources, NONE, BETA)                         \
	X(ExecProbeTimeout, LOCKED, LOCKED)                                            \
	X(ExtendWebSocketsToKubelet, BETA, BETA)                                       \
	X(ExternalServiceAccountTokenSigner, LOCKED, LOCKED)                           \
	X(GRPCContainerProbeTLS, NONE, ALPHA)                                          \
	X(GangScheduling, ALPHA, NONE)                                                 \
	X(GenericWorkload, ALPHA, BETA_OFF)                                            \
	X(GitRepoVolumeDriver, OLD_LOCKED_OFF, OLD_LOCKED_OFF)                         \
	X(GracefulNodeShutdown, BETA, BETA)                                            \
	X(GracefulNodeShutdownBasedOnPodPriority, BETA, BETA)                          \
	X(H2CContainerProbe, NONE, ALPHA)                                              \
	X(HPAConfigurableTolerance, BETA, LOCKED)                                      \
	X(HPAGeneration, NONE, BETA)                                                   \
	X(HPAOptimizedSelectorStore, NONE, BETA)                                       \
	X(HPAScaleToZero, ALPHA, BETA)                                                 \
	X(HostnameOverride, BETA, LOCKED)                                              \
	X(HugepageAwareEviction, NONE, BETA)                                           \
	X(ImageMaximumGCAge, LOCKED, LOCKED)                                           \
	X(ImageVolume, LOCKED, LOCKED)                                                 \
	X(ImageVolumeWithDigest, ALPHA, ALPHA)                                         \
	X(InOrderInformers, LOCKED, LOCKED)                                            \
	X(InOrderInformersBatchProcess, BETA, BETA)                                    \
	X(InPlacePodLevelResourcesVerticalScaling, BETA, BETA)                         \
	X(InPlacePodVerticalScaling, LOCKED, LOCKED)                                   \
	X(InPlacePodVerticalScalingExclusiveCPUs, ALPHA, ALPHA)                        \
	X(InPlacePodVerticalScalingExclusiveMemory, ALPHA, ALPHA)                      \
	X(InPlacePodVerticalScalingInitContainers, BETA, LOCKED)                       \
	X(InPlacePodVerticalScalingMemoryBackedVolumes, NONE, ALPHA)                   \
	X(InPlacePodVerticalScalingSchedulerPreemption, NONE, ALPHA)                   \
	X(InformerResourceVersion, GA, GA)                                             \
	X(InterPodAffinityHostnameFastPath, NONE, ALPHA)                               \
	X(JobBackoffLimitPerIndex, LOCKED, NONE)                                       \
	X(JobManagedBy, LOCKED, LOCKED)                                                \
	X(JobPodReplacementPolicy, LOCKED, NONE)                                       \
	X(JobSuccessPolicy, LOCKED, NONE)                                              \
	X(KMSv1, OLD_OFF, OLD_OFF)                                                     \
	X(KubeProxyIPVS, NONE, OLD_ON)                                                 \
	X(KubeProxyNFTablesLocalhostNodePorts, NONE, ALPHA)                            \
	X(KubeletAllocatedPodsEndpoint, NONE, ALPHA)                                   \
	X(KubeletCgroupDriverFromCRI, LOCKED, LOCKED)                                  \
	X(KubeletCrashLoopBackOffMax, BETA, BETA)                                      \
	X(KubeletEnsureSecretPulledImages, BETA, BETA)                                 \
	X(KubeletFineGrainedAuthz, LOCKED, LOCKED)                                     \
	X(KubeletInUserNamespace, ALPHA, BETA)                                         \
	X(KubeletPSI, LOCKED, LOCKED)                                                  \
	X(KubeletPodResourcesDynamicResources, LOCKED, LOCKED)                         \
	X(KubeletPodResourcesGet, LOCKED, LOCKED)                                      \
	X(KubeletPodResourcesListUseActivePods, OLD_ON, OLD_ON)                        \
	X(KubeletRegistrationGetOnExistsOnly, OLD_OFF, OLD_OFF)                        \
	X(KubeletSeparateDiskGC, BETA, BETA)                                           \
	X(KubeletServiceAccountTokenForCredentialProviders, BETA, BETA)                \
	X(KubeletTracing, LOCKED, LOCKED)                                              \
	X(ListFromCacheSnapshot, BETA, BETA)                                           \
	X(LocalStorageCapacityIsolationFSQuotaMonitoring, BETA_OFF, BETA_OFF)          \
	X(LogarithmicScaleDown, LOCKED, NONE)                                          \
	X(LoggingAlphaOptions, ALPHA, ALPHA)                                           \
	X(LoggingBetaOptions, BETA, BETA)                                              \
	X(ManifestBasedAdmissionControlConfig, ALPHA, BETA)                            \
	X(MatchLabelKeysInPodAffinity, LOCKED, LOCKED)                                 \
	X(MatchLabelKeysInPodTopologySpread, BETA, BETA)                               \
	X(MatchLabelKeysInPodTopologySpreadSelectorMerge, BETA, BETA)                  \
	X(MaxUnavailableStatefulSet, BETA_OFF, BETA)                                   \
	X(MemoryQoS, ALPHA, BETA)                                                      \
	X(MultiCIDRServiceAllocator, LOCKED, LOCKED)                                   \
	X(MutableCSINodeAllocatableCount, LOCKED, LOCKED)                              \
	X(MutablePVNodeAffinity, ALPHA, ALPHA)                                         \
	X(MutablePodResourcesForSuspendedJobs, BETA, BETA)                             \
	X(MutableSchedulingDirectivesForSuspendedJobs, BETA, BETA)                     \
	X(MutatingAdmissionPolicy, GA, GA)                                             \
	X(NFTablesNetlink, NONE, BETA)                                                 \
	X(NFTablesProxyMode, LOCKED, LOCKED)                                           \
	X(NativeHistograms, ALPHA, BETA)                                               \
	X(NodeControllerLeaseCircuitBreaker, NONE, BETA)                               \
	X(NodeDeclaredFeatures, BETA, LOCKED)                                          \
	X(NodeInclusionPolicyInPodTopologySpread, LOCKED, LOCKED)                      \
	X(NodeLifecycleConditions, NONE, ALPHA)                                        \
	X(NodeLogQuery, LOCKED, LOCKED)                                                \
	X(NodeSwap, LOCKED, LOCKED)                                                    \
	X(NominatedNodeNameForExpectation, BETA, BETA)                                 \
	X(OpenAPIEnums, BETA, BETA)                                                    \
	X(OpportunisticBatching, BETA, BETA)                                           \
	X(OrderedNamespaceDeletion, LOCKED, NONE)                                      \
	X(PLEGOnDemandRelist, BETA, LOCKED)                                            \
	X(PersistentVolumeClaimUnusedSinceTime, ALPHA, BETA)                           \
	X(PodAndContainerStatsFromCRI, ALPHA, BETA_OFF)                                \
	X(PodCertificateRequest, BETA_OFF, GA)                                         \
	X(PodDeletionCost, BETA, BETA)                                                 \
	X(PodGroupPreemptionPolicy, NONE, ALPHA)                                       \
	X(PodLevelResourceManagers, ALPHA, BETA_OFF)                                   \
	X(PodLevelResources, BETA, BETA)                                               \
	X(PodLevelResourcesFixDefaulting, NONE, BETA)                                  \
	X(PodLevelResourcesFixKubeletQOSClass, NONE, BETA)                             \
	X(PodLifecycleSleepAction, LOCKED, NONE)                                       \
	X(PodLifecycleSleepActionAllowZero, LOCKED, NONE)                              \
	X(PodLogsQuerySplitStreams, ALPHA, ALPHA)                                      \
	X(PodObservedGenerationTracking, LOCKED, LOCKED)                               \
	X(PodReadyToStartContainersCondition, BETA, LOCKED)                            \
	X(PodSchedulingReadiness, LOCKED, LOCKED)                                      \
	X(PodTopologyLabelsAdmission, BETA, BETA)                                      \
	X(PodsAPI, ALPHA, BETA)                                                        \
	X(PortForwardWebsockets, BETA, BETA)                                           \
	X(PreferSameTrafficDistribution, LOCKED, LOCKED)                               \
	X(PreventStaticPodAPIReferences, BETA, NONE)                                   \
	X(ProcMountType, LOCKED, LOCKED)                                               \
	X(QOSReserved, ALPHA, ALPHA)                                                   \
	X(RecoverVolumeExpansionFailure, LOCKED, LOCKED)                               \
	X(RecursiveReadOnlyMounts, LOCKED, LOCKED)                                     \
	X(ReduceDefaultCrashLoopBackOffDecay, ALPHA, ALPHA)                            \
	X(RelaxedDNSSearchValidation, LOCKED, NONE)                                    \
	X(RelaxedEnvironmentVariableValidation, LOCKED, LOCKED)                        \
	X(RelaxedServiceNameValidation, BETA, LOCKED)                                  \
	X(ReloadKubeletClientCAFile, BETA, BETA)                                       \
	X(ReloadKubeletServerCertificateFile, BETA, BETA)                              \
	X(RemoteRequestHeaderUID, BETA, BETA)                                          \
	X(ResilientWatchCacheInitialization, LOCKED, NONE)                             \
	X(ResourceHealthStatus, BETA, BETA)                                            \
	X(ResourceHealthStatusMessage, BETA, BETA)                                     \
	X(RestartAllContainersOnContainerExits, BETA, BETA)                            \
	X(RetryGenerateName, LOCKED, NONE)                                             \
	X(RotateKubeletServerCertificate, BETA, BETA)                                  \
	X(RuntimeClassInImageCriApi, ALPHA, ALPHA)                                     \
	X(SELinuxChangePolicy, LOCKED, LOCKED)                                         \
	X(SELinuxMount, BETA_OFF, GA)                                                  \
	X(SELinuxMountReadWriteOncePod, LOCKED, LOCKED)                                \
	X(SchedulerAsyncAPICalls, BETA_OFF, BETA_OFF)                                  \
	X(SchedulerAsyncPreemption, BETA, BETA)                                        \
	X(SchedulerPopFromBackoffQ, BETA, BETA)                                        \
	X(SchedulerPreQueueingHints, NONE, ALPHA)                                      \
	X(SchedulerQueueingHints, LOCKED, NONE)                                        \
	X(SeparateCacheWatchRPC, OLD_LOCKED_OFF, OLD_LOCKED_OFF)                       \
	X(SeparateTaintEvictionController, LOCKED, LOCKED)                             \
	X(ServiceAccountNodeAudienceRestriction, BETA, BETA)                           \
	X(ServiceAccountTokenJTI, LOCKED, LOCKED)                                      \
	X(ServiceAccountTokenNodeBinding, LOCKED, LOCKED)                              \
	X(ServiceAccountTokenNodeBindingValidation, LOCKED, LOCKED)                    \
	X(ServiceAccountTokenPodNodeInfo, LOCKED, LOCKED)                              \
	X(ServiceCIDRStatusFieldWiping, OLD_ON, OLD_ON)                                \
	X(ShardedListAndWatch, ALPHA, ALPHA)                                           \
	X(SidecarContainers, LOCKED, NONE)                                             \
	X(SizeBasedListCostEstimate, BETA, BETA)                                       \
	X(StaleControllerConsistencyDaemonSet, BETA, BETA)                             \
	X(StaleControllerConsistencyHPA, NONE, BETA)                                   \
	X(StaleControllerConsistencyJob, BETA, BETA)                                   \
	X(StaleControllerConsistencyReplicaSet, BETA, BETA)                            \
	X(StaleControllerConsistencyStatefulSet, BETA, BETA)                           \
	X(StatefulSetRecreateStrategy, NONE, ALPHA)                                    \
	X(StatefulSetSemanticRevisionComparison, BETA, BETA)                           \
	X(StorageCapacityScoring, ALPHA, BETA)                                         \
	X(StorageNamespaceIndex, OLD_ON, OLD_ON)                                       \
	X(StorageVersionAPI, ALPHA, ALPHA)                                             \
	X(StorageVersionHash, BETA, BETA)                                              \
	X(StorageVersionMigrator, BETA_OFF, GA)                                        \
	X(StreamingCollectionEncodingToJSON, LOCKED, NONE)                             \
	X(StreamingCollectionEncodingToProtobuf, LOCKED, NONE)                         \
	X(StrictIPCIDRValidation, BETA, BETA)                                          \
	X(StructuredAuthenticationConfiguration, LOCKED, NONE)                         \
	X(StructuredAuthenticationConfigurationEgressSelector, BETA, BETA)             \
	X(StructuredAuthenticationConfigurationJWKSMetrics, BETA, BETA)                \
	X(SupplementalGroupsPolicy, LOCKED, LOCKED)                                    \
	X(SystemdWatchdog, LOCKED, LOCKED)                                             \
	X(TaintTolerationComparisonOperators, ALPHA, ALPHA)                            \
	X(TokenRequestServiceAccountUIDValidation, BETA, BETA)                         \
	X(TopologyAwareWorkloadScheduling, ALPHA, ALPHA)                               \
	X(TopologyManagerPolicyAlphaOptions, ALPHA, ALPHA)                             \
	X(TopologyManagerPolicyBetaOptions, BETA, BETA)                                \
	X(TopologyManagerPolicyOptions, LOCKED, LOCKED)                                \
	X(TranslateStreamCloseWebsocketRequests, BETA, BETA)                           \
	X(UnauthenticatedHTTP2DOSMitigation, BETA, BETA)                               \
	X(UnknownVersionInteroperabilityProxy, BETA, BETA)                             \
	X(UnlockWhileProcessingFIFO, BETA, BETA)                                       \
	X(UserNamespacesHostNetworkSupport, ALPHA, ALPHA)                              \
	X(UserNamespacesSupport, LOCKED, LOCKED)                                       \
	X(VolumeAttributesClass, LOCKED, LOCKED)                                       \
	X(VolumeBindMountOptions, NONE, ALPHA)                                         \
	X(VolumeLimitScaling, ALPHA, BETA)                                             \
	X(WatchCacheInitializationPostStartHook, BETA, LOCKED)                         \
	X(WatchList, BETA, BETA)                                                       \
	X(WatchListClient, BETA, BETA)                                                 \
	X(WatchListCompression, NONE, BETA)                                            \
	X(WebhookRoundTripLoadBalancing, NONE, BETA)                                   \
	X(WinDSR, LOCKED, LOCKED)                                                      \
	X(WinOverlay, LOCKED, LOCKED)                                                  \
	X(WindowsCPUAndMemoryAffinity, ALPHA, ALPHA)                                   \
	X(WindowsGracefulNodeShutdown, BETA, BETA)                                     \
	X(WindowsHostNetwork, OLD_OFF, OLD_OFF)                                        \
	X(WorkloadAwarePreemption, ALPHA, NONE)                                        \
	X(WorkloadWithJob, ALPHA, ALPHA)

/* X(name, another one without which it cannot be on) */
#define FEATURE_NEEDS(X)                                                                     \
	X(AuthorizeNodeWithSelectors, AuthorizeWithSelectors)                                \
	X(ClusterTrustBundleProjection, ClusterTrustBundle)                                  \
	X(CompositePodGroup, GenericWorkload)                                                \
	X(CompositePodGroup, TopologyAwareWorkloadScheduling)                                \
	X(DRAAdminAccess, DynamicResourceAllocation)                                         \
	X(DRAConsumableCapacity, DynamicResourceAllocation)                                  \
	X(DRADerivedAttributes, DynamicResourceAllocation)                                   \
	X(DRADeviceBindingConditions, DRAResourceClaimDeviceStatus)                          \
	X(DRADeviceBindingConditions, DynamicResourceAllocation)                             \
	X(DRADeviceCompatibilityGroups, DRAPartitionableDevices)                             \
	X(DRADeviceCompatibilityGroups, DynamicResourceAllocation)                           \
	X(DRADeviceTaintRules, DRADeviceTaints)                                              \
	X(DRADeviceTaints, DynamicResourceAllocation)                                        \
	X(DRAExtendedResource, DynamicResourceAllocation)                                    \
	X(DRAFractionalCapacityRange, DRAConsumableCapacity)                                 \
	X(DRAListTypeAttributes, DynamicResourceAllocation)                                  \
	X(DRANodeAllocatableResources, DynamicResourceAllocation)                            \
	X(DRAOptionalNodeOperations, DynamicResourceAllocation)                              \
	X(DRAOptionalNodeOperations, NodeDeclaredFeatures)                                   \
	X(DRAPartitionableDevices, DynamicResourceAllocation)                                \
	X(DRAPartitionableDevicesType, DRAPartitionableDevices)                              \
	X(DRAPartitionableDevicesType, DRAResourcePoolStatus)                                \
	X(DRAPartitionableDevicesType, DynamicResourceAllocation)                            \
	X(DRAPrioritizedList, DynamicResourceAllocation)                                     \
	X(DRAResourceClaimGranularStatusAuthorization, DRAResourceClaimDeviceStatus)         \
	X(DRAResourceClaimGranularStatusAuthorization, DynamicResourceAllocation)            \
	X(DRAResourcePoolStatus, DynamicResourceAllocation)                                  \
	X(DRASchedulerFilterTimeout, DynamicResourceAllocation)                              \
	X(DRAWorkloadResourceClaims, DynamicResourceAllocation)                              \
	X(DRAWorkloadResourceClaims, GenericWorkload)                                        \
	X(DeclarativeValidationBeta, DeclarativeValidation)                                  \
	X(DeclarativeValidationTakeover, DeclarativeValidation)                              \
	X(DisableAllocatorDualWrite, MultiCIDRServiceAllocator)                              \
	X(EventedPLEG, PLEGOnDemandRelist)                                                   \
	X(ExtendWebSocketsToKubelet, NodeDeclaredFeatures)                                   \
	X(GangScheduling, GenericWorkload)                                                   \
	X(GracefulNodeShutdownBasedOnPodPriority, GracefulNodeShutdown)                      \
	X(H2CContainerProbe, NodeDeclaredFeatures)                                           \
	X(ImageVolumeWithDigest, ImageVolume)                                                \
	X(InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScaling)                \
	X(InPlacePodLevelResourcesVerticalScaling, NodeDeclaredFeatures)                     \
	X(InPlacePodLevelResourcesVerticalScaling, PodLevelResources)                        \
	X(InPlacePodVerticalScalingExclusiveCPUs, InPlacePodVerticalScaling)                 \
	X(InPlacePodVerticalScalingExclusiveMemory, InPlacePodVerticalScaling)               \
	X(InPlacePodVerticalScalingInitContainers, InPlacePodVerticalScaling)                \
	X(InPlacePodVerticalScalingInitContainers, NodeDeclaredFeatures)                     \
	X(InPlacePodVerticalScalingMemoryBackedVolumes, InPlacePodVerticalScaling)           \
	X(InPlacePodVerticalScalingMemoryBackedVolumes, NodeDeclaredFeatures)                \
	X(InPlacePodVerticalScalingSchedulerPreemption, InPlacePodVerticalScaling)           \
	X(KubeletAllocatedPodsEndpoint, InPlacePodVerticalScaling)                           \
	X(MatchLabelKeysInPodTopologySpreadSelectorMerge, MatchLabelKeysInPodTopologySpread) \
	X(NodeControllerLeaseCircuitBreaker, AtomicFIFO)                                     \
	X(PodGroupPreemptionPolicy, GenericWorkload)                                         \
	X(PodLevelResourceManagers, PodLevelResources)                                       \
	X(PodLevelResourcesFixDefaulting, PodLevelResources)                                 \
	X(PodLevelResourcesFixKubeletQOSClass, PodLevelResources)                            \
	X(PodLifecycleSleepActionAllowZero, PodLifecycleSleepAction)                         \
	X(ProcMountType, UserNamespacesSupport)                                              \
	X(ResourceHealthStatus, DynamicResourceAllocation)                                   \
	X(ResourceHealthStatusMessage, ResourceHealthStatus)                                 \
	X(RestartAllContainersOnContainerExits, ContainerRestartRules)                       \
	X(RestartAllContainersOnContainerExits, NodeDeclaredFeatures)                        \
	X(ServiceAccountTokenNodeBinding, ServiceAccountTokenNodeBindingValidation)          \
	X(StaleControllerConsistencyDaemonSet, AtomicFIFO)                                   \
	X(StaleControllerConsistencyHPA, AtomicFIFO)                                         \
	X(StaleControllerConsistencyJob, AtomicFIFO)                                         \
	X(StaleControllerConsistencyReplicaSet, AtomicFIFO)                                  \
	X(StaleControllerConsistencyStatefulSet, AtomicFIFO)                                 \
	X(StorageVersionAPI, APIServerIdentity)                                              \
	X(TopologyAwareWorkloadScheduling, GenericWorkload)                                  \
	X(UnknownVersionInteroperabilityProxy, APIServerIdentity)                            \
	X(UserNamespacesHostNetworkSupport, NodeDeclaredFeatures)                            \
	X(UserNamespacesHostNetworkSupport, UserNamespacesSupport)                           \
	X(WindowsGracefulNodeShutdown, GracefulNodeShutdown)                                 \
	X(WorkloadAwarePreemption, GangScheduling)                                           \
	X(WorkloadWithJob, GenericWorkload)

#endif
