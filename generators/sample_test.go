package generators

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	gen "github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// sample loads the sample fleet as it is embedded.
func sample(t *testing.T) []*environment.Environment {
	t.Helper()
	model, err := fs.Sub(gen.Samples, "environments")
	if err != nil {
		t.Fatal(err)
	}
	envs, err := environment.Load(model, environment.Options{Known: component.Known(All())})
	if err != nil {
		t.Fatal(err)
	}
	return envs
}

func TestSampleComponents(t *testing.T) {
	both := []string{
		`argo-cd needs [cilium cilium-config]`,
		`cert-manager needs [cilium external-secrets-config]`,
		`cert-manager-config needs [cert-manager]`,
		`cilium needs []`,
		`cilium-config needs []`,
		`echo needs []`,
		`external-secrets needs [cilium]`,
		`external-secrets-config needs [external-secrets]`,
		`metrics-server needs [cilium]`,
		`podinfo needs [cert-manager-config]`,
		`sealed-secrets needs [cilium]`,
		`status-page needs []`,
	}
	prod := slices.DeleteFunc(slices.Clone(both), func(s string) bool { return strings.HasPrefix(s, "echo ") })
	prod[slices.Index(prod, `podinfo needs [cert-manager-config]`)] = `podinfo needs [cert-manager-config metrics-server]`
	want := map[string][]string{"lab": both, "prod": prod}
	got := map[string][]string{}
	for _, env := range sample(t) {
		components, err := component.Resolve(env, All())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range components {
			got[env.Name] = append(got[env.Name], fmt.Sprintf("%s needs %v", c.Name, c.Needs))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What differs between the sample's environments is what their facts say, and nothing else decides it.
func TestSampleFacts(t *testing.T) {
	type derived struct {
		Nodes                          string
		VIP, Pool, Proxy, Mount, Store string
		ProxyProtocol                  any
	}
	want := map[string]derived{
		"lab":  {"3+3", "10.10.0.10", "10.10.0.30/32", "none", "kubernetes-lab", "lab-external-secrets", false},
		"prod": {"3+3", "10.20.0.10", "10.20.0.30/32", "proxy-v2", "kubernetes-prod", "prod-external-secrets", true},
	}
	got := map[string]derived{}
	for _, env := range sample(t) {
		components, err := component.Resolve(env, All())
		if err != nil {
			t.Fatal(err)
		}
		facts, roles := env.Facts, map[string]int{}
		for _, node := range facts.Nodes {
			roles[node.Role]++
		}
		store := named(components, "external-secrets-config").Own[0]
		got[env.Name] = derived{
			fmt.Sprintf("%d+%d", roles["controlplane"], roles["worker"]), facts.ControlPlane.VIP.String(), facts.LoadBalancer.Addresses[0].String(),
			facts.FrontProxy.Protocol, facts.Vault.Mount, store.String("spec", "provider", "vault", "auth", "kubernetes", "role"),
			manifest.New(named(components, "cilium").Merged).Get("ingressController", "enableProxyProtocol"),
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func named(components []component.Component, name string) component.Component {
	i := slices.IndexFunc(components, func(c component.Component) bool { return c.Name == name })
	return components[i]
}

// A newcomer finds an example of everything that a component may say.
func TestSampleShowsEveryWayOut(t *testing.T) {
	seen := map[string]bool{}
	for _, env := range sample(t) {
		for _, c := range env.Components {
			note := func(what string, shown bool) { seen[what] = seen[what] || shown }
			note("a chart over HTTP", c.Chart != nil && strings.HasPrefix(c.Chart.Repo, "https://"))
			note("a chart from a registry", c.Chart != nil && strings.HasPrefix(c.Chart.Repo, "oci://"))
			note("a kustomization", c.Kustomization != "")
			note("manifests", c.Manifests != "")
			note("values", len(c.Values) > 0)
			note("valuesFiles", slices.ContainsFunc(c.Values, func(v environment.Values) bool { return strings.HasPrefix(v.Origin.File, "values/") }))
			note("patches: merge", slices.ContainsFunc(c.Patches, func(p environment.Patch) bool { return p.Merge != nil }))
			note("patches: json", slices.ContainsFunc(c.Patches, func(p environment.Patch) bool { return p.JSON != nil }))
			note("objects", len(c.Objects) > 0)
			note("remove", len(c.Remove) > 0)
			note("hooks: drop", c.Hooks == "drop")
			note("ignoreDifferences", len(c.IgnoreDiffs) > 0)
			note("application", len(c.Application) > 0)
			note("needs", len(c.Needs) > 0)
		}
	}
	for what, shown := range seen {
		if !shown {
			t.Errorf("the sample shows no %s", what)
		}
	}
}

// The sample names no host that exists: whoever renders it by mistake reaches nobody.
func TestSampleHosts(t *testing.T) {
	host := regexp.MustCompile(`(?:(?:https?|oci|ssh)://|image: |repository: |source: |ntp: \[)([a-z0-9.-]*[a-z][a-z0-9.-]*)`)
	found := 0
	err := fs.WalkDir(gen.Samples, "environments", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == "environments/schema.json" { // the schema's examples are no part of the model
			return err
		}
		data, err := fs.ReadFile(gen.Samples, path)
		for _, match := range host.FindAllStringSubmatch(string(data), -1) {
			found++
			if strings.HasSuffix(match[1], ".") { // what follows is a reference
				continue
			}
			if !strings.HasSuffix(match[1], ".example.internal") {
				t.Errorf("%s: names %s", path, match[1])
			}
		}
		return err
	})
	if err != nil || found < 15 {
		t.Errorf("looked at %d hosts: %v", found, err)
	}
}
