package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
)

func scoped(c component.Component, scopes map[string]string) component.Component {
	c.Scopes = scopes
	return c
}

const widgetCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget}}`

func TestNamespaces(t *testing.T) {
	tests := map[string]struct {
		components []component.Component
		bundles    []string
		want       string
		notices    []string
		err        string
	}{
		"filled where it is missing, left where it is stated": {
			bundles: []string{"a", `{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: kube-system}}`},
			want: `# a
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
  namespace: a
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: two
  namespace: kube-system
`,
		},
		"dropped from cluster-scoped objects, subjects of bindings untouched": {
			bundles: []string{"a", `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: one, namespace: a}
subjects: [{kind: ServiceAccount, name: s, namespace: elsewhere}]`},
			want: `# a
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: one
subjects:
- kind: ServiceAccount
  name: s
  namespace: elsewhere
`,
			notices: []string{"a: ClusterRoleBinding.rbac.authorization.k8s.io a/one: is cluster-scoped; its namespace is dropped, as the API server would do"},
		},
		"scope from a CRD of another component": {
			bundles: []string{"a", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}`, "crds", widgetCRD},
			want: `# a
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  namespace: a
# crds
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names:
    kind: Widget
  scope: Namespaced
`,
		},
		"scope from the component, then from another one": {
			components: []component.Component{
				scoped(comp("a"), map[string]string{"Gadget.example.com": "Cluster"}),
				scoped(comp("b"), map[string]string{"Gadget.example.com": "Namespaced", "Widget.example.com": "Namespaced"}),
			},
			bundles: []string{"a", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
---
{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}`},
			want: `# a
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  namespace: a
---
apiVersion: example.com/v1
kind: Gadget
metadata:
  name: g
`,
		},
		"unknown scopes and missing namespaces, all at once": {
			components: []component.Component{{Name: "a"}, comp("b")},
			bundles: []string{"a", `{apiVersion: v1, kind: Secret, metadata: {name: s}}`, "b", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: v}}`},
			err: ": components.a.namespace: missing: Secret s names no namespace either\n" +
				"lab.yaml:3:5: components.b.scopes: Widget.example.com w: whether a Widget lives in a namespace is unknown, no CRD of this environment says it; add `scopes: {Widget.example.com: Namespaced}` or `Cluster`",
		},
		"one object of two components, and twice in one": {
			bundles: []string{
				"a", "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: x}}",
				"b", "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: x}}",
				"x", "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j}}\n---\n{apiVersion: batch/v1beta1, kind: Job, metadata: {name: j}}",
			},
			err: "placing objects: ConfigMap x/one is written by components a, b and x; take it out of all but one, with `remove` or in the values\n" +
				"placing objects: Job.batch x/j stands 2 times in component x; take one out with `remove`, or switch it off in the values",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := bundles(t, tt.bundles...)
			before := emit(t, in)
			if tt.components == nil {
				tt.components = componentsOf(in)
			}
			out, notices, err := Namespaces(tt.components, in)
			diff(t, "error", tt.err, text(err))
			if tt.err == "" {
				diff(t, "bundles", tt.want, emit(t, out))
			}
			var got []string
			for _, n := range notices {
				got = append(got, n.String())
			}
			if d := cmp.Diff(tt.notices, got); d != "" {
				t.Errorf("notices (-want +got):\n%s", d)
			}
			diff(t, "input, which must stay as it was", before, emit(t, in))
		})
	}
}

func TestKeep(t *testing.T) {
	in := bundles(t, "a", `{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, annotations: {argocd.argoproj.io/sync-options: "Prune=true, Replace=true"}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, annotations: null}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: example.com/v1, kind: Namespace, metadata: {name: other}}`)
	before := emit(t, in)
	out := Keep(nil, in)
	diff(t, "objects", `# a
apiVersion: v1
kind: Namespace
metadata:
  annotations:
    argocd.argoproj.io/compare-options: IgnoreExtraneous
    argocd.argoproj.io/sync-options: Delete=false,Prune=false
  name: team
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  annotations:
    argocd.argoproj.io/sync-options: Delete=false,Prune=true,Replace=true
  name: p
---
apiVersion: v1
kind: PersistentVolume
metadata:
  annotations:
    argocd.argoproj.io/compare-options: IgnoreExtraneous
    argocd.argoproj.io/sync-options: Delete=false,Prune=false
  name: v
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
---
apiVersion: example.com/v1
kind: Namespace
metadata:
  name: other
`, emit(t, out))
	diff(t, "input, which must stay as it was", before, emit(t, in))
}

// A component that is to go with everything keeps the namespaces that others live in, and CRDs, which Argo CD deletes with no Application.
func TestKeepWhatOthersUse(t *testing.T) {
	a := bundles(t, "a", `{apiVersion: v1, kind: Namespace, metadata: {name: shared}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: own}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: own}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: cats.example.com}, spec: {group: example.com, names: {kind: Cat}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: dogs.example.com}, spec: {group: example.com, names: {kind: Dog}}}`)
	b := bundles(t, "b", `{apiVersion: example.com/v1, kind: Cat, metadata: {name: tom, namespace: shared}}`)
	out := Keep([]component.Component{{Name: "a", Removal: "everything"}, {Name: "b"}}, append(a, b...))
	var got []string
	for _, o := range out[0].Objects {
		if len(argocd.SyncOptions(o)) > 0 {
			got = append(got, o.ID().Name)
		}
	}
	if d := cmp.Diff([]string{"shared", "cats.example.com", "dogs.example.com"}, got); d != "" {
		t.Errorf("kept (-want +got):\n%s", d)
	}
}
