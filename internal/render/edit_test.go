package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

const twoObjects = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: app, image: "app:1", args: [a]}
      - {name: side, image: "side:1"}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: web, namespace: other}
spec: {list: [{name: a}, {name: b}], keep: 1, big: 9007199254740993}
`

// place is where the model's changes of these tests stand.
func place(line int) environment.Origin {
	return environment.Origin{Layer: "environment lab", File: "lab.yaml", Line: line, Column: 3}
}

func deployment() environment.Selector {
	return environment.Selector{Group: "apps", Kind: "Deployment", Name: "web"}
}

func TestEdit(t *testing.T) {
	for name, test := range map[string]struct {
		patches []environment.Patch
		remove  []environment.Selector
		objects []manifest.Object
		kind    string
		path    []string
		want    any
	}{
		"strategic merge by name": {
			patches: []environment.Patch{{Target: deployment(), Merge: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"containers": []any{map[string]any{"name": "app", "image": "app:2", "tty": true}},
			}}}}}},
			kind: "Deployment", path: []string{"spec", "template", "spec", "containers"},
			want: []any{map[string]any{"name": "app", "image": "app:2", "args": []any{"a"}, "tty": true}, map[string]any{"name": "side", "image": "side:1"}},
		},
		"strategic directive": {
			patches: []environment.Patch{{Target: deployment(), Merge: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"containers": []any{map[string]any{"name": "side", "$patch": "delete"}},
			}}}}}},
			kind: "Deployment", path: []string{"spec", "template", "spec", "containers"},
			want: []any{map[string]any{"name": "app", "image": "app:1", "args": []any{"a"}}},
		},
		"merge of a custom kind replaces lists and keeps integers": {
			patches: []environment.Patch{{Target: environment.Selector{Kind: "Thing"}, Merge: map[string]any{"spec": map[string]any{"list": []any{map[string]any{"name": "c"}}, "keep": nil, "new": map[string]any{"a": nil, "b": 2}}}}},
			kind:    "Thing", path: []string{"spec"},
			want: map[string]any{"list": []any{map[string]any{"name": "c"}}, "big": int64(9007199254740993), "new": map[string]any{"b": int64(2)}},
		},
		"operations": {
			patches: []environment.Patch{{Target: environment.Selector{Kind: "Thing", Name: "w*", Namespace: "oth??"}, JSON: []any{
				map[string]any{"op": "replace", "path": "/spec/list/0/name", "value": "z"}, map[string]any{"op": "remove", "path": "/spec/keep"},
			}}},
			kind: "Thing", path: []string{"spec"},
			want: map[string]any{"list": []any{map[string]any{"name": "z"}, map[string]any{"name": "b"}}, "big": int64(9007199254740993)},
		},
		"patches in their order, also on what a patch renamed": {
			patches: []environment.Patch{
				{Target: deployment(), Merge: map[string]any{"metadata": map[string]any{"name": "next"}}},
				{Target: environment.Selector{Name: "next"}, Merge: map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}},
			},
			kind: "Deployment", path: []string{"metadata"}, want: map[string]any{"name": "next", "labels": map[string]any{"a": "b"}},
		},
		"the component's namespace selects objects that state none": {
			patches: []environment.Patch{{Target: environment.Selector{Namespace: "demo-system"}, Merge: map[string]any{"spec": map[string]any{"replicas": 3}}}},
			kind:    "Deployment", path: []string{"spec", "replicas"}, want: int64(3),
		},
		"removed":    {remove: []environment.Selector{{Version: "v1", Kind: "Thing"}}, kind: "Thing", want: map[string]any(nil)},
		"added last": {objects: []manifest.Object{manifest.New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "more"}})}, kind: "ConfigMap", path: []string{"metadata", "name"}, want: "more"},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput(twoObjects, "")
			in.Component.Patches, in.Component.Remove, in.Component.Objects = test.patches, test.remove, test.objects
			got, err := New().Render(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			var object manifest.Object
			for _, one := range got.Bundle.Objects {
				if one.ID().Kind == test.kind {
					object = one
				}
			}
			var value any = object.Fields()
			if test.path != nil {
				value = object.Get(test.path...)
			}
			if diff := cmp.Diff(test.want, value); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPatchesDoNotReachOtherRenders: documents are shared between renders, and a patch must work on a copy.
func TestPatchesDoNotReachOtherRenders(t *testing.T) {
	renderer := New()
	in := chartInput(twoObjects, "")
	plain, err := renderer.Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	before := emit(t, plain.Bundle)
	patched := in
	patched.Component.Patches = []environment.Patch{
		{Target: deployment(), Merge: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"hostNetwork": true}}}}},
		{Target: environment.Selector{Kind: "Thing"}, Merge: map[string]any{"spec": map[string]any{"keep": 2}}},
		{Target: environment.Selector{Kind: "Thing"}, JSON: []any{map[string]any{"op": "add", "path": "/spec/list/-", "value": 1}}},
	}
	other, err := renderer.Render(t.Context(), patched)
	if err != nil {
		t.Fatal(err)
	}
	if emit(t, other.Bundle) == before {
		t.Error("the patches changed nothing")
	}
	again, err := renderer.Render(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, emit(t, again.Bundle)); diff != "" {
		t.Errorf("another render's patches reached this one (-before +after):\n%s", diff)
	}
}

func TestEditErrors(t *testing.T) {
	selector := func(kind, name string, line int) environment.Selector {
		return environment.Selector{Kind: kind, Name: name, Origin: place(line)}
	}
	for name, test := range map[string]struct {
		patches []environment.Patch
		remove  []environment.Selector
		objects []manifest.Object
		want    string
	}{
		"nothing matches": {
			patches: []environment.Patch{{Target: selector("Deployment", "wep", 4), Origin: place(4)}, {Target: environment.Selector{Group: "none", Version: "v1", Namespace: "a", Name: "web"}, Origin: place(5)}},
			remove:  []environment.Selector{selector("Secret", "", 9)},
			want: `lab.yaml:4:3: patches: no object of component demo matches {kind: Deployment, name: wep}; of this kind there is Deployment.apps web
