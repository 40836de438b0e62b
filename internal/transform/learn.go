package transform

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// learn finds out which workloads stand behind webhooks, API services and kinds.
func (c *cutter) learn(bundles []manifest.Bundle) {
	c.answers, c.operators, c.registrars = map[manifest.ID][]place{}, map[manifest.ID][]place{}, map[string][]manifest.ID{}
	grants := grantsOf(bundles)
	services := servicesOf(bundles)
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, name := range answering(o) {
				c.answers[o.ID()] = append(c.answers[o.ID()], services[name]...)
			}
			for _, g := range grants[needs.AccountOf(o)] {
				c.learnGrant(b.Name, o.ID(), g, bundles)
			}
		}
	}
}

// learnGrant keeps what a workload's role says of it.
func (c *cutter) learnGrant(component string, id manifest.ID, g needs.Grant, bundles []manifest.Bundle) {
	if names, anyone := needs.Registers(g.Rule); anyone || len(names) > 0 {
		c.registrars[component] = append(c.registrars[component], id)
	}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if o.ID().Kind == "CustomResourceDefinition" && needs.Reconciles(g.Rule, o.String("spec", "group"), o.String("spec", "names", "plural")) {
				c.operators[o.ID()] = append(c.operators[o.ID()], place{component, id})
			}
		}
	}
}

// grantsOf returns what each ServiceAccount of the environment may do.
func grantsOf(bundles []manifest.Bundle) map[needs.Account][]needs.Grant {
	var all []manifest.Object
	for _, b := range bundles {
		for _, o := range b.Objects {
			if strings.HasPrefix(o.ID().Group, "rbac.") {
				all = append(all, o)
			}
		}
	}
	return needs.Grants(all)
}

// answering names the Services, as namespace/name, that answer for a webhook configuration or an API service.
func answering(o manifest.Object) []string {
	var names []string
	add := func(service map[string]any) {
		namespace, _ := service["namespace"].(string)
		if name, _ := service["name"].(string); name != "" {
			names = append(names, namespace+"/"+name)
		}
	}
	switch id := o.ID(); id.Group {
	case "admissionregistration.k8s.io":
		for _, item := range o.List("webhooks") {
			webhook, _ := item.(map[string]any)
			config, _ := webhook["clientConfig"].(map[string]any)
			service, _ := config["service"].(map[string]any)
			add(service)
		}
	case "apiregistration.k8s.io":
		add(o.Map("spec", "service"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// servicesOf returns the workloads behind each Service, by namespace/name.
func servicesOf(bundles []manifest.Bundle) map[string][]place {
	type workload struct {
		place
		labels map[string]any
	}
	workloads := map[string][]workload{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if id := o.ID(); needs.PodSpec(o) != nil {
				workloads[id.Namespace] = append(workloads[id.Namespace], workload{place{b.Name, id}, needs.PodLabels(o)})
			}
		}
	}
	behind := map[string][]place{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			id, selector := o.ID(), o.Map("spec", "selector")
			if id.Group != "" || id.Kind != "Service" || len(selector) == 0 {
				continue
			}
			for _, w := range workloads[id.Namespace] {
				if needs.Selects(selector, w.labels) {
					behind[id.Namespace+"/"+id.Name] = append(behind[id.Namespace+"/"+id.Name], w.place)
				}
			}
		}
	}
	return behind
}
