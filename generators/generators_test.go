package generators

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// lab is an environment with all built-in components and no front proxy; changes make it another one.
func lab(changes ...func(*environment.Environment)) *environment.Environment {
	env := &environment.Environment{
		Name: "lab", File: "lab.yaml", Rebuilt: "often",
		Versions: environment.Versions{Kubernetes: "1.36.2"},
		ArgoCD:   environment.ArgoCD{In: "cluster", Namespace: "argocd"},
		Facts: environment.Facts{
			Domain: "lab.example.internal",
			Nodes:  []environment.Node{{Name: "cp1", Role: "controlplane"}, {Name: "w1", Role: "worker"}},
			LoadBalancer: &environment.LoadBalancer{
				Addresses: []netip.Prefix{netip.MustParsePrefix("10.10.0.30/32")},
				Announce:  environment.Announce{L2: &environment.L2{Links: []string{"^ens"}}},
			},
			FrontProxy: &environment.FrontProxy{Protocol: "none"},
			Vault:      &environment.Vault{Address: "https://vault.example.internal", Mount: "kubernetes-lab", Path: "secret"},
			ACME: &environment.ACME{
				Server: "https://acme-staging.example.internal/directory", Email: "platform@example.internal", Solver: "dns01",
				DNS01: map[string]any{"rfc2136": map[string]any{"nameserver": "10.10.0.2:53"}},
			},
		},
	}
	for name, version := range map[string]string{
		"argo-cd": "9.3.7", "cert-manager": "v1.17.2", "cilium": "1.19.4", "external-secrets": "0.14.3", "metrics-server": "3.13.1", "sealed-secrets": "2.17.1",
	} {
		env.Components = append(env.Components, environment.Component{
			Name: name, Chart: &environment.Chart{Repo: "https://charts.example.internal", Version: version},
			Origin: environment.Origin{File: "fleet.yaml", Line: 10, Column: 3},
		})
	}
	slices.SortFunc(env.Components, func(a, b environment.Component) int { return strings.Compare(a.Name, b.Name) })
	for _, change := range changes {
		change(env)
	}
	return env
}

// prod differs from lab in its surroundings.
func prod(changes ...func(*environment.Environment)) *environment.Environment {
	surroundings := func(env *environment.Environment) {
		env.Name, env.File, env.Rebuilt = "prod", "prod.yaml", "seldom"
		env.Facts.Domain = "prod.example.internal"
		env.Facts.LoadBalancer.Addresses = []netip.Prefix{netip.MustParsePrefix("10.20.0.30/32")}
		env.Facts.FrontProxy = &environment.FrontProxy{Protocol: "proxy-v2", From: []netip.Prefix{netip.MustParsePrefix("10.20.0.5/32")}}
		env.Facts.Vault.Mount = "kubernetes-prod"
		env.Facts.ACME.Server = "https://acme.example.internal/directory"
	}
	return lab(append([]func(*environment.Environment){surroundings}, changes...)...)
}

// with changes one component of an environment.
func with(name string, change func(*environment.Component)) func(*environment.Environment) {
	return func(env *environment.Environment) {
		i := slices.IndexFunc(env.Components, func(c environment.Component) bool { return c.Name == name })
		change(&env.Components[i])
	}
}

// without takes components away.
func without(names ...string) func(*environment.Environment) {
	return func(env *environment.Environment) {
		env.Components = slices.DeleteFunc(env.Components, func(c environment.Component) bool { return slices.Contains(names, c.Name) })
	}
}

// values gives a component a layer of values.
func values(name, text string) func(*environment.Environment) {
	return with(name, func(c *environment.Component) {
		tree := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
			tree = map[string]any{"mistake in the test": err.Error()}
		}
		c.Values = append(c.Values, environment.Values{
			Origin:    environment.Origin{File: "fleet.yaml", Line: 20, Column: 5},
			Tree:      tree,
			Positions: map[string]environment.Origin{"ingressController.enableProxyProtocol": {File: "fleet.yaml", Line: 22, Column: 9}},
		})
	})
}

// version sets the version of a component's chart.
func version(name, version string) func(*environment.Environment) {
	return with(name, func(c *environment.Component) {
		c.Chart = &environment.Chart{Repo: "https://charts.example.internal", Version: version}
	})
}

func build(t *testing.T, env *environment.Environment, name string) (component.Parts, error) {
	t.Helper()
	for _, def := range All() {
		if def.Name == name {
			return def.Build(env)
		}
	}
	t.Fatalf("no definition %s", name)
	return component.Parts{}, nil
}

