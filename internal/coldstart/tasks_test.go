package coldstart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func objects(t *testing.T, documents string) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for document := range strings.SplitSeq(documents, "\n---\n") {
		list, _, err := manifest.Decode([]byte(document))
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		out = append(out, list...)
	}
	return out
}

// TestSteps states each step as "phase wave: objects". The order itself is compared with the engine's own in argoapi.
func TestSteps(t *testing.T) {
	namespaces := func(first, second string) string {
		in := func(kind, meta string) string {
			return "{apiVersion: v1, kind: " + kind + ", metadata: {" + meta + "}}"
		}
		wave := func(n string) string { return ", annotations: {argocd.argoproj.io/sync-wave: '" + n + "'}" }
		return strings.Join([]string{
			in("Namespace", "name: n1"+wave(first)), in("Namespace", "name: n2"+wave(second)), in("ConfigMap", "name: c1, namespace: n1"), in("ConfigMap", "name: c2, namespace: n2"),
		}, "\n---\n")
	}
	tests := map[string]struct {
		objects, extra string
		pruneLast      bool
		want           []string
	}{
		"nothing": {},
		"by kind, then by name, custom ones last": {
			objects: `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: z}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}`,
			want: []string{"Sync 0: ServiceAccount z, Deployment.apps a, Deployment.apps b, Widget.example.com a"},
		},
		"a Namespace is pulled to the first object in it, whatever its wave": {
			objects: `{apiVersion: v1, kind: Namespace, metadata: {name: team, annotations: {argocd.argoproj.io/sync-wave: "5"}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: team, annotations: {helm.sh/hook: pre-install}}}`,
			want: []string{"PreSync 0: Namespace team, Job.batch team/j", "Sync 0: Deployment.apps team/d"},
		},
		"another object of a namespace's name is not": {
			objects: `{apiVersion: v1, kind: Secret, metadata: {name: team, annotations: {argocd.argoproj.io/sync-wave: "5"}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: team}}
---
{apiVersion: example.com/v1, kind: Namespace, metadata: {name: team, annotations: {argocd.argoproj.io/sync-wave: "6"}}}`,
			want: []string{"Sync 0: Deployment.apps team/d", "Sync 5: Secret team", "Sync 6: Namespace.example.com team"},
		},
		"a CRD is pulled to the first object of its kind": {
			objects: `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, annotations: {argocd.argoproj.io/sync-wave: "-1"}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: example.com, names: {kind: Widget}}}`,
			want: []string{"Sync -1: CustomResourceDefinition.apiextensions.k8s.io c, Widget.example.com w"},
		},
		"what is merely called a CRD is not pulled": {
			objects: `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, annotations: {argocd.argoproj.io/sync-wave: "-1"}}}
---
{apiVersion: example.com/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: example.com, names: {kind: Widget}}}`,
			want: []string{"Sync -1: Widget.example.com w", "Sync 0: CustomResourceDefinition.example.com c"},
		},
		"a CRD that names no group is not pulled": {
			objects: `{apiVersion: v1, kind: ConfigMap, metadata: {name: w, annotations: {argocd.argoproj.io/sync-wave: "-1"}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {names: {kind: ConfigMap}}}`,
			want: []string{"Sync -1: ConfigMap w", "Sync 0: CustomResourceDefinition.apiextensions.k8s.io c"},
		},
		"a ServiceAccount is not pulled to the hook that uses it": {
			objects: `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {helm.sh/hook: pre-upgrade}}, spec: {template: {spec: {serviceAccountName: s}}}}`,
			want: []string{"PreSync 0: Job.batch j", "Sync 0: ServiceAccount s"},
		},
		"a hook of two phases, and a Helm test": {
			objects: `{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {argocd.argoproj.io/hook: "PostSync,PreSync"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {helm.sh/hook: test}}}`,
			want: []string{"PreSync 0: Job.batch j", "PostSync 0: Job.batch j"},
		},
		"prunes in reverse, their waves swapped": {
			extra: `{apiVersion: v1, kind: Secret, metadata: {name: first, annotations: {argocd.argoproj.io/sync-wave: "1"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: last, annotations: {argocd.argoproj.io/sync-wave: "7"}}}`,
			want: []string{"Sync 1: -Secret last", "Sync 7: -Secret first"},
		},
		"hooks are not pruned": {
			extra: `{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {argocd.argoproj.io/hook: PreSync}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: old}}`,
			want: []string{"Sync 0: -Secret old"},
		},
		"one is pruned last, behind the waves of its phase alone": {
			objects: `{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {argocd.argoproj.io/sync-wave: "3"}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/sync-wave: "9"}}}`,
			extra: `{apiVersion: v1, kind: Secret, metadata: {name: old, annotations: {argocd.argoproj.io/sync-options: PruneLast=true}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: older}}`,
			want: []string{"Sync 0: -Secret older", "Sync 3: Secret s", "Sync 4: -Secret old", "PostSync 9: Job.batch j"},
		},
		"what is pruned pulls nothing": {
			objects: `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: example.com, names: {kind: Widget}}}`,
			extra:   `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, annotations: {argocd.argoproj.io/sync-wave: "-1"}}}`,
			want:    []string{"Sync -1: -Widget.example.com w", "Sync 0: CustomResourceDefinition.apiextensions.k8s.io c"},
		},
		"a CRD of whose kind there is nothing stays": {
			objects: `{apiVersion: v1, kind: ConfigMap, metadata: {name: first, annotations: {argocd.argoproj.io/sync-wave: "-1"}}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: example.com, names: {kind: Widget}}}`,
			want: []string{"Sync -1: ConfigMap first", "Sync 0: CustomResourceDefinition.apiextensions.k8s.io c"},
		},
		"of two namespaces each is pulled to what lives in it": {
			objects: namespaces("1", "2"), want: []string{"Sync 0: Namespace n1, ConfigMap n1/c1, Namespace n2, ConfigMap n2/c2"},
		},
		"the other one first": {
			objects: namespaces("2", "1"), want: []string{"Sync 0: Namespace n1, ConfigMap n1/c1, Namespace n2, ConfigMap n2/c2"},
		},
		"prunes last": {
			objects:   `{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {argocd.argoproj.io/sync-wave: "3"}}}`,
			extra:     `{apiVersion: v1, kind: Secret, metadata: {name: old}}`,
			pruneLast: true,
			want:      []string{"Sync 3: Secret s", "Sync 4: -Secret old"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sync := Sync{Namespace: "dest", PruneLast: tt.pruneLast}
			if tt.objects != "" {
				sync.Objects = objects(t, tt.objects)
			}
			if tt.extra != "" {
				sync.Extra = objects(t, tt.extra)
			}
			var got []string
			for _, step := range Steps(sync.Tasks()) {
				var names []string
				for _, task := range step.Tasks {
					sign := ""
					if task.Prune {
						sign = "-"
					}
					names = append(names, sign+task.Object.ID().String())
				}
				got = append(got, fmt.Sprintf("%s %d: %s", step.Phase, step.Wave, strings.Join(names, ", ")))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
