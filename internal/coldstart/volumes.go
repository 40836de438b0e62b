package coldstart

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// volumesOn returns the PersistentVolumes among the objects of a cluster, smallest first, each name once.
func (w *world) volumesOn(on string) []*node {
	if list, known := w.volumes[on]; known {
		return list
	}
	list := slices.Clone(w.ofKind(on, "", "PersistentVolume"))
	slices.SortStableFunc(list, func(a, b *node) int {
		return cmp.Or(capacity(a).Cmp(*capacity(b)), cmp.Compare(a.id.Name, b.id.Name))
	})
	w.volumes[on] = slices.CompactFunc(list, func(a, b *node) bool { return a.id.Name == b.id.Name })
	return w.volumes[on]
}

func capacity(pv *node) *resource.Quantity {
	return size(pv.task.Object.Get("spec", "capacity", "storage"))
}

func size(value any) *resource.Quantity {
	if q := quantity(value); q != nil {
		return q
	}
	return &resource.Quantity{}
}

// fit finds the volumes that a claim may be bound to. Those that are kept for it come before all others.
func (w *world) fit(c *claim) {
	var kept []*node
	for _, pv := range w.volumesOn(c.node.app.on) {
		why, own := misfit(c, pv.task.Object)
		switch {
		case why != "":
			c.misses = append(c.misses, pv.id.Name+" "+why)
		case own:
			kept = append(kept, pv)
		default:
			c.fits = append(c.fits, pv)
		}
	}
	if len(kept) > 0 {
		c.fits, c.reserved = kept, true
	}
	var group strings.Builder
	group.WriteString(c.node.app.on)
	for _, pv := range c.fits {
		group.WriteString(" " + pv.id.Name)
	}
	c.group = group.String()
}

// misfit says why a volume is not for a claim; own says of one that is that it is kept for it (kubernetes
// pkg/controller/volume/persistentvolume/pv_controller.go, syncUnboundClaim and checkVolumeSatisfyClaim; component-helpers/storage/volume/pv_helpers.go,
// FindMatchingVolume).
func misfit(c *claim, pv manifest.Object) (why string, own bool) {
	spec := c.object
	wanted, keeper := spec.String("spec", "volumeName"), pv.String("spec", "claimRef", "name")
	own = keeper == c.name && pv.String("spec", "claimRef", "namespace") == c.namespace
	request, room := size(spec.Get("spec", "resources", "requests", "storage")), size(pv.Get("spec", "capacity", "storage"))
	selector := spec.Map("spec", "selector")
	switch {
	case wanted != "" && wanted != pv.ID().Name:
		return "is not the volume that it names", false
	case keeper != "" && pv.String("spec", "claimRef", "uid") != "":
		return "belonged to a claim that is no more (its claimRef bears a uid)", false
	case keeper != "" && !own:
		return "is kept for " + pv.String("spec", "claimRef", "namespace") + "/" + keeper + " (claimRef)", false
	case own && wanted != "":
		return "", true
	case room.Cmp(*request) < 0:
		return "is too small (" + room.String() + ")", false
	case cmp.Or(spec.String("spec", "volumeMode"), "Filesystem") != cmp.Or(pv.String("spec", "volumeMode"), "Filesystem"):
		return "is of another volumeMode", false
	case !contains(textsOf(pv.Fields(), "spec", "accessModes"), textsOf(spec.Fields(), "spec", "accessModes")):
		return "has not all the accessModes", false
	case own:
		return "", true
	case cmp.Or(pv.Annotation(betaClass), pv.String("spec", "storageClassName")) != c.class:
		return "is of class " + strconv.Quote(cmp.Or(pv.Annotation(betaClass), pv.String("spec", "storageClassName"))), false
	case wanted == "" && len(selector) > 0 && !matchesSelector(selector, pv.Map("metadata", "labels")):
		return "bears other labels than its selector asks for", false
	}
	return "", false
}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// served returns what a claim needs that is bound to a volume which somebody made: one that fits is there. A volume serves one claim:
// where others may take some of those that fit first, one more than they can take.
func (w *world) served(c *claim) []need {
	k := wants(named(volume, c.namespace, c.name), "claims a volume that somebody made")
	if w.isGiven(c.node.here(k.fact)) {
		return []need{k}
	}
	if w.makesAny[c.node.key(string(volume))] && c.class != "" {
		k.unless = k.fact.String() // who makes volumes may make this one
	}
	rivals := w.rivals(c)
	switch {
	case len(c.fits) == 0:
		k.why += w.noneFits(c)
		return []need{k}
	case len(rivals) >= len(c.fits):
		k.why += ", and " + named("", rivals[0].namespace, rivals[0].name).Name + " may be given " + namesOf(c.fits) + " first: a volume serves one claim"
		return []need{k}
	case len(rivals) == 0:
		for _, pv := range c.fits {
			w.provide(k.fact, pv, false)
		}
		return []need{k}
	}
	var list []need
	for _, pv := range w.soonest(c)[:len(rivals)+1] {
		list = append(list, wants(needs.Fact{Type: needs.Exists, Kind: "PersistentVolume", Name: pv.id.Name}, k.why+", of which other claims may be given some first"))
	}
	return list
}

