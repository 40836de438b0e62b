package coldstart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// cluster is a cluster as Argo CD knows it. A half that nobody states is empty.
type cluster struct{ server, name string }

// home is the cluster that Argo CD runs in.
var home = cluster{argocd.HomeServer, argocd.HomeName}

// registration is the fact that Argo CD knows the cluster Name, by its name or its address.
const registration needs.Type = "cluster"

// registered is a Secret that makes a cluster known to Argo CD.
type registered struct {
	cluster
	secret manifest.ID
}

// registrations returns the clusters that Secrets register: those among the objects, and those that are there before the start.
func (w *world) registrations() []registered {
	var list []registered
	for _, a := range w.in.Applications {
		for _, o := range a.Objects {
			r, ok := argocd.Registers(o)
			if !ok {
				continue
			}
			id := o.ID()
			id.Namespace = cmp.Or(id.Namespace, a.Object.String("spec", "destination", "namespace"))
			list = append(list, registered{cluster{r.Server, r.Name}, id})
		}
	}
	for _, o := range w.in.Clusters {
		if r, ok := argocd.Registers(o); ok {
			list = append(list, registered{cluster{r.Server, r.Name}, manifest.ID{}})
		}
	}
	return list
}

// destination returns the cluster that an Application writes to (argo-cd util/argo, GetDestinationCluster), and the Secret that
// registers it, where one is among the objects and needed: Argo CD knows its own cluster by its address without any. Where nobody is
// known to register it, it does not count as known.
func (w *world) destination(application manifest.Object) (to registered, known bool) {
	wanted := cluster{strings.TrimRight(application.String("spec", "destination", "server"), "/"), application.String("spec", "destination", "name")}
	if wanted == (cluster{}) {
		return registered{cluster: home}, true
	}
	for _, r := range w.clusters {
		if wanted.server != "" && strings.TrimRight(r.server, "/") == wanted.server || wanted.server == "" && r.name == wanted.name {
			if strings.TrimRight(r.server, "/") == home.server && (wanted.server != "" || wanted.name == home.name) {
				return registered{cluster: r.cluster}, true
			}
			return r, true
		}
	}
	if wanted.server == home.server || wanted.server == "" && wanted.name == home.name {
		return registered{cluster: home}, true
	}
	return registered{cluster: wanted}, false
}

// registrationNeed returns the need of an Application for a registration of the cluster that it writes to: without it no sync begins
// (argo-cd controller/appcontroller.go, refreshAppConditions: InvalidSpecError, "there are no clusters with this name").
func (w *world) registrationNeed(a *app) []need {
	const why = "goes to a cluster that a Secret makes known"
	switch fact := a.registration(); {
	case a.registered != (manifest.ID{}):
		id := a.registered
		return []need{wants(needs.Fact{Type: needs.Exists, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}, why)}
	case a.strange && (w.in.strict || w.isGiven(fact)):
		return []need{wants(fact, why)}
	}
	return nil
}

// registration is the fact that the cluster of an Application is registered.
func (a *app) registration() needs.Fact {
	return named(registration, "", cmp.Or(a.cluster.server, a.cluster.name))
}

// strangers reports whether an Application goes to a cluster that nobody is known to register.
func (w *world) strangers() bool {
	return slices.ContainsFunc(w.apps, func(a *app) bool { return a.strange && !w.isGiven(a.registration()) })
}

// strangerNote says what is taken for granted of the cluster that an Application goes to.
func (w *world) strangerNote(a *app) []string {
	if !a.strange || w.in.strict || w.isGiven(a.registration()) {
		return nil
	}
	return []string{"taken for granted, since the end is bad even so: " + a.registration().String()}
}

// key tells a cluster from others: "" is the one that Argo CD runs in. A cluster that one Application names by its address, another by
// its name, and no Secret among the objects by both, counts as two.
func (c cluster) key() string {
	if c.server == home.server {
		return ""
	}
	if c.server != "" {
		return c.server
	}
	return c.name
}

// anywhere stands for every cluster where objects are looked up.
const anywhere = "*"

// key makes a text one about the cluster of an object.
func (n *node) key(text string) string { return keyOn(n.app.on, text) }

func keyOn(on, text string) string {
	if on == "" {
		return text
	}
	return on + "|" + text
}

// onCluster says of a fact on which cluster it would have to be, where that is not Argo CD's own.
func onCluster(fact needs.Fact) string {
	if fact.Cluster == "" {
		return ""
	}
	return " on " + fact.Cluster
}

// here makes a fact one about the cluster of an object. Hosts are the same for all of them.
func (n *node) here(fact needs.Fact) needs.Fact {
	if fact.Type != reachable {
		fact.Cluster = n.app.on
	}
	return fact
}

// localize makes the needs of an object ones about its cluster.
func (n *node) localize(list []need) {
	if n.app.on == "" {
		return
	}
	for i, k := range list {
		list[i].fact = n.here(k.fact)
	}
}

// String names a cluster as reports do.
func (c cluster) String() string {
	if c.name != "" {
		return c.name
	}
	return c.server
}
