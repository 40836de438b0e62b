package component

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func at(line int) environment.Origin {
	return environment.Origin{Layer: "fleet", File: "fleet.yaml", Line: line, Column: 3}
}

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func object(apiVersion, kind, name string) manifest.Object {
	return manifest.New(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}})
}

// lab is an environment with the given components.
func lab(components ...environment.Component) *environment.Environment {
	return &environment.Environment{
		Name: "lab", File: "lab.yaml", Versions: environment.Versions{Kubernetes: "1.36.2"}, Components: components,
	}
}

// define returns a definition that always contributes parts.
func define(name string, parts Parts) Definition {
	return Definition{
		Name: name, Repo: "https://charts." + name + ".example.internal",
		Build: func(*environment.Environment) (Parts, error) { return parts, nil },
	}
}

func TestMerge(t *testing.T) {
	tests := map[string]struct {
		layers []string
		want   string
	}{
		"none":                            {nil, `{}`},
		"maps merge deeply":               {[]string{`{a: {b: 1, c: {d: 2}}}`, `{a: {c: {e: 3}}}`}, `{a: {b: 1, c: {d: 2, e: 3}}}`},
		"lists are replaced":              {[]string{`{a: [1, 2]}`, `{a: [3]}`}, `{a: [3]}`},
		"a scalar replaces a map":         {[]string{`{a: {b: 1}}`, `{a: off}`}, `{a: off}`},
		"a map replaces a scalar":         {[]string{`{a: 1}`, `{a: {b: 1}}`}, `{a: {b: 1}}`},
		"null stays, for Helm to remove":  {[]string{`{a: {b: 1, c: 2}}`, `{a: {b: null}}`}, `{a: {b: null, c: 2}}`},
		"null replaces a map":             {[]string{`{a: {b: 1}}`, `{a: null}`}, `{a: null}`},
		"a value after null":              {[]string{`{a: {b: 1}}`, `{a: null}`, `{a: {c: 1}}`}, `{a: {c: 1}}`},
		"an empty map changes nothing":    {[]string{`{a: {b: 1}}`, `{a: {}}`}, `{a: {b: 1}}`},
		"an empty list empties":           {[]string{`{a: [1]}`, `{a: []}`}, `{a: []}`},
		"later layers win over all lower": {[]string{`{a: 1}`, `{a: 2}`, `{a: 3}`}, `{a: 3}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var layers []environment.Values
			for _, text := range test.layers {
				layers = append(layers, environment.Values{Tree: tree(t, text)})
			}
			got := Merge(layers)
			if diff := cmp.Diff(tree(t, test.want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for i, text := range test.layers {
				if diff := cmp.Diff(tree(t, text), layers[i].Tree); diff != "" {
					t.Errorf("layer %d was changed (-want +got)\n%s", i, diff)
				}
			}
		})
	}
}

func TestMergeSharesNothing(t *testing.T) {
	layer := environment.Values{Tree: tree(t, `{a: {b: {c: 1}}, l: [{x: 1}]}`)}
	got := Merge([]environment.Values{layer})
	got["a"].(map[string]any)["b"].(map[string]any)["c"] = "changed"
	got["l"].([]any)[0].(map[string]any)["x"] = "changed"
	if diff := cmp.Diff(tree(t, `{a: {b: {c: 1}}, l: [{x: 1}]}`), layer.Tree); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	pool := object("cilium.io/v2", "CiliumLoadBalancerIPPool", "default")
	chart := &environment.Chart{Repo: "https://charts.example.internal", Version: "1.2.3"}
	env := lab(
		environment.Component{
			Name: "podinfo", Kustomization: "kustomize/podinfo", Namespace: "shop", Needs: []string{"cilium-config", "cilium"},
			Hooks: "drop", Origin: at(20),
		},
		environment.Component{
			Name: "cilium", Chart: chart, Origin: at(5), APIVersions: []string{"b/v1", "a/v1", "b/v1"},
			Values:  []environment.Values{{Origin: at(6), Tree: tree(t, `{replicas: 2, tls: {method: cronJob}}`)}},
			Objects: []environment.Added{{Object: object("v1", "ConfigMap", "more").Fields(), Origin: at(9)}},
			Patches: []environment.Patch{
				{Target: environment.Selector{Kind: "CiliumLoadBalancerIPPool", Name: "def*"}, Origin: at(10)},
				{Target: environment.Selector{Kind: "CiliumLoadBalancerIPPool", Name: "other"}, Origin: at(11)},
				{Target: environment.Selector{Name: "default"}, Origin: at(12)},
			},
			Scopes:      map[string]string{"Own.example.internal": "Cluster"},
			IgnoreDiffs: []environment.IgnoreDifference{{Kind: "Secret", Name: "ca", JSONPointers: []string{"/data"}}},
			Wave:        new(int),
		},
	)
	defs := []Definition{
		{
			Name: "cilium", Namespace: "kube-system", Chart: "cilium-chart",
			Build: func(env *environment.Environment) (Parts, error) {
				return Parts{
					Values:      map[string]any{"replicas": int64(1), "env": env.Name},
					Objects:     []manifest.Object{object("v1", "ConfigMap", "own")},
					Config:      []manifest.Object{pool},
					Together:    true,
					Needs:       []string{"absent", "cilium"},
					APIVersions: []string{"cilium.io/v2/Z", "cilium.io/v2"},
					Scopes:      map[string]string{"CiliumLoadBalancerIPPool.cilium.io": "Cluster"},
					IgnoreDiffs: []argocd.IgnoreDifference{{Kind: "ConfigMap"}},
				}, nil
			},
		},
		define("unused", Parts{}),
	}
	scopes := map[string]string{"CiliumLoadBalancerIPPool.cilium.io": "Cluster", "Own.example.internal": "Cluster"}
	want := []Component{
		{
			Environment: "lab", Name: "cilium", Namespace: "kube-system", Release: "cilium",
			Source: Source{Chart: &environment.Chart{Repo: chart.Repo, Name: "cilium-chart", Version: "1.2.3"}},
			Values: []environment.Values{
				{Origin: environment.Origin{Layer: "component cilium"}, Tree: map[string]any{"replicas": int64(1), "env": "lab"}},
				{Origin: at(6), Tree: tree(t, `{replicas: 2, tls: {method: cronJob}}`)},
			},
			Merged:      tree(t, `{replicas: 2, env: lab, tls: {method: cronJob}}`),
			Own:         []manifest.Object{object("v1", "ConfigMap", "own")},
			Objects:     []manifest.Object{object("v1", "ConfigMap", "more")},
			Patches:     []environment.Patch{env.Components[1].Patches[1], env.Components[1].Patches[2]},
			KeepHooks:   true,
			Scopes:      scopes,
			IgnoreDiffs: []argocd.IgnoreDifference{{Kind: "ConfigMap"}, {Kind: "Secret", Name: "ca", JSONPointers: []string{"/data"}}},
			Wave:        new(int), KubeVersion: "1.36.2", APIVersions: []string{"a/v1", "b/v1"},
			Provides: []string{"cilium.io/v2", "cilium.io/v2/Z"}, Origin: at(5),
		},
		{
			Environment: "lab", Name: "cilium-config", Namespace: "kube-system", Release: "cilium-config", KeepHooks: true,
			Merged: map[string]any{}, Own: []manifest.Object{pool}, With: "cilium", Scopes: scopes, KubeVersion: "1.36.2",
			Patches: []environment.Patch{env.Components[1].Patches[0]}, APIVersions: []string{"a/v1", "b/v1"}, Origin: at(5),
		},
		{
			Environment: "lab", Name: "podinfo", Namespace: "shop", Release: "podinfo", Merged: map[string]any{}, Scopes: map[string]string{},
			Source: Source{Kustomization: "kustomize/podinfo"}, Needs: []string{"cilium", "cilium-config"}, KubeVersion: "1.36.2", Origin: at(20),
		},
	}
	for range 3 { // the same again: nothing given was changed
		got, err := Resolve(env, defs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(manifest.Object{})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if chart.Name != "" {
		t.Errorf("the environment's chart was changed: %+v", chart)
	}
}

func TestResolveNeeds(t *testing.T) {
	chart := &environment.Chart{Path: "charts/x"}
	config := []manifest.Object{object("v1", "ConfigMap", "x")}
	tests := map[string]struct {
		parts    Parts
		declared []string
		others   []string
		want     map[string][]string
	}{
		"config waits for its component":        {Parts{Config: config}, nil, nil, map[string][]string{"a": nil, "a-config": {"a"}}},
		"config together waits for nothing":     {Parts{Config: config, Together: true}, nil, nil, map[string][]string{"a": nil, "a-config": nil}},
		"config has needs of its own":           {Parts{Config: config, ConfigNeeds: []string{"z", "b"}}, nil, []string{"b"}, map[string][]string{"a": nil, "a-config": {"a", "b"}, "b": nil}},
		"a wish for an absent one is dropped":   {Parts{Needs: []string{"b", "c"}}, nil, []string{"c"}, map[string][]string{"a": {"c"}, "c": nil}},
		"wish and declaration are one":          {Parts{Needs: []string{"b"}}, []string{"b"}, []string{"b"}, map[string][]string{"a": {"b"}, "b": nil}},
		"a wish for itself is dropped":          {Parts{Needs: []string{"a"}}, nil, nil, map[string][]string{"a": nil}},
		"needs are sorted":                      {Parts{}, []string{"c", "b"}, []string{"b", "c"}, map[string][]string{"a": {"b", "c"}, "b": nil, "c": nil}},
		"no config object, no config component": {Parts{Together: true}, nil, nil, map[string][]string{"a": nil}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			components := []environment.Component{{Name: "a", Chart: chart, Needs: test.declared}}
			for _, other := range test.others {
				components = append(components, environment.Component{Name: other, Chart: chart})
			}
			got, err := Resolve(lab(components...), []Definition{define("a", test.parts)})
			if err != nil {
				t.Fatal(err)
			}
			needs := map[string][]string{}
			for _, c := range got {
				needs[c.Name] = c.Needs
			}
			if diff := cmp.Diff(test.want, needs, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestResolveMistakes(t *testing.T) {
	chart := &environment.Chart{Path: "charts/x"}
	asks := Definition{Name: "asks", Build: func(env *environment.Environment) (Parts, error) {
		return Parts{}, errors.Join(env.Missing("facts.loadBalancer", "the pool"), env.Missing("facts.domain", "the hosts"))
	}}
	split := define("split", Parts{Config: []manifest.Object{object("v1", "ConfigMap", "x")}})
	tests := map[string]struct {
		components []environment.Component
		defs       []Definition
		want       string
	}{
		"two sources": {
			[]environment.Component{{Name: "a", Chart: chart, Kustomization: "k", Manifests: "m", Origin: at(3)}},
			nil,
			"fleet.yaml:3:3: components.a: has chart and kustomization and manifests: objects come from one source; keep one of them",
		},
		"no source": {
			[]environment.Component{{Name: "a", Origin: at(3)}},
			nil,
			"fleet.yaml:3:3: components.a: has neither chart, kustomization, manifests nor objects, and is not built in: nothing would be applied; " +
				"add one of them, or allowEmpty: true",
		},
		"built in without a chart": {
			[]environment.Component{{Name: "b", Origin: at(3)}},
			[]Definition{define("b", Parts{})},
			"fleet.yaml:3:3: components.b: has no chart: b is built in, but where its chart comes from and its version are the fleet's to say; add\n" +
				"  b:\n    chart: {repo: https://charts.b.example.internal, version: X.Y.Z}",
		},
		"values without a chart": {
			[]environment.Component{{Name: "a", Manifests: "m", Values: []environment.Values{{Origin: at(4)}}, Origin: at(3)}},
			nil,
			"fleet.yaml:4:3: components.a.values: are read by a chart only, and this component comes from manifests; use patches",
		},
		"missing facts, each an error of its own, and nothing that follows from them": {
			[]environment.Component{{Name: "asks", Chart: chart, Origin: at(3)}, {Name: "b", Chart: chart, Needs: []string{"asks-config"}}},
			[]Definition{asks},
			"lab.yaml:1:1: facts.domain: missing: it decides the hosts; state it in this file, or in a site that this file names\n" +
				"lab.yaml:1:1: facts.loadBalancer: missing: it decides the pool; state it in this file, or in a site that this file names",
		},
		"unknown need": {
			[]environment.Component{{Name: "a", Chart: chart, Needs: []string{"nope"}, Origin: at(3)}, {Name: "b", Chart: chart}},
			nil,
			"fleet.yaml:3:3: components.a.needs: nope is no component of environment lab (it has a, b); add it there, or take the need out",
		},
		"need on itself": {
			[]environment.Component{{Name: "a", Chart: chart, Needs: []string{"a"}, Origin: at(3)}},
			nil,
			"fleet.yaml:3:3: components.a.needs: a needs itself: it would wait for ever; take the line out",
		},
		"need on its own config": {
			[]environment.Component{{Name: "split", Chart: chart, Needs: []string{"split-config"}, Origin: at(3)}},
			[]Definition{split},
			"fleet.yaml:3:3: components.split.needs: split-config needs split running first: the need would be a cycle; take the line out",
		},
		"need twice": {
			[]environment.Component{{Name: "a", Chart: chart, Needs: []string{"b", "b"}, Origin: at(3)}, {Name: "b", Chart: chart}},
			nil,
			"fleet.yaml:3:3: components.a.needs: b stands there twice; keep one",
		},
		"name of a split-off component": {
			[]environment.Component{{Name: "split", Chart: chart, Origin: at(3)}, {Name: "split-config", Chart: chart, Origin: at(2)}},
			[]Definition{split},
			"fleet.yaml:2:3: components.split-config: this name is taken by the objects of split that need it running; choose another name",
		},
		"one name twice": {
			[]environment.Component{{Name: "a", Chart: chart, Origin: at(3)}, {Name: "a", Chart: chart, Origin: at(12)}},
			nil,
			"fleet.yaml:12:3: components.a: declared twice; keep one",
		},
		"definition twice": {
			nil,
			[]Definition{define("b", Parts{}), define("b", Parts{})},
			"component b: definition: given twice; keep one",
		},
		"all at once, by place": {
			[]environment.Component{
				{Name: "a", Chart: chart, Needs: []string{"nope"}, Origin: at(10)},
				{Name: "b", Origin: at(9)},
			},
			[]Definition{define("b", Parts{})},
			"fleet.yaml:9:3: components.b: has no chart: b is built in, but where its chart comes from and its version are the fleet's to say; add\n" +
				"  b:\n    chart: {repo: https://charts.b.example.internal, version: X.Y.Z}\n" +
				"fleet.yaml:10:3: components.a.needs: nope is no component of environment lab (it has a, b); add it there, or take the need out",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(lab(test.components...), test.defs)
			if err == nil {
				t.Fatalf("no error, got %d components", len(got))
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got != nil {
				t.Errorf("components beside an error: %v", got)
			}
			reversed := slices.Clone(test.components)
			slices.Reverse(reversed)
			if _, again := Resolve(lab(reversed...), test.defs); again == nil || again.Error() != test.want {
				t.Errorf("another order of components gives another error: %v", again)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	if diff := cmp.Diff(map[string]bool{"a": true, "b": true}, Known([]Definition{{Name: "b"}, {Name: "a"}})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
