package coldstart

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// Facts that only the simulation knows, besides those of package needs.
const (
	controller  needs.Type = "controller"      // somebody reconciles the kind Name
	endpoints   needs.Type = "endpoints"       // the Service Namespace/Name has ready endpoints
	consumer    needs.Type = "consumer"        // a pod mounts the claim
	addressOf   needs.Type = "address"         // the Service has its address
	ingressRule            = "ingress-class"   // replaced by publisher
	webhookRule            = "webhook-answers" // replaced by webhook
	storageRule            = "storage-class"   // replaced by stored
	publishes              = "ingress-address" // somebody writes addresses into Ingresses
)

const (
	crd          = "CustomResourceDefinition"
	clientLimit  = 262144 // bytes of an annotation, Kubernetes' limit; a client-side apply stores the object in one
	externalSecs = "external-secrets.io"
)

func named(t needs.Type, namespace, name string) needs.Fact {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return needs.Fact{Type: t, Name: name}
}

// require fills in what an object waits for: by the rules of package needs, and by what only a whole cluster tells.
func (w *world) require(n *node) {
	o := n.task.Object
	for _, k := range needs.Of(o) {
		switch {
		case k.Rule.Name == ingressRule || k.Rule.Name == webhookRule || k.Rule.Name == storageRule:
		case k.Rule.Stage == needs.Apply:
			if k.Fact.Type != needs.Namespace || !w.makesNamespace(n.app, k.Fact.Name) {
				n.apply = append(n.apply, wants(k.Fact, k.Rule.Reason))
			}
		case k.Fact.Name == needs.Addresses && k.Fact.Type == needs.Ability:
			n.healthy = append(n.healthy, w.addressed(n, n, wants(k.Fact, k.Rule.Reason)))
		default:
			n.healthy = append(n.healthy, need{fact: k.Fact, why: k.Rule.Reason, hangs: silentWithout(k.Rule.Name)})
		}
	}
	if n.unlike = cmp.Or(dropped(n.app, o), completed(n), w.defaulted(n), normalized(n)); n.unlike == "" {
		n.unlike, n.rival = w.rewritten(n)
	}
	n.unserved = w.notServed(n)
	for _, why := range append(w.unfit(n), refusedAsIs(n), nameless(o), n.unserved, tooLarge(n), w.malformed(o)) {
		if why != "" {
			n.apply = append(n.apply, refuses(why))
		}
	}
	if none(o) {
		n.healthy = nil
	}
	if why := halted(o, w.in.Version); why != "" {
		n.healthy = append(n.healthy, refuses(why))
	}
	n.healthy = append(n.healthy, w.ownNeeds(n)...)
	w.endure(n)
	n.localize(n.apply)
	n.localize(n.healthy)
	n.apply, n.healthy = append(n.apply, w.unmanned(n, n.apply)...), append(n.healthy, w.unmanned(n, n.healthy)...)
	w.vanish(n, n.apply, false)
	w.vanish(n, n.healthy, n.outlives())
}

// makesNamespace reports whether the sync makes the namespace by itself.
func (w *world) makesNamespace(a *app, name string) bool {
	return a.option("CreateNamespace=true") && a.in.Object.String("spec", "destination", "namespace") == name
}

// nameless says why an object that leaves its name to the API server cannot be applied. A hook can: Argo CD names it itself
// (gitops-engine pkg/sync/sync_context.go, getSyncTasks). Seen with knative's clean-up Job.
func nameless(o manifest.Object) string {
	if o.ID().Name != "" || o.String("metadata", "generateName") == "" || argocd.IsHook(o) || slices.Contains(argocd.SyncOptions(o), "Replace=true") {
		return ""
	}
	return "has a generateName and no name, which no apply takes: give it a name, or make it a hook"
}

// serverSide reports whether Argo CD applies the object on the server.
func (n *node) serverSide() bool {
	own := argocd.SyncOptions(n.task.Object)
	return n.app.option(argocd.ServerSide) && !slices.Contains(own, "ServerSideApply=false") || slices.Contains(own, argocd.ServerSide)
}

// tooLarge says why an object cannot be applied by the client.
func tooLarge(n *node) string {
	o := n.task.Object
	if n.app.in.Bootstrap || !mayBeLarge(o.Fields()) { // bootstrap applies on the server
		return ""
	}
	if n.serverSide() || slices.Contains(argocd.SyncOptions(o), "Replace=true") || n.app.option("Replace=true") {
		return ""
	}
	data, err := json.Marshal(o.Fields())
	if err != nil || len(data) <= clientLimit {
		return ""
	}
	return "is larger than a client-side apply can store (262144 bytes): it needs " + argocd.ServerSide
}

