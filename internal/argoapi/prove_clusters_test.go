package argoapi_test

import (
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// TestClusters states that Applications of several clusters are worlds of their own: what stands on one provides nothing on another.
func TestClusters(t *testing.T) {
	const far, near = "server=https://far", "server=https://kubernetes.default.svc"
	last := object("ConfigMap", "last", "1", "")
	widget, crds := object("Widget", "w", "0", ""), definition("0", "example.com", "Widget", "widgets", "Namespaced")
	namespace := object("Namespace", "team", "0", "")
	under, account := workload("web", "0", "serviceAccountName: web")+last, object("ServiceAccount", "web", "0", "")
	pool := operator("pools", "0", "metallb.io", "ipaddresspools") + definition("0", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced") + object("IPAddressPool", "p", "0", "spec: {addresses: [10.0.0.0/24]}")
	balancer := object("Service", "web", "0", "spec: {type: LoadBalancer}") + last
	shut := object("NetworkPolicy", "shut", "0", "spec: {podSelector: {}, policyTypes: [Egress]}")
	quota := object("ResourceQuota", "q", "0", "spec: {hard: {pods: '0'}}")
	hook := object("ValidatingWebhookConfiguration", "all", "0", "webhooks: [{name: a.example.com, clientConfig: {caBundle: eA==, service: {namespace: team, name: nobody}}, rules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]}]")
	secret := func(wave string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: far, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: '" + wave + "'}, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: far, server: 'https://far'}}\n---\n"
	}
	stores := operator("stores", "0", "external-secrets.io", "clustersecretstores")
	store := definition("0", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster") + object("ClusterSecretStore", "s", "0", "spec: {provider: {fake: {}}}")
	known := []string{"cluster https://far"}
	given := []string{team, "cluster https://far"}
	tests := map[string]scenario{
		"a namespace of another cluster":    {apps: []string{"0 a " + far + "\n" + namespace, "1 b " + near + "\n" + last}, want: "FAILS", each: []string{"a PROVEN", "b FAILS"}, chain: []string{"namespace team comes from nobody"}},
		"its own":                           {apps: []string{"0 a " + far + "\n" + namespace, "1 b " + far + "\n" + last}, given: known, want: "PROVEN"},
		"a kind of another cluster":         {apps: []string{"0 a " + far + "\n" + crds, "1 b " + near + "\n" + widget}, given: given, want: "FAILS"},
		"a kind of another, the other way":  {apps: []string{"0 a " + near + "\n" + crds, "1 b " + far + "\n" + widget}, given: given, want: "FAILS", chain: []string{"kind Widget.example.com comes from nobody on https://far"}},
		"a kind of its own":                 {apps: []string{"0 a " + far + "\n" + crds, "1 b " + far + "\n" + widget}, given: given, want: "PROVEN"},
		"a CRD beside its object, far away": {apps: []string{"0 a " + far + "\n" + crds + widget}, given: given, want: "PROVEN"},
		"an account of another":             {apps: []string{"0 a " + far + "\n" + account, "1 b " + near + "\n" + under}, given: given, want: "DEADLOCK"},
		"addresses of another":              {apps: []string{"0 a " + far + "\n" + pool, "1 b " + near + "\n" + balancer}, given: given, want: "DEADLOCK"},
		"addresses of its own":              {apps: []string{"0 a " + far + "\n" + pool, "1 b " + far + "\n" + balancer}, given: given, want: "PROVEN"},
		"takers of another take nothing":    {apps: []string{"0 a " + far + "\n" + shut + quota + hook, "1 b " + near + "\n" + account + under}, given: given, want: "PROVEN"},
		"takers of its own do":              {apps: []string{"0 a " + far + "\n" + hook, "1 b " + far + "\n" + account}, given: given, want: "UNKNOWN", axiom: "endpoints team/nobody"},
		"rights of another":                 {apps: []string{"0 a " + far + "\n" + stores, "1 b " + near + "\n" + store}, given: given, want: "UNKNOWN", axiom: "controller ClusterSecretStore.external-secrets.io"},
		"rights of its own":                 {apps: []string{"0 a " + far + "\n" + stores, "1 b " + far + "\n" + store}, given: given, want: "PROVEN"},
		"Argo CD's kinds are at home alone": {apps: []string{"0 a " + far + "\n{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: b, namespace: argocd}, spec: {}}"}, given: given, want: "FAILS"},
		"a cluster by name and by address":  {root: secret("0"), apps: []string{"0 a " + far + "\n" + namespace, "1 b name=far\n" + last}, want: "PROVEN"},
		"a cluster that is known later":     {root: secret("1"), apps: []string{"0 a " + far + "\n" + last}, given: given, want: "DEADLOCK", each: []string{"a DEADLOCK"}, chain: []string{"goes to a cluster that a Secret makes known", "which is not reached"}},
		"in-cluster by name":                {apps: []string{"0 a name=in-cluster\n" + namespace, "1 b " + near + "\n" + last, "2 c\n" + object("ConfigMap", "c", "0", "")}, want: "PROVEN"},
	}
	runScenarios(t, tests)
}

