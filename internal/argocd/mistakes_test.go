package argocd_test

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

const wholeSpec = `project: default, source: {repoURL: r, path: p}, destination: {name: in-cluster}`

// TestMistakes states what the API server refuses of an Application; "" stands for nothing.
func TestMistakes(t *testing.T) {
	tests := map[string]struct{ metadata, spec, want string }{
		"all is well":                 {``, wholeSpec + `, syncPolicy: {automated: {prune: true}, syncOptions: [A=b], retry: {limit: 5, refresh: true, backoff: {duration: 5s, factor: 2}}}`, ""},
		"fields of newer releases":    {``, wholeSpec + `, novel: [1], syncPolicy: {novel: true}`, ""},
		"nulls are dropped":           {``, wholeSpec + `, syncPolicy: null, sources: null`, ""},
		"a whole number as a float":   {``, wholeSpec + `, syncPolicy: {retry: {limit: 5.0}}`, ""},
		"no destination":              {``, `project: default, source: {repoURL: r, path: p}`, "spec.destination: is missing"},
		"no fields at all":            {``, `project: ""`, "spec.destination: is missing"},
		"no project":                  {``, `source: {repoURL: r, path: p}, destination: {name: in-cluster}`, "spec.project: is missing"},
		"a project that is empty":     {``, `project: "", source: {repoURL: r, path: p}, destination: {name: in-cluster}`, ""},
		"no repoURL":                  {``, `project: default, source: {path: p}, destination: {name: in-cluster}`, "spec.source.repoURL: is missing"},
		"no repoURL among sources":    {``, `project: default, sources: [{repoURL: r, path: p}, {chart: c}], destination: {name: in-cluster}`, "spec.sources.1.repoURL: is missing"},
		"no source":                   {``, `project: default, destination: {name: in-cluster}`, ""},
		"a difference of no kind":     {``, wholeSpec + `, ignoreDifferences: [{group: apps, jsonPointers: [/spec]}]`, "spec.ignoreDifferences.0.kind: is missing"},
		"an info without value":       {``, wholeSpec + `, info: [{name: a}]`, "spec.info.0.value: is missing"},
		"an info":                     {``, wholeSpec + `, info: [{name: a, value: ""}]`, ""},
		"replicas without count":      {``, `project: default, source: {repoURL: r, path: p, kustomize: {replicas: [{name: a}]}}, destination: {}`, "spec.source.kustomize.replicas.0.count: is missing"},
		"replicas":                    {``, `project: default, source: {repoURL: r, path: p, kustomize: {replicas: [{name: a, count: 2}, {name: b, count: "3"}]}}, destination: {}`, ""},
		"a hydrator of nothing":       {``, `project: default, sourceHydrator: {syncSource: {targetBranch: b, path: p}}, destination: {}`, "spec.sourceHydrator.drySource: is missing"},
		"a hydrator":                  {``, `project: default, sourceHydrator: {drySource: {repoURL: r, path: p, targetRevision: v}, syncSource: {targetBranch: b, path: p}}, destination: {}`, ""},
		"sources as a map":            {``, `project: default, sources: {a: {path: x}}, destination: {}`, "spec.sources: is a map, and must be a list"},
		"a list of strings":           {``, `project: default, sources: [x], destination: {}`, `spec.sources.0: is the string "x", and must be a map`},
		"source as a list":            {``, `project: default, source: [{path: x}], destination: {}`, "spec.source: is a list, and must be a map"},
		"a path that is a number":     {``, `project: default, source: {repoURL: r, path: 5}, destination: {}`, `spec.source.path: is 5, which is no string to YAML, and must be a string: put it in quotes`},
		"a path that is y":            {``, `project: default, source: {repoURL: r, path: y}, destination: {}`, `spec.source.path: is true, which is no string`},
		"a path in sources":           {``, `project: default, sources: [{repoURL: r, path: [x]}], destination: {}`, `spec.sources.0.path: is a list`},
		"a destination as text":       {``, `project: default, source: {repoURL: r, path: x}, destination: foo`, `spec.destination: is the string "foo"`},
		"options as a map":            {``, wholeSpec + `, syncPolicy: {syncOptions: {A: b}}`, "spec.syncPolicy.syncOptions: is a map, and must be a list"},
		"options as text":             {``, wholeSpec + `, syncPolicy: {syncOptions: A=b}`, "syncOptions: is the string"},
		"an option that is a boolean": {``, wholeSpec + `, syncPolicy: {syncOptions: [true]}`, "spec.syncPolicy.syncOptions.0: is true"},
		"a limit as text":             {``, wholeSpec + `, syncPolicy: {retry: {limit: "5"}}`, `limit: is the string "5", and must be a whole number`},
		"retry as a list":             {``, wholeSpec + `, syncPolicy: {retry: []}`, "retry: is a list, and must be a map"},
		"half a try":                  {``, wholeSpec + `, syncPolicy: {retry: {limit: 2.5}}`, "limit: is 2.5, and must be a whole number"},
		"automated: true":             {``, wholeSpec + `, syncPolicy: {automated: true}`, "automated: is true, and must be a map"},
		"prune: yes, as text":         {``, wholeSpec + `, syncPolicy: {automated: {prune: "yes"}}`, `prune: is the string "yes", and must be true or false`},
		"a project that is a number":  {``, `project: 5, source: {repoURL: r, path: x}, destination: {}`, "spec.project: is 5"},
		"helm as text":                {``, `project: default, source: {repoURL: r, path: x, helm: a}, destination: {}`, "spec.source.helm"},
		"directory: yes":              {``, `project: default, source: {repoURL: r, path: x, directory: yes}, destination: {}`, "spec.source.directory: is true, and must be a map"},
		"values of a chart as a map":  {``, `project: default, source: {repoURL: r, path: x, helm: {values: {a: b}}}, destination: {}`, "spec.source.helm.values: is a map, and must be a string"},
		"an unquoted wave":            {`, annotations: {argocd.argoproj.io/sync-wave: 1}`, wholeSpec, `metadata.annotations.argocd.argoproj.io/sync-wave: is 1, which is no string to YAML, and must be a string: put it in quotes`},
		"annotations as a list":       {`, annotations: [a]`, wholeSpec, "metadata.annotations: is a list, and must be a map"},
		"a label that is a boolean":   {`, labels: {a: yes}`, wholeSpec, "metadata.labels.a: is true"},
		"an empty label":              {`, labels: {a: }`, wholeSpec, ""},
		"an empty annotation":         {`, annotations: {a: }`, wholeSpec, "metadata.annotations.a: is empty, and must be a string"},
		"finalizers as text":          {`, finalizers: x`, wholeSpec, "metadata.finalizers"},
	}
	for name, tt := range tests {
		objects, _, err := manifest.Decode([]byte("{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a" + tt.metadata + "}, spec: {" + tt.spec + "}}"))
		if err != nil {
			t.Fatal(name, err)
		}
		got := argocd.Mistakes(objects[0])
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0].String(), tt.want)) {
			t.Errorf("%s: got %v, want %q", name, got, tt.want)
		}
	}
}

// TestMistakesOfAny states that of other kinds nothing but the metadata is looked at.
func TestMistakesOfAny(t *testing.T) {
	for text, want := range map[string]int{
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {a: 5, b: x}}, spec: [a]}":                     1,
		"{apiVersion: example.com/v1, kind: Application, metadata: {name: a}, spec: []}":                              0,
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: 5, annotations: {a: 1, b: true, c: [], d: {}, e: text}}}": 5,
	} {
		objects, _, err := manifest.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := argocd.Mistakes(objects[0]); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
