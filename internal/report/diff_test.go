package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/tree"
)

// object texts are flow YAML: what a reviewer is told of the step from one to the other.
func TestSummary(t *testing.T) {
	const deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a}, spec: {selector: {app: x}, template: {spec: {containers: [{name: c, image: %}]}}}}"
	digest := "@sha256:" + strings.Repeat("a", 64)
	image := func(ref string) string { return strings.Replace(deployment, "%", ref, 1) }
	job := func(ref, annotations string) string {
		return "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: a, annotations: {" + annotations + "}}, spec: {template: {spec: {containers: [{name: c, image: " + ref + "}]}}}}"
	}
	tests := map[string]struct {
		before, after string
		want          []string // lines of the summary after the counts
	}{
		"a new image restarts": {image("q.io/a:1"), image("q.io/a:2"), []string{
			"images", "  + q.io/a:2  (lab)", "  - q.io/a:1  (lab)", "restarts", "  Deployment.apps a/web: its pods restart  (lab)",
		}},
		"another name of the same bytes restarts once": {image("q.io/a:1" + digest), image("m.io/q/a:1" + digest), []string{
			"images", "  + m.io/q/a:1" + digest + "  (lab)", "  - q.io/a:1" + digest + "  (lab)",
			"restarts", "  Deployment.apps a/web: its pods restart once, on images of the same digest by another name  (lab)",
		}},
		"labels of a Deployment restart nothing": {image("q.io/a:1"), strings.Replace(image("q.io/a:1"), "name: web", "name: web, labels: {a: b}", 1), nil},
		"a selector cannot change": {image("q.io/a:1"), strings.Replace(image("q.io/a:1"), "app: x", "app: z", 1), []string{
			"fields that cannot change", "! Deployment.apps a/web: spec.selector cannot change: the sync fails until the object is deleted by hand, has another name, or has the sync options Force=true,Replace=true  (lab)",
		}},
		"a plain Job cannot change": {job("q.io/a:1", ""), job("q.io/a:2", ""), []string{
			"fields that cannot change", "! Job.batch a/j: spec.template cannot change: the sync fails until the object is deleted by hand, has another name, or has the sync options Force=true,Replace=true  (lab)",
			"images", "  + q.io/a:2  (lab)", "  - q.io/a:1  (lab)",
		}},
		"a Job that is replaced": {
			job("q.io/a:1", ""), job("q.io/a:2", `argocd.argoproj.io/sync-options: "Force=true,Replace=true"`),
			[]string{
				"fields that cannot change", "  Job.batch a/j: is deleted and made anew (Force and Replace), since it cannot change spec.template  (lab)",
				"images", "  + q.io/a:2  (lab)", "  - q.io/a:1  (lab)",
			},
		},
		"a hook is made anew": {job("q.io/a:1", ""), job("q.io/a:2", "argocd.argoproj.io/hook: Sync"), []string{
			"images", "  + q.io/a:2  (lab)", "  - q.io/a:1  (lab)",
		}},
		"a StatefulSet takes some": {
			"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: a}, spec: {replicas: 1, serviceName: x, volumeClaimTemplates: []}}",
			"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: a}, spec: {replicas: 2, serviceName: y}}",
			[]string{"fields that cannot change", "! StatefulSet.apps a/s: spec.serviceName, spec.volumeClaimTemplates cannot change: the sync fails until the object is deleted by hand, has another name, or has the sync options Force=true,Replace=true  (lab)"},
		},
		"a Service may be given its address": {
			"{apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {ports: []}}",
			"{apiVersion: v1, kind: Service, metadata: {name: s, namespace: a}, spec: {clusterIP: None}}", nil,
		},
		"a sealed ConfigMap": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: a}, immutable: true, data: {a: b}}",
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: a}, immutable: true, data: {a: c}}",
			[]string{"fields that cannot change", "! ConfigMap a/s: data cannot change: the sync fails until the object is deleted by hand, has another name, or has the sync options Force=true,Replace=true  (lab)"},
		},
		"a role is bound elsewhere": {
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: a}, roleRef: {name: a}}",
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: a}, roleRef: {name: b}}",
			[]string{
				"fields that cannot change", "! RoleBinding.rbac.authorization.k8s.io a/r: roleRef cannot change: the sync fails until the object is deleted by hand, has another name, or has the sync options Force=true,Replace=true  (lab)",
				"RBAC", "  RoleBinding.rbac.authorization.k8s.io a/r: changed  (lab)",
			},
		},
		"a namespace that goes": {"{apiVersion: v1, kind: Namespace, metadata: {name: team}}", "", []string{"removed objects", "! Namespace team  (lab)"}},
		"an Application moves": {
			"{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: x, namespace: argocd}}",
			`{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: x, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "2"}}}`,
			[]string{"sync waves", "  x: wave 0 → 2  (lab)"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			WriteSummary(&b, NewSummary([]tree.Change{change("lab/components/x/file.yaml", tt.before, tt.after)}))
			var got []string
			for _, line := range strings.Split(b.String(), "\n")[1:] {
				if line != "" {
					got = append(got, line)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func change(path, before, after string) tree.Change {
	c := tree.Change{Path: path, Kind: tree.Changed, Before: []byte(before), After: []byte(after)}
	switch {
	case before == "":
		c.Kind, c.Before = tree.Added, nil
	case after == "":
		c.Kind, c.After = tree.Removed, nil
	}
	return c
}

// Equal changes of many environments are one difference and one line; what differs in one stays apart.
func TestSummaryGroups(t *testing.T) {
	const old, now = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: c}}"
	s := NewSummary([]tree.Change{
		change("a/components/x/c.yaml", old, now), change("b/components/x/c.yaml", old, now),
		change("c/components/x/c.yaml", old, strings.Replace(now, "a: c", "a: d", 1)),
		{Path: "a/.gen/x", Kind: tree.Changed, Before: []byte("1"), After: []byte("2")},
		{Path: "a/components/x/mine.txt", Kind: tree.Foreign},
	})
	var got []string
	for _, d := range s.Differences {
		got = append(got, strings.Join(d.Environments, "+")+" "+d.Path)
	}
	if diff := cmp.Diff([]string{"a+b components/x/c.yaml", "c components/x/c.yaml"}, got); diff != "" {
		t.Error(diff)
	}
	if len(s.Counts) != 3 || s.Counts[0].Changed != 1 {
		t.Errorf("counts are %+v", s.Counts)
	}
}

// No value of a Secret is in any part of what is printed, changed or not, added or removed, and neither is its digest.
func TestDiffHidesSecrets(t *testing.T) {
	secret := func(value string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: \"{" + value + "}\"}}, stringData: {plain: " + value + "}, data: {same: c2FtZQ==, key: " + value + "}}"
	}
	for name, c := range map[string]tree.Change{
		"changed":                      change("lab/components/x/s.yaml", secret("hunter2"), secret("hunter3")),
		"added":                        change("lab/components/x/s.yaml", "", secret("hunter2")),
		"removed":                      change("lab/components/x/s.yaml", secret("hunter2"), ""),
		"broken, as a merge leaves it": change("lab/components/x/secret_a_s.yaml", "<<<<<<< HEAD\n"+secret("hunter2"), ""),
		"two of them in one file":      change("lab/components/x/secret_a_s.yaml", secret("hunter1")+"\n---\n"+secret("hunter2"), secret("hunter3")),
		"values that are no map":       change("lab/components/x/s.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: hunter2}", ""),
	} {
		var b strings.Builder
		s := NewSummary([]tree.Change{c})
		WriteSummary(&b, s)
		WriteDiff(&b, s)
		if err := WriteJSON(&b, s); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"hunter", "c2FtZQ", "aHVudGVy"} {
			if strings.Contains(b.String(), word) {
				t.Errorf("%s: %s is shown:\n%s", name, word, b.String())
			}
		}
		if !strings.Contains(b.String(), "(hidden") {
			t.Errorf("%s: that there are values is not shown:\n%s", name, b.String())
		}
	}
}

// Programs read a diff by camelCase names, lists that are never null, and files as text; a file that is not there is left out.
func TestSummaryJSON(t *testing.T) {
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}"
	for name, tt := range map[string]struct {
		changes []tree.Change
		want    string
	}{
		"nothing": {nil, `"differences":[]`},
		"added":   {[]tree.Change{change("lab/c.yaml", "", object)}, `{"environments":["lab"],"path":"c.yaml","kind":"added","object":"ConfigMap c","after":"` + object + `"}`},
		"no object": {
			[]tree.Change{change("lab/values.txt", "a", "b")},
			`{"environments":["lab"],"path":"values.txt","kind":"changed","before":"a","after":"b"}`,
		},
	} {
		var b strings.Builder
		if err := WriteJSON(&b, NewSummary(tt.changes)); err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(b.String())
		if !strings.Contains(got, tt.want) || !strings.Contains(got, `"leftBehind":[]`) || strings.Contains(got, "null") {
			t.Errorf("%s: %s does not hold %s", name, got, tt.want)
		}
	}
}
