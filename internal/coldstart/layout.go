package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// declaredScopes returns the scopes that the definitions among all objects state.
func (w *world) declaredScopes() map[string]manifest.Scope {
	var all []manifest.Object
	for _, a := range w.in.Applications {
		all = append(all, a.Objects...)
	}
	return manifest.DeclaredScopes(all)
}

// newApp lays out the steps of one Application.
func (w *world) newApp(in Application) *app {
	a := &app{in: in, name: in.Object.ID().Name, kinds: map[needs.Fact]bool{}}
	if a.isSet() {
		a.name = "ApplicationSet " + a.name
	}
	to, known := w.destination(in.Object)
	a.cluster, a.registered, a.strange = to.cluster, to.secret, !known
	a.on = a.cluster.key()
	a.disabled = w.in.Version.Has(argocd.AutomatedEnabled) && in.Object.Get("spec", "syncPolicy", "automated", "enabled") == false
	objects := w.targets(a)
	if a.onlyHooks(objects) {
		for _, o := range objects {
			a.idleHooks = append(a.idleHooks, o.ID())
		}
		objects = nil
	}
	for _, o := range objects {
		if !slices.ContainsFunc(argocd.Phases(o), func(p argocd.Phase) bool { return p != argocd.SyncFail }) {
			a.skipped = append(a.skipped, o)
		}
	}
	sync := Sync{Namespace: a.namespace(), Objects: objects, PruneLast: a.option("PruneLast=true")}
	a.steps = slices.DeleteFunc(Steps(sync.Tasks()), func(s Step) bool { return s.Phase == argocd.SyncFail })
	for i, s := range a.steps {
		var nodes []*node
		for _, t := range s.Tasks {
			n := &node{app: a, step: i, task: t, id: t.Object.ID(), hook: argocd.IsHook(t.Object)}
			nodes = append(nodes, n)
			w.all = append(w.all, n)
			a.bring(n)
		}
		a.nodes = append(a.nodes, nodes)
	}
	a.waitsLast = a.lastWaits()
	w.newMaker(a, objects)
	return a
}

// namespace is the destination's.
func (a *app) namespace() string { return a.in.Object.String("spec", "destination", "namespace") }

// targets returns the objects that count: excluded kinds are dropped, namespaces filled in or, from cluster-scoped objects, taken away,
// and of several with one identity the last is kept (argo-cd controller/state.go, DeduplicateTargetObjects: RepeatedResourceWarning).
func (w *world) targets(a *app) []manifest.Object {
	var objects []manifest.Object
	at := map[manifest.ID]int{}
	for _, o := range a.in.Objects {
		id := o.ID()
		if w.in.Filter.Overlooks(id.Group, id.Kind, a.cluster.server) {
			a.excluded = append(a.excluded, id)
			continue
		}
		o = placed(o, w.scope(id), a.namespace())
		id = o.ID()
		id.Version = ""
		if i, known := at[id]; known && id.Name != "" {
			a.repeated = append(a.repeated, objects[i].ID())
			objects[i] = o
			continue
		}
		at[id] = len(objects)
		objects = append(objects, o)
	}
	return objects
}

// placed returns an object in the namespace in which Argo CD looks for it.
func placed(o manifest.Object, scope manifest.Scope, destination string) manifest.Object {
	stated := o.ID().Namespace
	switch {
	case scope == manifest.Cluster && stated != "":
		return o.Edit(func(fields map[string]any) {
			if metadata, ok := fields["metadata"].(map[string]any); ok {
				delete(metadata, "namespace")
			}
		})
	case scope == manifest.Namespaced && stated == "" && destination != "":
		return o.Set(destination, "metadata", "namespace")
	}
	return o
}

// onlyHooks reports whether Argo CD never syncs an Application by itself since hooks are all that it has: hooks are not compared, so it
// is Synced from the start (argo-cd controller/appcontroller.go, autoSync; seen on Argo CD 3.2.11).
func (a *app) onlyHooks(objects []manifest.Object) bool {
	if a.in.Bootstrap || len(a.in.Unknown) > 0 || len(objects) == 0 || a.in.Object.Get("spec", "syncPolicy", "automated") == nil || a.disabled || a.namespaceStep() {
		return false
	}
	return !slices.ContainsFunc(objects, func(o manifest.Object) bool { return !argocd.IsHook(o) && len(argocd.Phases(o)) > 0 })
}

// newMaker adds the namespace that a sync makes by itself before it applies anything (gitops-engine pkg/sync/sync_context.go,
// autoCreateNamespace): it is there for other Applications, too. An Application without any object is Synced from the start, and makes
// none, unless the labels of its namespace are managed.
func (w *world) newMaker(a *app, objects []manifest.Object) {
	name := a.namespace()
	states := slices.ContainsFunc(objects, func(o manifest.Object) bool {
		id := o.ID()
		return id.Group == "" && id.Kind == "Namespace" && id.Name == name
	})
	if !a.option("CreateNamespace=true") || name == "" || states || len(a.steps) == 0 && len(a.in.Unknown) == 0 && !a.namespaceStep() {
		return
	}
	made := manifest.New(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	a.maker = &node{app: a, step: -1, task: Task{Phase: argocd.PreSync, Object: made}, id: made.ID()}
	w.all = append(w.all, a.maker)
}

// placeless says why Argo CD begins no sync: an object must live in a namespace, and neither it nor the Application names one
// (argo-cd controller/state.go, CompareAppState: "Namespace for … is missing"; controller/sync.go, SyncAppState).
func (w *world) placeless(n *node) string {
	if n.id.Namespace != "" || n.app.in.Bootstrap || w.scope(n.id) != manifest.Namespaced {
		return ""
	}
	return "must live in a namespace, and neither it nor the destination of its Application names one"
}

// layoutNotes says what of an Application's objects does not count.
func (a *app) layoutNotes() []string {
	var notes []string
	for _, id := range a.repeated {
		notes = append(notes, id.String()+" stands more than once among the objects: the last one counts (RepeatedResourceWarning)")
	}
	if len(a.idleHooks) > 0 {
		var names []string
		for _, id := range a.idleHooks {
			names = append(names, id.String())
		}
		notes = append(notes, "its hooks never run ("+strings.Join(names, ", ")+"): an Application of hooks alone is Synced from the start, and Argo CD never syncs it by itself")
	}
	return notes
}