lab.yaml:5:3: patches: no object of component demo matches {group: none, version: v1, namespace: a, name: web}; of this name there is Deployment.apps web
lab.yaml:9:3: remove: no object of component demo matches {kind: Secret}`,
		},
		"operation fails": {
			patches: []environment.Patch{{Target: deployment(), JSON: []any{map[string]any{"op": "test", "path": "/kind", "value": "Pod"}}, Origin: place(4)}},
			want:    "lab.yaml:4:3: patch of Deployment.apps web: applying operations: testing value /kind failed: test failed",
		},
		"unknown operation": {
			patches: []environment.Patch{{Target: deployment(), JSON: []any{"x"}, Origin: place(4)}},
			want:    "lab.yaml:4:3: patch of Deployment.apps web: reading operations: json: cannot unmarshal string into Go value of type jsonpatch.Operation",
		},
		"merge fails": {
			patches: []environment.Patch{{Target: deployment(), Merge: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"image": "x"}}}}}}, Origin: place(4)}},
			want:    "lab.yaml:4:3: patch of Deployment.apps web: merging: map: map[image:x] does not contain declared merge key: name",
		},
		"all patched away": {
			patches: []environment.Patch{{Target: deployment(), Merge: map[string]any{"$patch": "delete"}, Origin: place(4)}},
			want:    "lab.yaml:4:3: patch of Deployment.apps web: merging: nothing is left of the object: use `remove`",
		},
		"name patched away": {
			patches: []environment.Patch{{Target: environment.Selector{Kind: "Thing"}, Merge: map[string]any{"metadata": nil}, Origin: place(4)}},
			want:    "demo/templates/all.yaml, document 2: metadata.name: missing: every object states it",
		},
		"added twice": {
			objects: []manifest.Object{manifest.New(map[string]any{"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "demo-system"}})},
			want:    "objects of component demo: Deployment.apps demo-system/web is rendered twice, here and by demo/templates/all.yaml, document 1: remove or rename one",
		},
		"added without a kind": {
			objects: []manifest.Object{manifest.New(map[string]any{"apiVersion": "v1", "metadata": map[string]any{"name": "x"}})},
			want:    "fleet.yaml:3:5: objects: kind: missing: every object states it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput(twoObjects, "")
			in.Component.Patches, in.Component.Remove, in.Component.Objects = test.patches, test.remove, test.objects
			_, err := New().Render(t.Context(), in)
			if diff := cmp.Diff(test.want, errorText(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
