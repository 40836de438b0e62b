package imagefield

// table names the kinds whose image fields are not told by their shape (a list of objects with name and image, or a field called image
// with a tag is found anyway). Each entry is what the project's own API reference documents.
var table = []Kind{
	{Group: "monitoring.coreos.com", Kind: "Prometheus", Paths: []string{"spec.image", "spec.thanos.image"}, Splits: legacyPrometheus},
	{Group: "monitoring.coreos.com", Kind: "PrometheusAgent", Paths: []string{"spec.image"}},
	{Group: "monitoring.coreos.com", Kind: "Alertmanager", Paths: []string{"spec.image"}, Splits: legacyPrometheus},
	{Group: "monitoring.coreos.com", Kind: "ThanosRuler", Paths: []string{"spec.image"}},
	{Group: "ceph.rook.io", Kind: "CephCluster", Paths: []string{"spec.cephVersion.image"}},
	{Group: "postgresql.cnpg.io", Kind: "Cluster", Paths: []string{"spec.imageName"}},
	{Group: "postgresql.cnpg.io", Kind: "ImageCatalog", Paths: []string{"spec.images.*.image"}},
	{Group: "postgresql.cnpg.io", Kind: "ClusterImageCatalog", Paths: []string{"spec.images.*.image"}},
	{Group: "argoproj.io", Kind: "Workflow", Paths: workflow("spec.")},
	{Group: "argoproj.io", Kind: "WorkflowTemplate", Paths: workflow("spec.")},
	{Group: "argoproj.io", Kind: "ClusterWorkflowTemplate", Paths: workflow("spec.")},
	{Group: "argoproj.io", Kind: "CronWorkflow", Paths: workflow("spec.workflowSpec.")},
	{Group: "sparkoperator.k8s.io", Kind: "SparkApplication", Paths: []string{"spec.image", "spec.driver.image", "spec.executor.image"}},
	{Group: "sparkoperator.k8s.io", Kind: "ScheduledSparkApplication", Paths: []string{"spec.template.image", "spec.template.driver.image", "spec.template.executor.image"}},
	{Group: "actions.summerwind.dev", Kind: "Runner", Paths: []string{"spec.image"}},
	{Group: "actions.summerwind.dev", Kind: "RunnerDeployment", Paths: []string{"spec.template.spec.image"}},
	{Group: "tekton.dev", Kind: "Task", Paths: tekton("spec.")},
	{Group: "tekton.dev", Kind: "ClusterTask", Paths: tekton("spec.")},
	{Group: "tekton.dev", Kind: "TaskRun", Paths: tekton("spec.taskSpec.")},
	{Group: "tekton.dev", Kind: "Pipeline", Paths: tekton("spec.tasks.*.taskSpec.")},
	{Group: "tekton.dev", Kind: "PipelineRun", Paths: tekton("spec.pipelineSpec.tasks.*.taskSpec.")},
	{Group: "pkg.crossplane.io", Kind: "Provider", Paths: []string{"spec.package"}},
	{Group: "pkg.crossplane.io", Kind: "Configuration", Paths: []string{"spec.package"}},
	{Group: "pkg.crossplane.io", Kind: "Function", Paths: []string{"spec.package"}},
	{Group: "kafka.strimzi.io", Kind: "Kafka", Paths: []string{
		"spec.kafka.image", "spec.zookeeper.image", "spec.entityOperator.topicOperator.image", "spec.entityOperator.userOperator.image",
		"spec.cruiseControl.image", "spec.kafkaExporter.image",
	}},
	{Group: "kafka.strimzi.io", Kind: "KafkaConnect", Paths: []string{"spec.image", "spec.build.output.image"}},
	{Group: "kafka.strimzi.io", Kind: "KafkaMirrorMaker2", Paths: []string{"spec.image"}},
	{Group: "kafka.strimzi.io", Kind: "KafkaBridge", Paths: []string{"spec.image"}},
	{Group: "elasticsearch.k8s.elastic.co", Kind: "Elasticsearch", Paths: []string{"spec.image"}},
	{Group: "kibana.k8s.elastic.co", Kind: "Kibana", Paths: []string{"spec.image"}},
	{Group: "opentelemetry.io", Kind: "OpenTelemetryCollector", Paths: []string{"spec.image"}},
	{Group: "opentelemetry.io", Kind: "Instrumentation", Paths: []string{"spec.*.image"}},
	{Group: "jaegertracing.io", Kind: "Jaeger", Paths: []string{"spec.*.image"}},
}

// legacyPrometheus are the fields that spec.image replaced; sha stands without its algorithm.
var legacyPrometheus = []Split{{At: "spec", Repository: "baseImage", Tag: "tag", Digest: "sha", BareDigest: true}}

// workflow is where Argo Workflows names images outside of lists of containers.
func workflow(spec string) []string {
	return []string{
		spec + "templates.*.container.image", spec + "templates.*.script.image", spec + "templateDefaults.container.image",
		spec + "templateDefaults.script.image",
	}
}

// tekton is where Tekton names images; steps need no name.
func tekton(spec string) []string {
	return []string{spec + "steps.*.image", spec + "sidecars.*.image", spec + "stepTemplate.image"}
}
