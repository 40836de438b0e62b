package coldstart

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// need is one fact that an object waits for, and why.
type need struct {
	fact   needs.Fact
	why    string
	unless string // a given which says that the object does not need it after all; "" where that is certain
	hangs  bool   // without it nobody says anything of the object, whatever its controller says of other faults
}

// never is a fact that nothing provides.
func never(why string) needs.Fact { return needs.Fact{Type: "never", Name: why} }

func wants(fact needs.Fact, why string) need { return need{fact: fact, why: why} }

// refuses is the need of an object that cannot be, for a reason that nothing takes away.
func refuses(why string) need { return wants(never(why), why) }

// met reports whether a need is met by now, or is none after all.
func (w *world) met(k need) bool {
	return w.holds(k.fact) || w.waived(k)
}

// waived reports whether a given says that an object does not need what it may need.
func (w *world) waived(k need) bool { return k.unless != "" && w.givenText(k.unless) }

// holds reports whether a fact is true by now.
func (w *world) holds(fact needs.Fact) bool {
	if w.isGiven(fact) {
		return true
	}
	return slices.ContainsFunc(w.provided[fact], func(p provision) bool {
		return p.node.applied && (!p.healthy || p.node.well)
	})
}

// isGiven reports whether a fact holds from the start, and keeps in mind that it was asked for.
func (w *world) isGiven(fact needs.Fact) bool {
	text := fact.String()
	if fact.Cluster == "" && w.givenHome[text] {
		return true
	}
	if w.given[text] && (fact.Type != reachable || len(w.provided[fact]) == 0) {
		w.used[text] = true
		return true
	}
	return fact.Type == podsThere && fact.Name == "kube-system k8s-app=kube-dns" || fact.Kind == "ConfigMap" && fact.Name == "kube-root-ca.crt" || fact.Kind == "ServiceAccount" && fact.Name == "default" ||
		fact.Type == needs.Namespace && strings.HasPrefix(fact.Name, "kube-") && w.given["namespace "+fact.Name]
}
