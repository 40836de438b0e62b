package environment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// changed is the sample with replacements made, old and new in turn.
func changed(t *testing.T, replacements ...string) string {
	t.Helper()
	text := sample
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(text, replacements[i]) {
			t.Fatalf("the sample does not hold %q", replacements[i])
		}
		text = strings.Replace(text, replacements[i], replacements[i+1], 1)
	}
	return text
}

// component finds a component of the only environment.
func component(t *testing.T, archive, name string) *Component {
	t.Helper()
	for _, c := range load(t, archive)[0].Components {
		if c.Name == name {
			return &c
		}
	}
	return nil
}

func TestLayersOfOneComponent(t *testing.T) {
	archive := changed(t,
		"    namespace: podinfo\n", `    namespace: podinfo
    release: info
    hooks: keep
    wave: 1
    apiVersions: [v1]
    scopes: {A.example.com: Cluster, B.example.com: Cluster}
    application: {metadata: {labels: {a: "1", b: "1"}}, spec: {info: [1]}}
    patches: [{target: {kind: Service, name: "*"}, merge: {a: 1}}]
    objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: "${environment.name}"}}]
    valuesFiles: [values/a.txt, "values/${environment.name}.txt"]
`,
		"components:\n  cilium: {chart: {version: 1.19.5}", `components:
  podinfo:
    chart: {version: 6.9.1}
    namespace: info-${environment.name}
    needs: []
    hooks: drop
    wave: -1
    allowEmpty: true
    scopes: {B.example.com: Namespaced}
    application: {metadata: {labels: {b: "2"}}, spec: {info: [2]}}
    patches: [{target: {kind: Deployment, group: apps, namespace: "info-${environment.name}"}, json: [{op: remove, path: "/spec/${facts.domain}"}]}]
    remove: [{kind: Ingress}]
    ignoreDifferences: [{group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}]
    allowSecrets: [{namespace: podinfo, name: demo, reason: holds a public key}]
    values: {a: group}
  cilium: {chart: {version: 1.19.5}`) + `
-- values/a.txt --
a: file
b: ${facts.domain}
-- values/lab.txt --
c: file of lab
`
	minus := -1
	fleet, group := "fleet", "group test"
	got := component(t, archive, "podinfo")
	want := &Component{
		Name: "podinfo", Chart: &Chart{Repo: "oci://ghcr.io/stefanprodan/charts", Version: "6.9.1"},
		Namespace: "info-lab", Release: "info", Needs: []string{}, APIVersions: []string{"v1"}, Hooks: "drop", AllowEmpty: true, Wave: &minus,
		Patches: []Patch{
			{Target: Selector{Kind: "Service", Name: "*", Origin: Origin{fleet, "fleet.yaml", 16, 16}}, Merge: map[string]any{"a": int64(1)}, Origin: Origin{fleet, "fleet.yaml", 16, 15}},
			{
				Target: Selector{Group: "apps", Kind: "Deployment", Namespace: "info-lab", Origin: Origin{group, "groups/test.yaml", 14, 16}},
				JSON:   []any{map[string]any{"op": "remove", "path": "/spec/lab.example.com"}}, Origin: Origin{group, "groups/test.yaml", 14, 15},
			},
		},
		Objects:      []Added{{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "lab"}}, Origin{fleet, "fleet.yaml", 17, 15}}},
		Remove:       []Selector{{Kind: "Ingress", Origin: Origin{group, "groups/test.yaml", 15, 14}}},
		IgnoreDiffs:  []IgnoreDifference{{Group: "apps", Kind: "Deployment", JSONPointers: []string{"/spec/replicas"}, Origin: Origin{group, "groups/test.yaml", 16, 25}}},
		Application:  map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "1", "b": "2"}}, "spec": map[string]any{"info": []any{int64(2)}}},
		AllowSecrets: []AllowedSecret{{"podinfo", "demo", "holds a public key", Origin{group, "groups/test.yaml", 17, 20}}},
		Scopes:       map[string]string{"A.example.com": "Cluster", "B.example.com": "Namespaced"},
		Origin:       Origin{fleet, "fleet.yaml", 7, 3},
	}
	values := got.Values
	got.Values = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("podinfo (-want +got):\n%s", diff)
	}
	var trees []string
	for _, v := range values {
		trees = append(trees, v.Origin.String()+" of "+v.Origin.Layer)
	}
	wantTrees := []string{"values/a.txt:1:1 of fleet", "values/lab.txt:1:1 of fleet", "fleet.yaml:19:5 of fleet", "groups/test.yaml:18:5 of group test"}
	if diff := cmp.Diff(wantTrees, trees); diff != "" {
		t.Errorf("layers of values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"a": "file", "b": "lab.example.com"}, values[0].Tree); diff != "" {
		t.Errorf("values of the file (-want +got):\n%s", diff)
	}
}