// show writes what a definition contributes, as YAML.
func show(t *testing.T, parts component.Parts) string {
	t.Helper()
	var b strings.Builder
	emit := func(fields map[string]any) {
		out, err := manifest.Emit(manifest.New(fields))
		if err != nil {
			t.Fatal(err)
		}
		b.Write(out)
	}
	emit(map[string]any{"values": parts.Values})
	fmt.Fprintf(&b, "needs: %v\n", append(parts.Needs, parts.ConfigNeeds...))
	for _, o := range slices.Concat(parts.Objects, parts.Config) {
		b.WriteString("---\n")
		emit(o.Fields())
	}
	return b.String()
}

// same compares YAML by its text once both went through one emitter.
func same(t *testing.T, want, got string) {
	t.Helper()
	normal := func(text string) string {
		var lines []string
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			lines = append(lines, strings.ReplaceAll(line, `"`, ""))
		}
		return strings.Join(lines, "\n")
	}
	if diff := cmp.Diff(normal(want), normal(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAll(t *testing.T) {
	var names []string
	for _, def := range All() {
		names = append(names, def.Name)
		if def.Doc == "" || def.Repo == "" || def.Namespace == "" {
			t.Errorf("%s: doc, repo and namespace are needed: %+v", def.Name, def)
		}
	}
	if diff := cmp.Diff([]string{"argo-cd", "cert-manager", "cilium", "external-secrets", "metrics-server", "sealed-secrets"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Values and objects hold nothing that a decoder would not have made: an int makes DeepCopy panic, a []string is no list to Helm.
func TestPartsArePlain(t *testing.T) {
	bgp := func(env *environment.Environment) {
		env.Facts.LoadBalancer.Announce = environment.Announce{BGP: &environment.BGP{ASN: 64512, Peers: []environment.Peer{{Address: netip.MustParseAddr("10.10.0.1"), ASN: 64513}}}}
	}
	for _, env := range []*environment.Environment{lab(), prod(), lab(bgp)} {
		for _, def := range All() {
			parts, err := def.Build(env)
			if err != nil {
				t.Fatalf("%s: %v", def.Name, err)
			}
			plain(t, def.Name, parts.Values)
			for _, o := range slices.Concat(parts.Objects, parts.Config) {
				plain(t, o.ID().String(), o.Fields())
			}
		}
	}
}

func plain(t *testing.T, path string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			plain(t, path+"."+key, item)
		}
	case []any:
		for i, item := range v {
			plain(t, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case string, bool, int64, float64, nil:
	default:
		t.Errorf("%s: is a %T", path, value)
	}
}

// The same environment gives the same parts, and building changes nothing.
func TestBuildIsPure(t *testing.T) {
	env := prod(values("cilium", "{bpf: {masquerade: true}}"))
	for _, def := range All() {
		first, err := def.Build(env)
		if err != nil {
			t.Fatal(err)
		}
		second, err := def.Build(env)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(manifest.Object{})); diff != "" {
			t.Errorf("%s: two builds differ:\n%s", def.Name, diff)
		}
	}
	prefixes := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	addresses := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	if diff := cmp.Diff(prod(values("cilium", "{bpf: {masquerade: true}}")), env, prefixes, addresses); diff != "" {
		t.Errorf("building changed the environment:\n%s", diff)
	}
}

// Everything that the definitions make of both environments resolves to components.
func TestResolve(t *testing.T) {
	for _, env := range []*environment.Environment{lab(), prod()} {
		components, err := component.Resolve(env, All())
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range components {
			lines = append(lines, fmt.Sprintf("%s in %s needs %v with %q", c.Name, c.Namespace, c.Needs, c.With))
		}
		want := []string{
			`argo-cd in argocd needs [cilium cilium-config] with ""`,
			`cert-manager in cert-manager needs [cilium] with ""`,
			`cert-manager-config in cert-manager needs [cert-manager] with ""`,
			`cilium in kube-system needs [] with ""`,
			`cilium-config in kube-system needs [] with "cilium"`,
			`external-secrets in external-secrets needs [cilium] with ""`,
			`external-secrets-config in external-secrets needs [external-secrets] with ""`,
			`metrics-server in kube-system needs [cilium] with ""`,
			`sealed-secrets in kube-system needs [cilium] with ""`,
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s (-want +got)\n%s", env.Name, diff)
		}
	}
}
