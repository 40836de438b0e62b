package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// settings returns what may cure an outcome in the Applications of its chain: that they are synced at all, and tried again.
func (w *world) settings(o Outcome) []change {
	var list []change
	for _, l := range o.Chain {
		a := w.spoken(l)
		switch {
		case a == nil:
		case a.disabled:
			list = append(list, small("drop syncPolicy.automated.enabled: false of Application "+a.name, a.in.Object.ID(), func(o manifest.Object) manifest.Object {
				return o.Set(true, "spec", "syncPolicy", "automated", "enabled")
			}))
		case !a.synced() && a.rolling == nil:
			list = append(list, small("state syncPolicy.automated in Application "+a.name, a.in.Object.ID(), func(o manifest.Object) manifest.Object {
				return o.Set(map[string]any{}, "spec", "syncPolicy", "automated")
			}))
		case a.spent() || strings.HasPrefix(o.Axiom, attemptsOf):
			list = append(list, small("state retry.limit -1 in Application "+a.name, a.in.Object.ID(), endless))
		}
	}
	return list
}

// options returns what may cure an object by itself: its sync options, the namespace that it lives in, the leave of its project.
func (w *world) options(n *node) []change {
	var list []change
	if n.applied {
		return resumed(n, w.in.Version)
	}
	if tooLarge(n) != "" {
		list = append(list, n.with(argocd.ServerSide))
	}
	for _, k := range n.apply {
		switch {
		case w.met(k):
		case k.fact.Type == needs.Kind && !w.skipsDryRun(n) && !n.app.brings(k.fact) && len(w.provided[k.fact]) > 0:
			list = append(list, n.with(argocd.SkipDryRun))
		case k.fact.Type == needs.Namespace && len(w.provided[k.fact]) == 0:
			list = append(list, n.app.makeNamespace(k.fact.Name)...)
		}
	}
	if n.banned != "" {
		list = append(list, w.allowing(n)...)
	}
	return list
}

// resumed takes out of an object by what it never becomes healthy, by its own words (halted).
func resumed(n *node, version argocd.Version) []change {
	if halted(n.task.Object, version) == "" {
		return nil
	}
	var list []change
	for _, field := range []string{"suspend", "paused", "ttlSecondsAfterFinished"} {
		if n.task.Object.Get("spec", field) != nil {
			list = append(list, small("drop spec."+field+" of "+n.id.String(), n.id, func(o manifest.Object) manifest.Object {
				return o.Edit(func(fields map[string]any) { delete(manifest.New(fields).Map("spec"), field) })
			}))
		}
	}
	return list
}

// with returns the change by which an object bears a sync option, and not its contrary.
func (n *node) with(option string) change {
	key, _, _ := strings.Cut(option, "=")
	contrary := key + "=false"
	text := "add " + option + " to " + n.id.String()
	if slices.Contains(argocd.SyncOptions(n.task.Object), contrary) {
		if text += " in place of " + contrary; n.app.option(option) {
			text = "drop " + contrary + " of " + n.id.String()
		}
	}
	return small(text, n.id, func(o manifest.Object) manifest.Object {
		stated := slices.DeleteFunc(argocd.SyncOptions(o), func(s string) bool { return s == contrary })
		return o.Set(strings.Join(argocd.MergeSyncOptions(stated, option), ","), "metadata", "annotations", argocd.SyncOptionsAnnotation)
	})
}

// makeNamespace returns the ways in which an Application brings a namespace that nobody brings.
func (a *app) makeNamespace(name string) []change {
	app := a.in.Object.ID()
	if a.namespace() == name && !a.option("CreateNamespace=true") {
		return []change{small("add CreateNamespace=true to the syncOptions of Application "+a.name, app, func(o manifest.Object) manifest.Object {
			return o.Set(append(slices.Clone(o.List("spec", "syncPolicy", "syncOptions")), "CreateNamespace=true"), "spec", "syncPolicy", "syncOptions")
		})}
	}
	made := manifest.New(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	return []change{{text: "add Namespace " + name + " to the objects of Application " + a.name, size: 1, added: map[manifest.ID]manifest.Object{app: made}}}
}

// allowing returns the change by which a project allows the kind of an object. What it forbids by name, and where it lets objects live,
// somebody meant.
func (w *world) allowing(n *node) []change {
	id := n.id
	if w.bansNamespace(n.app) != "" {
		id = manifest.ID{Kind: "Namespace", Name: n.app.namespace()}
	}
	scope := w.scope(id)
	p, namespaced := w.permitted(n.app), scope == manifest.Namespaced || scope == manifest.Unknown && id.Namespace != ""
	list, black := "clusterResourceWhitelist", "clusterResourceBlacklist"
	if namespaced {
		list, black = "namespaceResourceWhitelist", "namespaceResourceBlacklist"
	}
	if p.kind(id, namespaced) || p.listed(black, id, p.names && !namespaced) {
		return nil
	}
	entry := map[string]any{"group": id.Group, "kind": id.Kind}
	return []change{small("allow "+dotted(id)+" in "+list+" of AppProject "+p.name, p.object.ID(), func(o manifest.Object) manifest.Object {
		return o.Set(append(slices.Clone(o.List("spec", list)), any(entry)), "spec", list)
	})}
}