func TestComponentsOnAndOff(t *testing.T) {
	off := "podinfo: {enabled: false}\n  cilium: {"
	for name, c := range map[string]struct {
		archive string
		want    bool
	}{
		"on":              {sample, true},
		"off in group":    {changed(t, "cilium: {chart: {version: 1.19.5}", off+"chart: {version: 1.19.5}"), false},
		"on again":        {changed(t, "cilium: {chart: {version: 1.19.5}", off+"chart: {version: 1.19.5}", "cilium: {values: {a: 3}", "podinfo: {enabled: true}\n  cilium: {values: {a: 3}"), true},
		"off in fleet":    {changed(t, "    needs: [cilium]", "    enabled: false"), false},
		"off with a fact": {changed(t, "    needs: [cilium]", "    enabled: false", "domain: lab.example.com", "frontProxy: none", "  frontProxy: none\ncomponents", "components"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := component(t, c.archive, "podinfo") != nil; got != c.want {
				t.Errorf("podinfo is there: %t, want %t", got, c.want)
			}
		})
	}
}

func TestChartLayers(t *testing.T) {
	for name, c := range map[string]struct {
		low, high *Chart
		want      *Chart
	}{
		"version alone":         {&Chart{Repo: "https://a", Version: "1.0.0"}, &Chart{Version: "2.0.0"}, &Chart{Repo: "https://a", Version: "2.0.0"}},
		"repository alone":      {&Chart{Repo: "https://a", Version: "1.0.0"}, &Chart{Repo: "oci://b"}, &Chart{Repo: "oci://b", Version: "1.0.0"}},
		"folder for repository": {&Chart{Repo: "https://a", Name: "x", Version: "1.0.0"}, &Chart{Path: "charts/a"}, &Chart{Path: "charts/a", Name: "x"}},
		"git for folder":        {&Chart{Path: "charts/a"}, &Chart{Git: &GitRepo{URL: "u", Ref: "r"}}, &Chart{Git: &GitRepo{URL: "u", Ref: "r"}}},
		"nothing above":         {&Chart{Path: "a"}, nil, &Chart{Path: "a"}},
		"nothing below":         {nil, &Chart{Path: "a"}, &Chart{Path: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, overlayChart(c.low, c.high)); diff != "" {
				t.Errorf("chart (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettingsOverLayers(t *testing.T) {
	archive := changed(t,
		"kind: Group\n", "kind: Group\nrollout: ordered\nrebuilt: often\nargocd: {namespace: gitops}\n",
		"argocd: {in: cluster}", "argocd: {in: hub, cluster: \"{env}-cluster\"}\nrollout: tracked",
		"branch: main}", "branch: \"env/{env}\", mode: output-branch, sourceBranch: main, path: out}",
		"name: lab\n", "name: lab\nversions: {talos: 1.13.6, kubernetes: 1.36.3}\n")
	env := load(t, archive)[0]
	type settings struct {
		Versions         Versions
		Git              Git
		ArgoCD           ArgoCD
		Rollout, Rebuilt string
	}
	want := settings{
		Versions{Talos: "1.13.6", Kubernetes: "1.36.3"},
		Git{URL: "https://git.example.internal/fleet.git", Branch: "env/lab", Path: "out", Mode: "output-branch", SourceBranch: "main", ReleaseBranch: "release/lab"},
		ArgoCD{In: "hub", Namespace: "gitops", Cluster: "lab-cluster"},
		"ordered", "often",
	}
	if diff := cmp.Diff(want, settings{env.Versions, env.Git, env.ArgoCD, env.Rollout, env.Rebuilt}); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestHubOfTheFleet holds that the environment which runs the hub takes nothing from what the fleet says of its hub.
func TestHubOfTheFleet(t *testing.T) {
	archive := changed(t, "argocd: {in: cluster}", "argocd: {in: hub, hub: hub, cluster: \"{env}\"}") +
		strings.NewReplacer("name: lab", "name: hub\nargocd: {in: cluster}", "lab.example.com", "hub.example.com").Replace("-- hub.yaml --"+strings.SplitN(sample, "-- lab.yaml --", 2)[1])
	var got []ArgoCD
	for _, env := range load(t, archive) {
		got = append(got, env.ArgoCD)
	}
	want := []ArgoCD{{In: "cluster", Namespace: "argocd"}, {In: "hub", Namespace: "argocd", Hub: "hub", Cluster: "lab"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Argo CD of hub and lab (-want +got):\n%s", diff)
	}
}

// TestSyncTimeoutOfTheFleet holds that what the fleet says of its Argo CDs falls away where a hub serves the environment.
func TestSyncTimeoutOfTheFleet(t *testing.T) {
	archive := changed(t, "argocd: {in: cluster}", "argocd: {in: cluster, syncTimeout: 36h}", "name: lab\n", "name: lab\nargocd: {in: hub, cluster: lab}\n") +
		strings.NewReplacer("name: lab", "name: own", "lab.example.com", "own.example.com").Replace("-- own.yaml --"+strings.SplitN(sample, "-- lab.yaml --", 2)[1])
	got := map[string]string{}
	for _, env := range load(t, archive) {
		got[env.Name] = env.ArgoCD.SyncTimeout
	}
	if diff := cmp.Diff(map[string]string{"lab": "", "own": "36h"}, got); diff != "" {
		t.Errorf("sync timeouts (-want +got):\n%s", diff)
	}
}

func TestSyncLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 24 * time.Hour, "none": 0, "36h": 36 * time.Hour, "90m": 90 * time.Minute} {
		if got := (ArgoCD{SyncTimeout: text}).SyncLimit(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestReferences(t *testing.T) {
	tree := map[string]any{
		"facts":       map[string]any{"domain": "lab.example.com", "nodes": []any{map[string]any{"name": "cp1"}}, "own": map[string]any{"a.b": int64(5), "on": true}},
		"environment": map[string]any{"name": "lab"},
	}
	for text, want := range map[string]any{
		"plain":                                 "plain",
		"${facts.domain}":                       "lab.example.com",
		"a.${facts.domain}:${environment.name}": "a.lab.example.com:lab",
		"${facts.nodes[0].name}":                "cp1",
		"${facts.nodes}":                        []any{map[string]any{"name": "cp1"}},
		`${facts.own["a.b"]}`:                   int64(5),
		`x${facts.own["a.b"]}`:                  "x5",
		"${facts.own.on}":                       true,
		"$${facts.domain}":                      "${facts.domain}",
		"$$${facts.domain}":                     "$${facts.domain}",
		"${HOME} ${x:-y} $(a) ${} $":            "${HOME} ${x:-y} $(a) ${} $",
		"${__field.name} ${DS_PROM}":            "${__field.name} ${DS_PROM}",
		"${HOME}/${environment.name}":           "${HOME}/lab",
		"$${HOME}":                              "${HOME}",
		"${":                                    "${",
		"${factsheet}":                          "${factsheet}",
	} {
		var c collector
		r := references{tree: tree, stated: func(string) bool { return false }, file: "lab.yaml", c: &c}
		got := r.text(text, "p", func(string) Origin { return Origin{} })
		if diff := cmp.Diff(want, got); diff != "" || len(c.found) > 0 {
			t.Errorf("%s (-want +got):\n%s%v", text, diff, c.found)
		}
	}
}

// TestFillingSharesNothingChanged holds that one environment's values never reach another's: files are parsed once for all.
func TestFillingSharesNothingChanged(t *testing.T) {
	archive := sample + strings.NewReplacer("name: lab", "name: prod", "lab.example.com", "example.com").Replace("-- prod.yaml --"+strings.SplitN(sample, "-- lab.yaml --", 2)[1])
	envs := load(t, archive)
	for i, want := range []string{"podinfo.lab.example.com", "podinfo.example.com"} {
		ingress := envs[i].Components[1].Values[0].Tree["ingress"].(map[string]any)
		if ingress["host"] != want {
			t.Errorf("%s has host %v, want %s", envs[i].Name, ingress["host"], want)
		}
	}
}

func TestSelect(t *testing.T) {
	archive := sample + strings.NewReplacer("name: lab", "name: prod-eu", "lab.example.com", "eu.example.com").Replace("-- prod-eu.yaml --"+strings.SplitN(sample, "-- lab.yaml --", 2)[1])
	for name, c := range map[string]struct {
		patterns []string
		want     []string
		err      string
	}{
		"all":        {nil, []string{"lab", "prod-eu"}, ""},
		"name":       {[]string{"lab"}, []string{"lab"}, ""},
		"glob":       {[]string{"prod*"}, []string{"prod-eu"}, ""},
		"both once":  {[]string{"prod*", "*"}, []string{"lab", "prod-eu"}, ""},
		"none":       {[]string{"lab", "lba"}, nil, `selecting environments by "lba": none has such a name; did you mean "lab"?; there are lab, prod-eu`},
		"no pattern": {[]string{"["}, nil, `selecting environments by "[": syntax error in pattern; write a name with * and ?`},
	} {
		t.Run(name, func(t *testing.T) {
			envs, err := Load(folder(archive), Options{Known: known, Select: c.patterns})
			var names []string
			for _, env := range envs {
				names = append(names, env.Name)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("environments (-want +got):\n%s", diff)
			}
			if got := errorText(err); got != c.err {
				t.Errorf("error %q, want %q", got, c.err)
			}
		})
	}
	fsys := folder(archive)
	fsys["prod-eu.yaml"].Data = []byte("kind: 1")
	if _, err := Load(fsys, Options{Known: known, Select: []string{"lab"}}); err == nil {
		t.Error("a mistake in an environment that is not selected is not seen")
	}
}

// errorText is an error's text, "" for none.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMissingAndWrong(t *testing.T) {
	env := load(t, sample)[0]
	for _, c := range []struct {
		err  error
		want string
	}{
		{env.Missing("facts.vault", "where secrets come from"), "lab.yaml:6:1: facts.vault: missing: it decides where secrets come from; state it in this file, or in a site that this file names"},
		{env.Wrong("facts.network.dns[0]", "is bad"), "sites/dc1.yaml:4:19: facts.network.dns[0]: is bad"},
		{env.Wrong("facts.network.pods.x", "is bad"), "lab.yaml:8:60: facts.network.pods.x: is bad"},
		{env.Wrong("vanished", "is bad"), "lab.yaml:1:1: vanished: is bad"},
	} {
		if c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}