// TestStrangers states that no end is good which hangs on a cluster that nobody is known to register, and that a bad one stays bad.
func TestStrangers(t *testing.T) {
	namespace, last := object("Namespace", "team", "0", ""), object("ConfigMap", "last", "0", "")
	runScenarios(t, map[string]scenario{
		"by its address":      {apps: []string{"0 a server=https://far\n" + namespace}, want: "UNKNOWN", axiom: "cluster https://far", each: []string{"root UNKNOWN", "a UNKNOWN"}, chain: []string{"goes to a cluster that a Secret makes known", "cluster https://far comes from nobody"}},
		"by its name":         {apps: []string{"0 a name=far\n" + namespace}, want: "UNKNOWN", axiom: "cluster far"},
		"that is given":       {apps: []string{"0 a name=far\n" + namespace}, given: []string{"cluster far"}, want: "PROVEN"},
		"another is given":    {apps: []string{"0 a name=far\n" + namespace}, given: []string{"cluster near"}, want: "UNKNOWN"},
		"an end bad even so":  {apps: []string{"0 a name=far\n" + last}, want: "FAILS", chain: []string{"namespace team comes from nobody on far"}, notes: []string{"taken for granted, since the end is bad even so: cluster far"}},
		"given, and bad":      {apps: []string{"0 a name=far\n" + last}, given: []string{"cluster far"}, want: "FAILS", silent: []string{"taken for granted, since"}},
		"Argo CD's own":       {apps: []string{"0 a name=in-cluster\n" + namespace, "1 b server=https://kubernetes.default.svc/\n" + last}, want: "PROVEN"},
		"the other is unlike": {apps: []string{"0 a name=in-cluster\n" + namespace, "1 b server=https://kubernetes.default.svc.cluster.local\n" + object("Namespace", "b", "0", "")}, want: "UNKNOWN", each: []string{"a PROVEN"}},
	})
}

// TestClustersAlike states that a fleet on two clusters ends on each as it does on one: worlds do not touch.
func TestClustersAlike(t *testing.T) {
	on := func(where, suffix string, waves ...string) []string {
		return []string{
			waves[0] + " pools" + suffix + " " + where + "\n" + operator("pools", "0", "metallb.io", "ipaddresspools") + definition("0", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced") +
				object("IPAddressPool", "p", "0", "spec: {addresses: [10.0.0.0/24]}"),
			waves[1] + " web" + suffix + " " + where + "\n" + object("Service", "web", "0", "spec: {type: LoadBalancer}") + object("ConfigMap", "last", "1", ""),
		}
	}
	for _, waves := range [][]string{{"0", "1"}, {"1", "0"}, {"0", "0"}} {
		verdicts := func(apps []string) map[string]string {
			out := map[string]string{}
			for _, o := range coldstart.Prove(scenario{apps: apps, given: []string{team, "cluster https://a", "cluster https://b"}}.input(t)).Outcomes {
				out[o.Application] = string(o.Verdict) + " " + string(o.Ending)
			}
			return out
		}
		alone := verdicts(on("", "", waves...))
		both := verdicts(append(on("server=https://a", "-a", waves...), on("server=https://b", "-b", waves...)...))
		for name, verdict := range both {
			if plain := strings.TrimSuffix(strings.TrimSuffix(name, "-a"), "-b"); verdict != alone[plain] {
				t.Errorf("waves %v: %s ends as %s, alone as %s", waves, name, verdict, alone[plain])
			}
		}
	}
}
