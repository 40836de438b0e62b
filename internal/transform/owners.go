package transform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Labels of Pod Security admission.
const (
	enforceLabel = "pod-security.kubernetes.io/enforce"
	privileged   = "privileged"
	baseline     = "baseline"
)

// given names the namespaces that every cluster makes itself.
var given = map[string]bool{"default": true, "kube-system": true, "kube-public": true, "kube-node-lease": true}

// OwnerRule is the name of the edges from the components that live in a namespace to the one that makes it. Where the maker goes,
// another of them becomes it.
const OwnerRule = "namespace-owner"

// owners returns the component that makes each namespace which no component brings as an object. In the cluster of its own
// Argo CD, Argo CD's namespace belongs to the component that renders argocd-cm, whatever its wave: it is applied at bootstrap,
// before any wave. Where no component does, that namespace is there before the start.
func owners(t Target, order Order, groups map[string]string, bundles []manifest.Bundle) map[string]string {
	brought := map[string]bool{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if isNamespace(o) {
				brought[o.ID().Name] = true
			}
		}
	}
	users := usersOf(bundles)
	out := map[string]string{}
	for _, namespace := range slices.Sorted(maps.Keys(users)) {
		if given[namespace] || brought[namespace] {
			continue
		}
		if t.In == "cluster" && namespace == t.Namespace {
			if _, name, ok := settingsIn(namespace, bundles); ok {
				out[namespace] = name
			}
			continue
		}
		// The order is one for all namespaces, so that owners can never wait for each other.
		out[namespace] = slices.MinFunc(users[namespace], func(a, b string) int {
			return cmp.Or(cmp.Compare(order.Waves[a], order.Waves[b]), cmp.Compare(groups[a], groups[b]), cmp.Compare(a, b))
		})
	}
	return out
}

// usersOf returns, for every namespace, the components with objects in it, sorted.
func usersOf(bundles []manifest.Bundle) map[string][]string {
	users := map[string][]string{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if namespace := o.ID().Namespace; namespace != "" && !slices.Contains(users[namespace], b.Name) {
				users[namespace] = append(users[namespace], b.Name)
			}
		}
	}
	for _, names := range users {
		slices.Sort(names)
	}
	return users
}

// ownerEdges returns an edge from every component that lives in a namespace to its owner, named after the first such object.
// Argo CD's own namespace stands before the first wave and makes none.
func ownerEdges(t Target, order Order, bundles []manifest.Bundle) []Edge {
	var edges []Edge
	for _, b := range bundles {
		told := map[string]bool{}
		for _, o := range b.Objects {
			id := o.ID()
			owner, ok := order.Owners[id.Namespace]
			before := t.In == "cluster" && id.Namespace == t.Namespace
			if !ok || before || owner == b.Name || told[id.Namespace] {
				continue
			}
			told[id.Namespace] = true
			edges = append(edges, Edge{
				From: b.Name, To: owner, Rule: OwnerRule, Stage: needs.Apply,
				Reason: "lives in a namespace that " + owner + " makes", Object: id,
				Provider: manifest.ID{Version: "v1", Kind: "Namespace", Name: id.Namespace},
			})
		}
	}
	return edges
}

// unordered says of a shared namespace that waves set by hand leave its user no order.
func unordered(e Edge) Notice {
	return Notice{Component: e.From, Object: e.Object, Message: fmt.Sprintf("lives in namespace %s, which %s makes; waves set by hand do not let it start later, so its first attempts may fail and are repeated", e.Object.Namespace, e.To)}
}

// NamespaceObjects adds the Namespace objects to the bundles of their owners. Each enforces the Pod Security level that the
// pods of all components in it need: baseline, or privileged with what asks for it in an annotation. A Namespace that a
// component brings itself is left where it is and only gets the label, unless it states one.
func NamespaceObjects(order Order, bundles []manifest.Bundle) []manifest.Bundle {
	beyond := beyondBaseline(bundles)
	out := make([]manifest.Bundle, len(bundles))
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: slices.Clone(b.Objects)}
		for j, o := range b.Objects {
			if isNamespace(o) && !given[o.ID().Name] {
				out[i].Objects[j] = labelled(o, beyond[o.ID().Name])
			}
		}
		for _, namespace := range slices.Sorted(maps.Keys(order.Owners)) {
			if order.Owners[namespace] == b.Name {
				out[i].Objects = append(out[i].Objects, labelled(newNamespace(namespace), beyond[namespace]))
			}
		}
		manifest.Sort(out[i].Objects)
	}
	return out
}

func isNamespace(o manifest.Object) bool {
	id := o.ID()
	return id.Group == "" && id.Kind == "Namespace"
}

func newNamespace(name string) manifest.Object {
	return manifest.New(map[string]any{
		"apiVersion": "v1",
		"kind":       "Namespace",
		"metadata":   map[string]any{"name": name},
	})
}

// reasonAnnotation tells a reader why a namespace is privileged.
const reasonAnnotation = "gen.coldstart-gitops.github.io/privileged-for"

// labelled adds the level to a Namespace that states none.
func labelled(o manifest.Object, beyond []string) manifest.Object {
	if o.String("metadata", "labels", enforceLabel) != "" {
		return o
	}
	if len(beyond) == 0 {
		return o.Set(baseline, "metadata", "labels", enforceLabel)
	}
	o = o.Set(privileged, "metadata", "labels", enforceLabel)
	return o.Set(strings.Join(beyond, "; "), "metadata", "annotations", reasonAnnotation)
}

// beyondBaseline returns, for every namespace, the workloads that the baseline level refuses, sorted, each with its reasons.
func beyondBaseline(bundles []manifest.Bundle) map[string][]string {
	out := map[string][]string{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if reasons := needs.BeyondBaseline(o); len(reasons) > 0 {
				id := o.ID()
				out[id.Namespace] = append(out[id.Namespace], id.Kind+"/"+id.Name+": "+strings.Join(reasons, ", "))
			}
		}
	}
	for _, reasons := range out {
		slices.Sort(reasons)
	}
	return out
}
