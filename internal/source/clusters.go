package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// unlisted is why a generator that selects clusters generates nothing here.
const unlisted = "its clusters generator selects registered clusters by labels, and no Secret of such a one is in the folder: --clusters FILE says which there are (kubectl -n argocd get secret -l argocd.argoproj.io/secret-type=cluster -o yaml)"

// clusters returns the registered clusters that the generator selects, and where it selects none in particular the one that Argo CD runs in,
// too (argo-cd applicationset/generators/cluster.go, GenerateParams).
func (s *set) clusters(spec map[string]any) []params {
	s.loader.askedClusters = true
	selector := mapOf(spec["selector"])
	var out []params
	home := len(mapOf(selector["matchLabels"])) == 0 && selector["matchExpressions"] == nil
	for _, o := range s.loader.registered() {
		r, _ := argocd.Registers(o)
		home = home && r.Name != argocd.HomeName && r.Server != argocd.HomeServer
		if s.selected(selector, o.Map("metadata", "labels")) {
			out = append(out, s.clusterParams(r, o))
		}
	}
	if home {
		out = append(out, s.clusterParams(argocd.Registration{Name: argocd.HomeName, Server: argocd.HomeServer}, manifest.Object{}))
	}
	if len(out) == 0 && len(s.loader.tools.Clusters) == 0 {
		s.unlisted = true
	}
	for _, p := range out {
		s.values(spec, p)
	}
	if spec["flatList"] == true {
		list := make([]any, len(out))
		for i, p := range out {
			list[i] = map[string]any(p)
		}
		return []params{{"clusters": list}}
	}
	return out
}

// clusterParams returns what one cluster gives to the template.
func (s *set) clusterParams(r argocd.Registration, o manifest.Object) params {
	p := params{"name": r.Name, "nameNormalized": normalize(r.Name), "server": r.Server, "project": r.Project}
	meta := map[string]any{"labels": map[string]any{}, "annotations": map[string]any{}}
	for key := range meta {
		if stated := o.Map("metadata", key); stated != nil {
			meta[key] = stated
		}
	}
	if s.goText {
		p["metadata"] = meta
		return p
	}
	for key, fields := range meta {
		for name, value := range mapOf(fields) {
			p["metadata."+key+"."+name] = scalar(value)
		}
	}
	return p
}

// registered returns the Secrets of registered clusters, by name: those that were handed over, else those in the folder, but for what tools
// have rendered into others.
func (l *loader) registered() []manifest.Object {
	list := l.tools.Clusters
	if len(list) == 0 {
		for _, c := range l.clusters {
			if c.file == "" || l.byHand(c.file) {
				list = append(list, c.object)
			}
		}
	}
	byName := map[string]manifest.Object{}
	for _, o := range list {
		if r, ok := argocd.Registers(o); ok && r.Name != "" {
			byName[r.Name] = o
		}
	}
	var out []manifest.Object
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// clusterNotes says which clusters generators were told of.
func (l *loader) clusterNotes() {
	var names []string
	for _, o := range l.registered() {
		r, _ := argocd.Registers(o)
		names = append(names, r.Name)
	}
	if len(names) > 0 && len(l.tools.Clusters) == 0 && l.askedClusters {
		l.note("registered clusters are those of Secrets in the folder: %s; --clusters FILE names others", strings.Join(names, ", "))
	}
}
