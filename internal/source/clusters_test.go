package source

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// clusterSecret is the Secret of a registered cluster.
func clusterSecret(name, more string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: c-" + name + ", namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster, env: " + name + "}, annotations: {base: apps}}\n" +
		"stringData: {name: " + name + ", server: 'https://" + name + ".example.com', config: '{}'" + more + "}\n"
}

// TestClusters states what a clusters generator makes of the Secrets that are known.
func TestClusters(t *testing.T) {
	const plain = `{metadata: {name: "{{name}}{{values.suffix}}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{metadata.annotations.base}}/{{metadata.labels.env}}"}, destination: {name: in-cluster, namespace: "{{nameNormalized}}{{project}}"}}}`
	const all = `{metadata: {name: "{{name}}"}, spec: {project: default, source: {repoURL: "https://x", path: apps/lab}, destination: {name: in-cluster, namespace: ns}}}`
	const dotted = `{metadata: {name: "{{ .name }}"}, spec: {project: default, source: {repoURL: "https://x", path: "{{ .metadata.annotations.base }}/{{ .metadata.labels.env }}"}, destination: {name: in-cluster, namespace: ns}}}`
	set := func(generator, template string, more ...string) map[string]string {
		return map[string]string{"set.yaml": appSet("s", "[{clusters: "+generator+"}]", template, more...), "apps/lab/a.yaml": configMap("a"), "apps/prod/b.yaml": configMap("b")}
	}
	with := func(files map[string]string, more map[string]string) map[string]string {
		files = maps.Clone(files)
		maps.Copy(files, more)
		return files
	}
	secrets := map[string]string{"c.yaml": clusterSecret("lab", ", project: -x") + "---\n" + clusterSecret("prod", "")}
	const said = "registered clusters are those of Secrets in the folder: lab, prod; --clusters FILE names others"
	labels := func(text string) string { return "{selector: {" + text + "}, values: {suffix: -v}}" }
	tests := map[string]struct {
		files map[string]string
		told  string
		want  map[string][]string
	}{
		"a label": {files: with(set(labels("matchLabels: {env: lab}"), plain), secrets), want: map[string][]string{"lab-v": {"in lab-x", "by s", "ConfigMap a"}, "note": {said}}},
		"expressions": {
			files: with(set(labels("matchExpressions: [{key: env, operator: NotIn, values: [lab]}, {key: base, operator: DoesNotExist}]"), plain), secrets),
			want:  map[string][]string{"prod-v": {"in prod", "by s", "ConfigMap b"}, "note": {said}},
		},
		"Go templates": {files: with(set("{selector: {matchLabels: {env: prod}}}", dotted, "  goTemplate: true"), secrets), want: map[string][]string{"prod": {"in ns", "by s", "ConfigMap b"}, "note": {said}}},
		"all, this one too": {
			files: with(set("{}", all), secrets),
			want:  map[string][]string{"in-cluster": {"in ns", "by s", "ConfigMap a"}, "lab": {"in ns", "by s", "ConfigMap a"}, "prod": {"in ns", "by s", "ConfigMap a"}, "note": {said}},
		},
		"the Secret of this one": {
			files: with(set(labels("matchLabels: {env: in-cluster}"), all), map[string]string{"c.yaml": clusterSecret("in-cluster", "")}),
			want:  map[string][]string{"in-cluster": {"in ns", "by s", "ConfigMap a"}, "note": {"registered clusters are those of Secrets in the folder: in-cluster; --clusters FILE names others"}},
		},
		"this one, registered by its name": {
			files: with(set("{}", all), map[string]string{"c.yaml": clusterSecret("in-cluster", "")}),
			want:  map[string][]string{"in-cluster": {"in ns", "by s", "ConfigMap a"}, "note": {"registered clusters are those of Secrets in the folder: in-cluster; --clusters FILE names others"}},
		},
		"this one, registered by its address": {
			files: with(set("{}", all), map[string]string{"c.yaml": strings.Replace(clusterSecret("me", ""), "https://me.example.com", "https://kubernetes.default.svc", 1)}),
			want:  map[string][]string{"me": {"in ns", "by s", "ConfigMap a"}, "note": {"registered clusters are those of Secrets in the folder: me; --clusters FILE names others"}},
		},
		"a Secret that names no cluster": {
			files: with(set("{}", all), map[string]string{"c.yaml": strings.Replace(clusterSecret("lab", ""), "{name: lab, ", "{", 1)}),
			want:  map[string][]string{"in-cluster": {"in ns", "by s", "ConfigMap a"}},
		},
		"a Secret of something else": {
			files: with(set("{}", all), map[string]string{"c.yaml": strings.Replace(clusterSecret("lab", ""), "secret-type: cluster", "secret-type: repository", 1)}),
			want:  map[string][]string{"in-cluster": {"in ns", "by s", "ConfigMap a"}},
		},
		"nothing but what is handed over": {
			files: with(set("{selector: {matchExpressions: [{key: env, operator: Exists}]}}", all), map[string]string{"c.yaml": clusterSecret("prod", "")}), told: clusterSecret("lab", ""),
			want: map[string][]string{"lab": {"in ns", "by s", "ConfigMap a"}},
		},
		"nobody asks for clusters": {
			files: with(secrets, map[string]string{"set.yaml": appSet("s", "[{list: {elements: [{name: one}]}}]", all), "apps/lab/a.yaml": configMap("a")}),
			want:  map[string][]string{"one": {"in ns", "by s", "ConfigMap a"}},
		},
		"none of them":               {files: with(set(labels("matchLabels: {env: other}"), plain), secrets), want: map[string][]string{"note": {said}}},
		"none of all":                {files: with(set(labels("matchLabels: {env: other}"), plain), secrets), told: clusterSecret("lab", ""), want: map[string][]string{"note": {"ApplicationSet s: generates no Application from this folder"}}},
		"what is handed over counts": {files: with(set(labels("matchLabels: {env: lab}"), plain), map[string]string{"c.yaml": clusterSecret("prod", "")}), told: clusterSecret("lab", ""), want: map[string][]string{"lab-v": {"in lab", "by s", "ConfigMap a"}}},
		"a flat list": {
			files: with(set("{flatList: true, selector: {matchExpressions: [{key: env, operator: Exists}]}}", `{metadata: {name: "{{ range .clusters }}{{ .name }}{{ end }}"}, spec: {project: default, source: {repoURL: "https://x", path: apps/lab}, destination: {name: in-cluster, namespace: ns}}}`, "  goTemplate: true"), secrets),
			want:  map[string][]string{"labprod": {"in ns", "by s", "ConfigMap a"}, "note": {said}},
		},
		"a Secret that an Application applies": {
			files: with(map[string]string{"root.yaml": application("root", "{repoURL: x, path: in}"), "in/c.yaml": clusterSecret("lab", ""), "in/set.yaml": set(labels("matchLabels: {env: lab}"), plain)["set.yaml"]}, map[string]string{"apps/lab/a.yaml": configMap("a")}),
			want:  map[string][]string{"lab-v": {"in lab", "by s", "ConfigMap a"}, "root": {"in ", "Secret argocd/c-lab", "ApplicationSet.argoproj.io argocd/s"}, "note": {"registered clusters are those of Secrets in the folder: lab; --clusters FILE names others"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var tools Tools
			if tt.told != "" {
				objects, err := Objects([]byte(tt.told))
				if err != nil {
					t.Fatal(err)
				}
				tools.Clusters = append([]manifest.Object{}, objects...)
			}
			if diff := cmp.Diff(tt.want, loaded(t, tt.files, "", tools)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
