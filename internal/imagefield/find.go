package imagefield

import (
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Options says what else names an image.
type Options struct {
	Hosts      []string // source hosts of the mirror map, as image.Rules.Hosts gives them; well-known public registries count always
	Registered []Kind   // further paths, beside the table's own
}

// Find returns every place of object that names an image, in the order of their paths. Kinds and fields that speak about images
// without pulling them are left out (see untouched).
func Find(object manifest.Object, options Options) []Hit {
	f := &finder{id: object.ID(), hosts: options.Hosts, claimed: map[string]bool{}}
	f.object(object.Fields(), options.Registered)
	return f.hits
}

// finder collects the hits of one object; what a surer tier has claimed is not looked at again.
type finder struct {
	id      manifest.ID
	hosts   []string        // beside the well-known ones
	claimed map[string]bool // by path.id
	scratch []byte          // of an id that is looked up
	hits    []Hit
}

// taken reports whether a surer tier has claimed the place.
func (f *finder) taken(at path) bool {
	if len(f.claimed) == 0 {
		return false
	}
	f.scratch = at.appendID(f.scratch[:0])
	return f.claimed[string(f.scratch)]
}

// sortedKeys appends the keys of a map to buffer, which lies on the stack of whoever asks, and sorts them.
func sortedKeys(buffer []string, fields map[string]any) []string {
	for key := range fields {
		buffer = append(buffer, key)
	}
	slices.Sort(buffer)
	return buffer
}

// object looks at one object, or at those in a List.
func (f *finder) object(fields map[string]any, extra []Kind) {
	if untouched(f.id.Group, f.id.Kind) {
		return
	}
	if items, ok := fields["items"].([]any); ok && strings.HasSuffix(f.id.Kind, "List") {
		for i, item := range items {
			f.listed(path{}.key("items").item(i, item), item, extra)
		}
		return
	}
	f.one(nil, fields, extra)
}

// listed looks at one item of a List, which may be a List itself.
func (f *finder) listed(at path, item any, extra []Kind) {
	fields, ok := item.(map[string]any)
	if !ok {
		return
	}
	id := manifest.New(fields).ID()
	if id.Kind == "" {
		id.Kind, id.Group, id.Version = strings.TrimSuffix(f.id.Kind, "List"), f.id.Group, f.id.Version
	}
	inner := &finder{id: id, hosts: f.hosts, claimed: map[string]bool{}}
	inner.object(fields, extra)
	for _, hit := range inner.hits {
		hit.at, hit.parts = slices.Concat(at, hit.at), slices.Concat(at, hit.parts)
		hit.Path = hit.at.String()
		f.hits = append(f.hits, hit)
	}
}

// one runs the three tiers over one object.
func (f *finder) one(at path, fields map[string]any, extra []Kind) {
	f.typed(at, fields)
	f.registered(at, fields, extra)
	f.injected(at, fields)
	f.values(at, fields, surroundings{})
	f.foreignValues()
	slices.SortStableFunc(f.hits, func(a, b Hit) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Start - b.Start
	})
}

// typed finds containers and image volumes at any depth, and every list of objects with name and image.
func (f *finder) typed(at path, value any) {
	switch v := value.(type) {
	case map[string]any:
		var buffer [16]string
		for _, key := range sortedKeys(buffer[:0], v) {
			if skipped(at, key) {
				continue
			}
			f.typed(at.key(key), v[key])
		}
	case []any:
		for i, item := range v {
			next := at.item(i, item)
			if fields, ok := item.(map[string]any); ok {
				f.listItem(at, next, fields)
			}
			f.typed(next, item)
		}
	}
}

// listItem claims the image of one container-like item.
func (f *finder) listItem(list, at path, fields map[string]any) {
	key := ""
	if len(list) > 0 {
		key = list[len(list)-1].key
	}
	if volume, ok := fields["image"].(map[string]any); ok && key == "volumes" {
		if reference, ok := volume["reference"].(string); ok {
			f.whole(Typed, at.key("image").key("reference"), reference)
		}
		return
	}
	image, ok := fields["image"].(string)
	_, named := fields["name"].(string)
	if ok && (named || containerKeys[key]) {
		f.whole(Typed, at.key("image"), image)
	}
}

// containerKeys are the lists of containers in a pod's specification.
var containerKeys = map[string]bool{"containers": true, "initContainers": true, "ephemeralContainers": true}

// whole claims a string that as a whole is, or should be, a reference.
func (f *finder) whole(tier Tier, at path, reference string) {
	if f.taken(at) {
		return
	}
	f.claimed[at.id()] = true
	hit := Hit{Object: f.id, Path: at.String(), Reference: reference, Tier: tier, End: len(reference), at: at.keep()}
	hit.Note = misunderstood(reference)
	hit.Rewritable = hit.Note == ""
	f.hits = append(f.hits, hit)
}

// misunderstood says why a string in an image's place is no reference, or nothing.
func misunderstood(reference string) string {
	switch {
	case reference == "":
		return "it is empty: whoever runs it fills it in"
	case reference == "auto":
		return "a placeholder that Istio's webhook fills in"
	case strings.ContainsAny(reference, "*{}$<>"):
		return "a pattern or template, no reference"
	case !valid(reference):
		return "it is not a valid reference"
	}
	return ""
}

// noTag is the note of a repository alone.
const noTag = "it names no tag: what is pulled is put together elsewhere"

// foreignValues makes hits in the values of another chart not rewritable: what that chart makes of them can only be seen in what it renders.
func (f *finder) foreignValues() {
	if !valueKinds[f.id.Group+"/"+f.id.Kind] {
		return
	}
	for i := range f.hits {
		f.hits[i].Rewritable = false
		f.hits[i].Note = "in the values of another chart, which may put it together with other values: look at what that chart renders"
	}
}

// valueKinds hold values of charts that somebody else renders.
var valueKinds = map[string]bool{
	"argoproj.io/Application": true, "argoproj.io/ApplicationSet": true, "helm.toolkit.fluxcd.io/HelmRelease": true, "helm.cattle.io/HelmChart": true,
	"helm.cattle.io/HelmChartConfig": true,
}
