package coldstart

import (
	"slices"
	"strconv"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// volume is the fact that a PersistentVolume is there which the claim Namespace/Name may be bound to.
const volume needs.Type = "volume"

// byHand is the provisioner of classes whose volumes somebody makes (Kubernetes docs, Storage Classes, Local).
const byHand = "kubernetes.io/no-provisioner"

// claim is a PersistentVolumeClaim among the objects, or one that a StatefulSet makes.
type claim struct {
	node            *node // that waits for it
	object          manifest.Object
	namespace, name string
	class           string
	stated          bool     // it names its class, or the empty one
	fits            []*node  // the volumes among the objects that it may be bound to, smallest first
	reserved        bool     // they are kept for it (claimRef)
	group           string   // the same for claims that the same volumes fit
	misses          []string // why others do not fit
}

// storage is what is known of the claims and volumes of one cluster.
type storage struct {
	claims  map[*node][]*claim        // by what waits for them
	fitted  map[string][]*claim       // by group, those that some volume fits
	groups  map[string][]string       // the groups of a cluster
	volumes map[string][]*node        // of a cluster, smallest first
	takes   map[string]map[*node]bool // by group, what its claims may be given
}

// claimAll finds every claim and the volumes that fit it.
func (w *world) claimAll() {
	w.storage = storage{map[*node][]*claim{}, map[string][]*claim{}, map[string][]string{}, map[string][]*node{}, map[string]map[*node]bool{}}
	for _, n := range w.all {
		for _, c := range w.claimsOf(n) {
			w.claims[n] = append(w.claims[n], c)
			w.fit(c)
			if len(c.fits) == 0 {
				continue
			}
			if len(w.fitted[c.group]) == 0 {
				w.groups[n.app.on] = append(w.groups[n.app.on], c.group)
			}
			w.fitted[c.group] = append(w.fitted[c.group], c)
		}
	}
}

// claimsOf returns the claim that an object is, or those that a StatefulSet makes: one of every template for each of its pods, but for
// those which it adopts. Where there are more pods than volumes, no more claims are of interest.
func (w *world) claimsOf(n *node) []*claim {
	o := n.task.Object
	switch dotted(n.id) {
	case "PersistentVolumeClaim":
		return []*claim{w.newClaim(n, o, n.id.Name)}
	case "StatefulSet.apps": // one without pods makes none
	default:
		return nil
	}
	var list []*claim
	start, _ := o.Get("spec", "ordinals", "start").(int64)
	for _, template := range o.List("spec", "volumeClaimTemplates") {
		fields, _ := template.(map[string]any)
		made := manifest.New(fields)
		for i := range min(replicasOf(o), int64(len(w.volumesOn(n.app.on))+1)) {
			name := made.String("metadata", "name") + "-" + n.id.Name + "-" + strconv.FormatInt(start+i, 10)
			if !slices.ContainsFunc(w.called(n.app.on, "", "PersistentVolumeClaim", name), func(own *node) bool { return own.id.Namespace == n.id.Namespace }) {
				list = append(list, w.newClaim(n, made, name))
			}
		}
	}
	return list
}

func replicasOf(o manifest.Object) int64 {
	if replicas, stated := o.Get("spec", "replicas").(int64); stated {
		return replicas
	}
	return 1
}

// betaClass is the annotation that counts for a class before the field does (component-helpers/storage/volume, GetPersistentVolumeClaimClass).
const betaClass = "volume.beta.kubernetes.io/storage-class"

// newClaim reads a claim. One that names no class is of the default one, where that may be there before it: the API server writes the
// class into it (Kubernetes DefaultStorageClass admission).
func (w *world) newClaim(n *node, o manifest.Object, name string) *claim {
	c := &claim{node: n, object: o, namespace: n.id.Namespace, name: name}
	if c.class, c.stated = o.Get("spec", "storageClassName").(string); o.Annotation(betaClass) != "" {
		c.class, c.stated = o.Annotation(betaClass), true
	}
	if c.stated {
		return c
	}
	for _, class := range w.ofKind(n.app.on, "storage.k8s.io", "StorageClass") {
		if isDefault(class) && w.stands(class, n) {
			c.class = class.id.Name
		}
	}
	if c.class == "" && w.isGiven(n.here(c.classFact())) {
		c.class = needs.DefaultStorage + " that is given" // whose name nobody knows
	}
	return c
}

func isDefault(class *node) bool {
	return class.task.Object.Annotation("storageclass.kubernetes.io/is-default-class") == "true"
}

// classes returns the StorageClasses among the objects that a claim may mean: those of its name, or all that are the default.
func (w *world) classes(c *claim) []*node {
	var list []*node
	for _, class := range w.ofKind(c.node.app.on, "storage.k8s.io", "StorageClass") {
		if c.stated && class.id.Name == c.class || !c.stated && isDefault(class) {
			list = append(list, class)
		}
	}
	return list
}

// classFact is that the class of a claim is there.
func (c *claim) classFact() needs.Fact {
	if !c.stated {
		return needs.Fact{Type: needs.Ability, Name: needs.DefaultStorage}
	}
	return needs.Fact{Type: needs.Exists, Group: "storage.k8s.io", Kind: "StorageClass", Name: c.class}
}

// stored returns what a claim, or a StatefulSet, needs of storage: its class, or a volume that somebody made.
func (w *world) stored(n *node) []need {
	var list []need
	for _, c := range w.claims[n] {
		for _, k := range w.storedIn(c) {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

func (w *world) storedIn(c *claim) []need {
	wanted, classes, byClass := c.object.String("spec", "volumeName"), w.classes(c), wants(c.classFact(), "claims storage of a class")
	hand := slices.ContainsFunc(classes, func(class *node) bool { return class.task.Object.String("provisioner") == byHand })
	switch {
	case wanted != "":
		list := []need{wants(needs.Fact{Type: needs.Exists, Kind: "PersistentVolume", Name: wanted}, "claims a volume by name")}
		if len(w.called(c.node.app.on, "", "PersistentVolume", wanted)) > 0 && !c.reserved {
			list = append(list, w.served(c)...)
		}
		return list
	case hand:
		return append([]need{byClass}, w.served(c)...)
	case c.stated && c.class == "", len(classes) == 0 && len(c.fits) > 0 && !w.isGiven(c.node.here(c.classFact())): // the class of a volume need not exist
		return w.served(c)
	}
	return []need{byClass}
}