// mayBeLarge reports whether an object's JSON may pass the limit: most are so small that nothing need be written out to tell.
func mayBeLarge(fields map[string]any) bool { return weight(fields) > clientLimit/6 } // no letter takes more than six

func weight(at any) int {
	sum := 16 // a number, and what stands between values
	switch v := at.(type) {
	case string:
		sum += len(v)
	case []any:
		for _, item := range v {
			sum += weight(item)
		}
	case map[string]any:
		for key, item := range v {
			sum += len(key) + weight(item)
		}
	}
	return sum
}

// none reports whether a workload asks for no pods at all.
func none(o manifest.Object) bool {
	replicas, ok := o.Get("spec", "replicas").(int64)
	return ok && replicas == 0 && needs.PodSpec(o) != nil
}

// halted says why a workload never becomes healthy by its own wish.
func halted(o manifest.Object, version argocd.Version) string {
	id := o.ID()
	switch {
	case id.Kind == "Job" && o.Get("spec", "suspend") == true:
		return "is suspended, which a wave waits on for ever"
	case dotted(id) == "Workflow.argoproj.io" && o.Get("spec", "suspend") == true:
		return "is suspended, which a wave waits on for ever"
	case (id.Kind == "Deployment" || dotted(id) == "Rollout.argoproj.io") && o.Get("spec", "paused") == true:
		return "is paused, which a wave waits on for ever"
	case id.Kind == "Job" && podless(o) != "" && o.Get("spec", "completions") != int64(0):
		return "makes no pods (" + podless(o) + ") and never ends, which a wave waits on for ever"
	case id.Kind == "Job" && argocd.IsHook(o) && o.Get("spec", "ttlSecondsAfterFinished") == int64(0) && !version.Has(argocd.HookFinalizer):
		return "is deleted as it ends (ttlSecondsAfterFinished 0), before Argo CD sees that it has"
	}
	return ""
}

// ownNeeds returns what the health of an object waits for beyond the table of rules.
func (w *world) ownNeeds(n *node) []need {
	o, id := n.task.Object, n.id
	var list []need
	if reconciled(id) && (n.gate || isPool(id) || len(needs.Provided(o)) > 1 || needs.PodSpec(o) != nil) {
		list = append(list, need{fact: named(controller, "", dotted(id)), why: "is reconciled by a controller", hangs: isGatewayAPI(id)})
		for _, k := range w.idle(n) {
			k.hangs = isGatewayAPI(id)
			list = append(list, k)
		}
	}
	list = append(append(list, lent(n)...), w.stored(n)...)
	switch {
	case id.Group == "" && id.Kind == "PersistentVolumeClaim":
		list = append(list, w.consumed(n)...)
	case id.Group == "networking.k8s.io" && id.Kind == "Ingress":
		list = append(list, w.publisher(n)...)
	case id.Group == "apiregistration.k8s.io" && o.Map("spec", "service") != nil:
		list = append(list, wants(named(endpoints, o.String("spec", "service", "namespace"), o.String("spec", "service", "name")), "is answered by the pods of a Service"))
	}
	list = append(append(list, patched(n)...), w.nodeNeeds(o)...)
	list = slices.Concat(list, w.podKeys(n), w.equipment(n), w.podHosts(n), w.gatewayNeeds(n))
	return append(list, w.outside(n)...)
}

// reconciled reports whether a controller among the objects, or one that is given, must act on an object of a kind: all but those of
// Kubernetes and of Argo CD itself. Other kinds of group argoproj.io are those of Rollouts, Workflows and Events.
func reconciled(id manifest.ID) bool {
	return !manifest.Builtin(id.Group, id.Kind) && !slices.Contains([]string{"Application.argoproj.io", "ApplicationSet.argoproj.io", "AppProject.argoproj.io"}, dotted(id))
}

func dotted(id manifest.ID) string {
	if id.Group == "" {
		return id.Kind
	}
	return id.Kind + "." + id.Group
}

func isPool(id manifest.ID) bool {
	return id.Group == "cilium.io" && id.Kind == "CiliumLoadBalancerIPPool" || id.Group == "metallb.io" && id.Kind == "IPAddressPool"
}

func secretNeed(namespace, name string) need {
	return wants(needs.Fact{Type: needs.Exists, Kind: "Secret", Namespace: namespace, Name: name}, "logs in with a Secret")
}
