package environment

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// sample is a small fleet without mistakes; tests change it.
const sample = `
-- fleet.yaml --
apiVersion: gen/v1
kind: Fleet
git: {url: https://git.example.internal/fleet.git, branch: main}
argocd: {in: cluster}
components:
  cilium: {chart: {repo: https://helm.cilium.io, version: 1.19.4}, values: {a: 1, keep: fleet}}
  podinfo:
    chart: {repo: oci://ghcr.io/stefanprodan/charts, version: 6.9.0}
    namespace: podinfo
    values:
      ingress: {host: "podinfo.${facts.domain}"}
      on: on
      dns: "${facts.network.dns}"
    needs: [cilium]
-- groups/test.yaml --
apiVersion: gen/v1
kind: Group
versions: {kubernetes: 1.36.2}
components:
  cilium: {chart: {version: 1.19.5}, values: {a: 2}}
-- sites/dc1.yaml --
apiVersion: gen/v1
kind: Site
facts:
  network: {dns: [10.10.0.2]}
  ntp: [ntp.example.internal]
-- lab.yaml --
apiVersion: gen/v1
kind: Environment
name: lab
groups: [test]
site: dc1
facts:
  domain: lab.example.com
  network: {nodes: 10.10.0.0/24, gateway: 10.10.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12}
  frontProxy: none
components:
  cilium: {values: {a: 3}}
`

// folder is the file system of a txtar archive.
func folder(archive string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, file := range txtar.Parse([]byte(archive)).Files {
		fsys[file.Name] = &fstest.MapFile{Data: file.Data}
	}
	return fsys
}

var known = map[string]bool{"cilium": true, "cert-manager": true}

func load(t *testing.T, archive string) []*Environment {
	t.Helper()
	envs, err := Load(folder(archive), Options{Known: known})
	if err != nil {
		t.Fatalf("loading:\n%v", err)
	}
	return envs
}

func TestLoad(t *testing.T) {
	envs := load(t, sample)
	if len(envs) != 1 || envs[0].Name != "lab" {
		t.Fatalf("got %v, want lab alone", envs)
	}
	env := envs[0]
	cilium, podinfo := env.Components[0], env.Components[1]
	if diff := cmp.Diff(&Chart{Repo: "https://helm.cilium.io", Version: "1.19.5"}, cilium.Chart); diff != "" {
		t.Errorf("chart of cilium (-want +got):\n%s", diff)
	}
	var layers []string
	for _, v := range cilium.Values {
		layers = append(layers, v.Origin.Layer)
	}
	if diff := cmp.Diff([]string{"fleet", "group test", "environment lab"}, layers); diff != "" {
		t.Errorf("layers of cilium (-want +got):\n%s", diff)
	}
	want := map[string]any{"ingress": map[string]any{"host": "podinfo.lab.example.com"}, "true": true, "dns": []any{"10.10.0.2"}}
	if diff := cmp.Diff(want, podinfo.Values[0].Tree); diff != "" {
		t.Errorf("values of podinfo (-want +got):\n%s", diff)
	}
	if got := podinfo.Values[0].Positions["ingress.host"].String(); got != "fleet.yaml:11:23" {
		t.Errorf("ingress.host stands at %s, want fleet.yaml:11:23", got)
	}
	if env.Facts.FrontProxy == nil || env.Facts.FrontProxy.Protocol != "none" {
		t.Errorf("front proxy is %v, want none", env.Facts.FrontProxy)
	}
	if env.Git.Path != "output/lab" || env.Versions.Kubernetes != "1.36.2" || env.Positions["facts.network.dns[0]"].File != "sites/dc1.yaml" {
		t.Errorf("path %q, Kubernetes %q, DNS from %v", env.Git.Path, env.Versions.Kubernetes, env.Positions["facts.network.dns[0]"])
	}
}

// TestIPv6 holds that a cluster of IPv6 alone is a cluster.
func TestIPv6(t *testing.T) {
	env := load(t, changed(t, "[10.10.0.2]", "[fd00:10::2]",
		"{nodes: 10.10.0.0/24, gateway: 10.10.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12}",
		"{nodes: \"fd00:10::/64\", gateway: \"fe80::1\", pods: \"fd00:244::/56\", services: \"fd00:96::/112\"}",
		"frontProxy: none", `frontProxy: none
  controlPlane: {endpoint: "https://[fd00:10::10]:6443", vip: "fd00:10::10"}
  nodes: [{name: cp1, role: controlplane, address: "fd00:10::11/64", link: ens18, disk: /dev/sda}]
  loadBalancer: {addresses: ["fd00:30::/120"], announce: {bgp: {asn: 64512, peers: [{address: "fd00:10::1", asn: 64513}]}}}`))[0]
	if got := env.Facts.Network.Pods.String(); got != "fd00:244::/56" {
		t.Errorf("pods have %s", got)
	}
}

// TestToolVersion holds that only another version refuses.
func TestToolVersion(t *testing.T) {
	for _, c := range []struct {
		wanted, have string
		refused      bool
	}{
		{"0.3.1", "0.3.1", false},
		{"0.3.1", "v0.3.1", false},
		{">=0.3, <0.5", "0.4.2", false},
		{">=0.3, <0.5", "0.4.0-rc.1", false},
		{">=0.3, <0.5", "0.5.0", true},
		{"0.3.1", "0.3.2", true},
		{"0.3.1", "", false},
		{"0.3.1", "(devel)", true},
	} {
		archive := changed(t, "kind: Fleet\n", "kind: Fleet\ngen: {version: \""+c.wanted+"\"}\n")
		_, err := Load(folder(archive), Options{Known: known, ToolVersion: c.have})
		if refused := err != nil; refused != c.refused {
			t.Errorf("a fleet of %s refuses gen %q: %t (%v), want %t", c.wanted, c.have, refused, err, c.refused)
		}
	}
}

// TestMistakesAreErrors holds that callers find each mistake with the standard library.
func TestMistakesAreErrors(t *testing.T) {
	_, err := Load(folder(changed(t, "gateway: 10.10.0.1", "gateway: here", "frontProxy: none", "frontProxy: some")), Options{Known: known})
	var one Mistake
	if !errors.As(err, &one) || one.Field != "facts.network.gateway" {
		t.Errorf("the first mistake is %v, want the gateway", one)
	}
	if wrapped, ok := err.(interface{ Unwrap() []error }); !ok || len(wrapped.Unwrap()) != 2 {
		t.Errorf("%v are not two errors", err)
	}
}

// mistakesOf loads a model that must fail and returns its mistakes, one a line.
func mistakesOf(t *testing.T, fsys fstest.MapFS, options Options) []string {
	t.Helper()
	_, err := Load(fsys, options)
	var mistakes Mistakes
	if err == nil || !errors.As(err, &mistakes) {
		t.Fatalf("loading gave %v, want Mistakes", err)
	}
	return strings.Split(err.Error(), "\n")
}
