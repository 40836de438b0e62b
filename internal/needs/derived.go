package needs

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// made is what a controller makes of each object of one kind; NAME stands for the object's name.
type made struct {
	group, kind       string
	services, secrets []string
	asked             map[string]string // secrets that are made only where a field of the spec says so
	source            string
}

// derivedObjects is the table of objects that operators make under names which others refer to.
var derivedObjects = []made{
	{group: "monitoring.coreos.com", kind: "Prometheus", services: []string{"prometheus-operated"}, source: "prometheus-operator docs, Prometheus"},
	{group: "monitoring.coreos.com", kind: "Alertmanager", services: []string{"alertmanager-operated"}, source: "prometheus-operator docs, Alertmanager"},
	{group: "postgresql.cnpg.io", kind: "Cluster", services: []string{"NAME-rw", "NAME-ro", "NAME-r"}, secrets: []string{"NAME-app", "NAME-superuser", "NAME-ca"}, asked: map[string]string{"NAME-superuser": "enableSuperuserAccess"}, source: "CloudNativePG docs, service management and application connection"},
	{group: "opentelemetry.io", kind: "OpenTelemetryCollector", services: []string{"NAME-collector"}, source: "OpenTelemetry operator docs"},
	{group: "kafka.strimzi.io", kind: "Kafka", services: []string{"NAME-kafka-bootstrap"}, secrets: []string{"NAME-cluster-ca-cert"}, source: "Strimzi docs, Kafka"},
	{group: "rabbitmq.com", kind: "RabbitmqCluster", services: []string{"NAME"}, secrets: []string{"NAME-default-user"}, source: "RabbitMQ cluster operator docs"},
	{group: "elasticsearch.k8s.elastic.co", kind: "Elasticsearch", services: []string{"NAME-es-http"}, secrets: []string{"NAME-es-elastic-user", "NAME-es-http-certs-public"}, source: "ECK docs"},
	{group: gatewayAPI, kind: "Gateway", services: []string{"cilium-gateway-NAME"}, source: "Cilium docs, Gateway API"},
}

// derived returns what a controller makes of the object.
func derived(o manifest.Object) []Fact {
	id := o.ID()
	var facts []Fact
	for _, m := range derivedObjects {
		if m.group != id.Group || m.kind != id.Kind {
			continue
		}
		for _, name := range m.services {
			facts = append(facts, Fact{Type: Exists, Kind: "Service", Namespace: id.Namespace, Name: strings.ReplaceAll(name, "NAME", id.Name)})
		}
		for _, name := range m.secrets {
			if field := m.asked[name]; field != "" && o.Get("spec", field) != true {
				continue
			}
			facts = append(facts, Fact{Type: Exists, Kind: "Secret", Namespace: id.Namespace, Name: strings.ReplaceAll(name, "NAME", id.Name)})
		}
	}
	return facts
}

// derivedKinds returns the kinds that a controller registers because of the object: Gatekeeper's of a ConstraintTemplate,
// Crossplane's of a CompositeResourceDefinition, kro's of a ResourceGraphDefinition.
func derivedKinds(o manifest.Object) []Fact {
	kind := func(group, name string) []Fact {
		if name == "" {
			return nil
		}
		return []Fact{{Type: Kind, Group: group, Kind: name}}
	}
	switch id := o.ID(); {
	case id.Group == "templates.gatekeeper.sh" && id.Kind == "ConstraintTemplate":
		return kind("constraints.gatekeeper.sh", o.String("spec", "crd", "spec", "names", "kind"))
	case id.Group == "apiextensions.crossplane.io" && id.Kind == "CompositeResourceDefinition":
		group := o.String("spec", "group")
		return append(kind(group, o.String("spec", "names", "kind")), kind(group, o.String("spec", "claimNames", "kind"))...)
	case id.Group == "kro.run" && id.Kind == "ResourceGraphDefinition":
		return kind(or(o.String("spec", "schema", "group"), "kro.run"), o.String("spec", "schema", "kind"))
	}
	return nil
}
