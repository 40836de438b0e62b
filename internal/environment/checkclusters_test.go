package environment

import (
	"fmt"
	"strings"
	"testing"
)

// twoClusters is the sample with facts of lab, and an environment prod with facts.
func twoClusters(lab, prod string) string {
	const file = "\n-- prod.yaml --\napiVersion: gen/v1\nkind: Environment\nname: prod\ngroups: [test]\nsite: dc1\nfacts:\n"
	network := func(i int) string {
		return fmt.Sprintf("  network: {nodes: 10.%d.0.0/24, gateway: 10.%[1]d.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12}\n", i)
	}
	return strings.Replace(sample, "  frontProxy: none\n", lab, 1) + file + "  domain: example.com\n" + network(20) + prod
}

// TestClustersApart holds what two clusters may have in common: subnets that end at a cluster's edge, one Vault, a mount's name at
// two Vaults, a domain below the other's, and addresses side by side. What they may not is in testdata/mistakes.txt.
func TestClustersApart(t *testing.T) {
	const vault = "  vault: {address: \"https://%s.example.com\", mount: %s, path: secret}\n"
	pool := func(address string) string {
		return "  loadBalancer: {addresses: [" + address + "], announce: {l2: {links: [ens]}}}\n"
	}
	for name, facts := range map[string][2]string{
		"nothing stated":           {"", ""},
		"mounts at one Vault":      {fmt.Sprintf(vault, "vault", "lab"), fmt.Sprintf(vault, "vault", "prod")},
		"one name at two Vaults":   {fmt.Sprintf(vault, "vault", "kubernetes"), fmt.Sprintf(vault, "vault2", "kubernetes")},
		"mounts differ in letters": {fmt.Sprintf(vault, "vault", "Kubernetes"), fmt.Sprintf(vault, "vault", "kubernetes")},
		"pools side by side":       {pool("10.30.0.0/29"), pool("10.30.0.8/29")},
	} {
		t.Run(name, func(t *testing.T) { load(t, twoClusters(facts[0], facts[1])) })
	}
}

// TestClustersClashWhateverIsSelected holds that a cluster is held against those that are not selected, too.
func TestClustersClashWhateverIsSelected(t *testing.T) {
	const vault = "  vault: {address: \"https://vault.example.com\", mount: kubernetes, path: secret}\n"
	for _, name := range []string{"lab", "prod"} {
		_, err := Load(folder(twoClusters(vault, vault)), Options{Known: known, Select: []string{name}})
		if err == nil || !strings.Contains(err.Error(), "prod.yaml:9:56: facts.vault.mount: kubernetes is the auth mount at Vault vault.example.com of environment lab (lab.yaml:9:56), and of environment prod too") {
			t.Errorf("selecting %s: %v", name, err)
		}
	}
}

// TestSitesApart holds that private addresses may be the same at two sites, and public ones not.
func TestSitesApart(t *testing.T) {
	for address, clash := range map[string]bool{"10.30.0.0/29": false, "fd00::/120": false, "192.0.2.0/29": true} {
		pool := "  loadBalancer: {addresses: [\"" + address + "\"], announce: {l2: {links: [ens]}}}\n"
		text := strings.Replace(twoClusters(pool, pool), "groups: [test]\nsite: dc1\nfacts:\n  domain: example.com", "groups: [test]\nsite: edge\nfacts:\n  domain: example.com", 1)
		text += "\n-- sites/edge.yaml --\napiVersion: gen/v1\nkind: Site\nname: edge\nfacts: {}\n"
		_, err := Load(folder(text), Options{Known: known})
		if got := err != nil && strings.Contains(err.Error(), "facts.loadBalancer.addresses"); got != clash {
			t.Errorf("%s at two sites: %v", address, err)
		}
	}
}
