package needs

import (
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func loadBalancer(o manifest.Object) []Fact {
	if id := o.ID(); id.Group != "" || id.Kind != "Service" || o.String("spec", "type") != "LoadBalancer" {
		return nil
	}
	return []Fact{{Type: Ability, Name: Addresses}}
}

func ingressClass(o manifest.Object) []Fact {
	id := o.ID()
	class := o.String("spec", "ingressClassName")
	if id.Group != networking || id.Kind != "Ingress" || class == "" {
		return nil
	}
	return []Fact{{Type: Exists, Group: networking, Kind: "IngressClass", Name: class}}
}

func gatewayClass(o manifest.Object) []Fact {
	id := o.ID()
	class := o.String("spec", "gatewayClassName")
	if id.Group != gatewayAPI || id.Kind != "Gateway" || class == "" {
		return nil
	}
	return []Fact{{Type: Exists, Group: gatewayAPI, Kind: "GatewayClass", Name: class}}
}

func isRoute(id manifest.ID) bool {
	return id.Group == gatewayAPI && strings.HasSuffix(id.Kind, "Route")
}

func routeParents(o manifest.Object) []Fact {
	if !isRoute(o.ID()) {
		return nil
	}
	return references(o.List("spec", "parentRefs"), Fact{Type: Exists, Group: gatewayAPI, Kind: "Gateway", Namespace: o.ID().Namespace})
}

func routeBackends(o manifest.Object) []Fact {
	if !isRoute(o.ID()) {
		return nil
	}
	var facts []Fact
	for _, rule := range o.List("spec", "rules") {
		list, _ := value(rule, "backendRefs").([]any)
		facts = append(facts, references(list, Fact{Type: Exists, Kind: "Service", Namespace: o.ID().Namespace})...)
	}
	return facts
}

// references reads Gateway API references: group, kind and namespace stand only where they differ from base.
func references(list []any, base Fact) []Fact {
	var facts []Fact
	for _, item := range list {
		ref, _ := item.(map[string]any)
		if str(ref, "name") == "" {
			continue
		}
		fact := base
		fact.Name = str(ref, "name")
		fact.Kind, fact.Namespace = or(str(ref, "kind"), base.Kind), or(str(ref, "namespace"), base.Namespace)
		if group, stated := ref["group"].(string); stated {
			fact.Group = group
		}
		facts = append(facts, fact)
	}
	return facts
}

func apiService(o manifest.Object) []Fact {
	id := o.ID()
	service := o.Map("spec", "service")
	if id.Group != "apiregistration.k8s.io" || id.Kind != "APIService" || str(service, "name") == "" {
		return nil
	}
	return []Fact{{Type: Exists, Kind: "Service", Namespace: str(service, "namespace"), Name: str(service, "name")}}
}

func scaleTarget(o manifest.Object) []Fact {
	id := o.ID()
	ref := o.Map("spec", "scaleTargetRef")
	of := id.Group + "/" + id.Kind
	if of != "autoscaling/HorizontalPodAutoscaler" && of != "keda.sh/ScaledObject" || str(ref, "name") == "" {
		return nil
	}
	api, kind := str(ref, "apiVersion"), str(ref, "kind")
	if id.Group == "keda.sh" { // which may leave both out (KEDA docs, ScaledObject specification)
		api, kind = or(api, "apps/v1"), or(kind, "Deployment")
	}
	group, _ := manifest.SplitAPIVersion(api)
	return []Fact{{Type: Exists, Group: group, Kind: kind, Namespace: id.Namespace, Name: str(ref, "name")}}
}