// soonest returns the volumes that fit a claim, those first that are there before it.
func (w *world) soonest(c *claim) []*node {
	list := slices.Clone(c.fits)
	late := func(pv *node) int {
		switch {
		case pv.app.in.Bootstrap:
			return -1
		case w.stands(pv, c.node):
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *node) int { return cmp.Or(cmp.Compare(late(a), late(b)), cmp.Compare(a.step, b.step)) })
	return list
}

// noneFits says that no volume is for a claim, and why those that there are are not.
func (w *world) noneFits(c *claim) string {
	if len(c.misses) == 0 {
		return ", and there is none"
	}
	misses := c.misses
	if wanted := c.object.String("spec", "volumeName"); wanted != "" {
		misses = slices.DeleteFunc(slices.Clone(misses), func(text string) bool { return !strings.HasPrefix(text, wanted+" ") })
	}
	more := ""
	if len(misses) > 3 {
		misses, more = misses[:3], "; …"
	}
	return ", and none fits (" + strings.Join(misses, "; ") + more + ")"
}

func namesOf(volumes []*node) string {
	var names []string
	for _, pv := range volumes {
		names = append(names, pv.id.Name)
	}
	return strings.Join(names, ", ")
}

// rivals returns the claims that may be given a volume which fits a claim, before that claim is bound.
func (w *world) rivals(c *claim) []*claim {
	var list []*claim
	for _, group := range w.groups[c.node.app.on] {
		if len(c.fits) == 0 || !w.wouldTake(group, c.group) {
			continue
		}
		for _, r := range w.fitted[group] {
			if r != c && (r.node == c.node || w.mayHold(r.node, c.node)) {
				list = append(list, r)
			}
		}
	}
	return list
}

// wouldTake reports whether a claim of one group may be given a volume that fits those of another.
func (w *world) wouldTake(taker, group string) bool {
	if _, known := w.takes[taker]; !known {
		w.takes[taker] = w.mayTake(taker)
	}
	return slices.ContainsFunc(w.fitted[group][0].fits, func(pv *node) bool { return w.takes[taker][pv] })
}

// mayTake returns the volumes that a claim of a group may be given. It is given the smallest that is left (FindMatchingVolume): a larger
// one only where there are enough other claims for all that are smaller.
func (w *world) mayTake(group string) map[*node]bool {
	fits, at := w.fitted[group][0].fits, map[*node]int{}
	for i, pv := range fits {
		at[pv] = i
	}
	asked := make([]int, len(fits)) // by how many other claims, for the first time in the order of fits
	for _, name := range w.groups[w.fitted[group][0].node.app.on] {
		first := len(fits)
		for _, pv := range w.fitted[name][0].fits {
			if i, ok := at[pv]; ok {
				first = min(first, i)
			}
		}
		if first < len(fits) {
			asked[first] += len(w.fitted[name])
		}
	}
	asked[0]-- // by itself
	taken, may, smaller, others := map[*node]bool{}, 0, 0, 0
	for i, pv := range fits {
		if may += asked[i]; i == 0 || capacity(pv).Cmp(*capacity(fits[i-1])) > 0 {
			smaller, others = i, may-asked[i]
		}
		taken[pv] = smaller <= others
	}
	return taken
}
