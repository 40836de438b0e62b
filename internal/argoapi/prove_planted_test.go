package argoapi_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// planted is a world in which exactly one thing is wrong.
type planted struct {
	apps  []string
	given []string
	chain []string // the objects of the chain of Application a, all of them and in this order; "" is what comes from nobody
	links []string // identities of the objects that the wrong thing consists of: without a link at one of them nothing is wrong
	want  coldstart.Verdict
}

// secretController is an Application in which external-secrets runs, before all others.
var secretController = "-2 eso\n" + definition("-1", "external-secrets.io", "ExternalSecret", "externalsecrets", "Namespaced") + definition("-1", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster") +
	operator("eso", "0", "external-secrets.io", "externalsecrets") + operator("eso-stores", "0", "external-secrets.io", "clustersecretstores")

func externalSecret(name, wave, store string) string {
	return object("ExternalSecret", name, wave, "spec: {secretStoreRef: {kind: ClusterSecretStore, name: "+store+"}, target: {name: "+name+"}}")
}

func storeWith(name, wave, secret string) string {
	return object("ClusterSecretStore", name, wave, "spec: {provider: {vault: {auth: {tokenSecretRef: {name: "+secret+", key: t, namespace: team}}}}}")
}

// hops returns objects by which a Secret "s0" comes from a Secret "sN" through n stores, and the identities of all of them.
func hops(n int) (objects string, ids []string) {
	for i := range n {
		objects += externalSecret(fmt.Sprintf("s%d", i), "0", fmt.Sprintf("st%d", i)) + storeWith(fmt.Sprintf("st%d", i), "0", fmt.Sprintf("s%d", i+1))
		ids = append(ids, fmt.Sprintf("ExternalSecret.external-secrets.io team/s%d", i), fmt.Sprintf("ClusterSecretStore.external-secrets.io st%d", i))
	}
	return objects, ids
}

// reads is a Deployment whose pods read a Secret.
func reads(name, wave, secret string) string {
	return workload(name, wave, "volumes: [{name: v, secret: {secretName: "+secret+"}}]")
}

// around is a chain: what waits, what is between, and the rest.
func around(waits string, between []string, rest ...string) []string {
	return slices.Concat([]string{waits}, between, rest)
}

// plants are the ways to get exactly one thing wrong; n is how far it goes round.
var plants = map[string]func(n int) planted{
	"a Secret of a later wave of the same Application": func(n int) planted {
		between, ids := hops(n)
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("web", "0", "s0") + object("Secret", fmt.Sprintf("s%d", n), "1", ""), "- c\n" + between},
			chain: around("Deployment.apps team/web", ids, fmt.Sprintf("Secret team/s%d", n)),
			links: append(ids, "Deployment.apps team/web", fmt.Sprintf("Secret team/s%d", n)),
		}
	},
	"two ways to a Secret, one of them short": func(n int) planted {
		between, _ := hops(n + 2)
		late := fmt.Sprintf("s%d", n+2)
		short := "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: short, namespace: team}, spec: {secretStoreRef: {kind: ClusterSecretStore, name: short}, target: {name: s0}}}\n---\n" + storeWith("short", "0", late)
		ids := []string{"ExternalSecret.external-secrets.io team/short", "ClusterSecretStore.external-secrets.io short"}
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("web", "0", "s0") + object("Secret", late, "1", ""), "- c\n" + between + short},
			chain: around("Deployment.apps team/web", ids, "Secret team/"+late), links: append(ids, "Deployment.apps team/web", "Secret team/"+late),
		}
	},
	"two that wait, one of them for long": func(n int) planted {
		between, _ := hops(n + 1)
		late := fmt.Sprintf("s%d", n+1)
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("afar", "0", "s0") + reads("near", "0", late) + object("Secret", late, "1", ""), "- c\n" + between},
			chain: []string{"Deployment.apps team/near", "Secret team/" + late}, links: []string{"Deployment.apps team/near", "Secret team/" + late},
		}
	},
	"a Secret of a later Application": func(n int) planted {
		between, ids := hops(n)
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("web", "0", "s0"), "1 b\n" + object("Secret", fmt.Sprintf("s%d", n), "0", ""), "- c\n" + between},
			chain: around("Deployment.apps team/web", ids, fmt.Sprintf("Secret team/s%d", n), "Application.argoproj.io argocd/a", "Deployment.apps team/web"),
			links: append(ids, "Deployment.apps team/web", fmt.Sprintf("Secret team/s%d", n), "Application.argoproj.io argocd/a"),
		}
	},
	"a hook that reads what comes in the phase after it": func(n int) planted {
		between, ids := hops(n)
		hook := object("Job", "migrate", "PreSync/0", "spec: {template: {spec: {containers: [], volumes: [{name: v, secret: {secretName: s0}}]}}}")
		return planted{
			apps:  []string{secretController, "0 a\n" + hook + object("Secret", fmt.Sprintf("s%d", n), "0", "") + object("ConfigMap", "own", "0", ""), "- c\n" + between},
			chain: around("Job.batch team/migrate", ids, fmt.Sprintf("Secret team/s%d", n)),
			links: append(ids, "Job.batch team/migrate", fmt.Sprintf("Secret team/s%d", n)),
		}
	},
	"stores that log in with what they read": func(n int) planted {
		between, ids := hops(n + 1)
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("web", "0", "s0") + object("ConfigMap", "last", "1", ""), "- c\n" + between + externalSecret(fmt.Sprintf("s%d", n+1), "0", "st0")},
			chain: around("Deployment.apps team/web", ids, fmt.Sprintf("ExternalSecret.external-secrets.io team/s%d", n+1), "ClusterSecretStore.external-secrets.io st0"), links: ids[1:],
		}
	},
	"a store that nobody defines": func(n int) planted {
		between, ids := hops(n)
		return planted{
			apps:  []string{secretController, "0 a\n" + reads("web", "0", "s0") + object("ConfigMap", "last", "1", ""), "- c\n" + between + externalSecret(fmt.Sprintf("s%d", n), "0", "nobody")},
			chain: around("Deployment.apps team/web", ids, fmt.Sprintf("ExternalSecret.external-secrets.io team/s%d", n), ""),
			links: []string{fmt.Sprintf("ExternalSecret.external-secrets.io team/s%d", n), ""}, want: coldstart.Fails,
		}
	},
	"a pool of a later wave": func(int) planted {
		return planted{
			apps: []string{
				"-1 metal\n" + operator("controller", "0", "metallb.io", "ipaddresspools") + definition("-1", "metallb.io", "IPAddressPool", "ipaddresspools", "Namespaced"),
				"0 a\n" + object("Service", "web", "0", "spec: {type: LoadBalancer}"), "1 b\n" + object("IPAddressPool", "pool", "0", "spec: {addresses: []}"),
			},
			chain: []string{"Service team/web", "IPAddressPool.metallb.io team/pool", "Application.argoproj.io argocd/a", "Service team/web"},
			links: []string{"Service team/web", "IPAddressPool.metallb.io team/pool", "Application.argoproj.io argocd/a"},
		}
	},
	"a claim whose consumer comes later": func(int) planted {
		return planted{
			apps: []string{"0 a\n" + object("StorageClass", "local", "-1", "provisioner: example.com/p, volumeBindingMode: WaitForFirstConsumer") +
				object("PersistentVolumeClaim", "data", "0", "spec: {storageClassName: local}") + workload("db", "1", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")},
			chain: []string{"PersistentVolumeClaim team/data", "Deployment.apps team/db"},
			links: []string{"PersistentVolumeClaim team/data", "Deployment.apps team/db"},
		}
	},
	"a kind of a later Application": func(int) planted {
		return planted{
			apps:  []string{"0 a\n" + object("Widget", "w", "0", ""), "1 b\n" + definition("0", "example.com", "Widget", "widgets", "Namespaced")},
			chain: []string{"Widget.example.com team/w", "CustomResourceDefinition.apiextensions.k8s.io widgets.example.com", "Application.argoproj.io argocd/a", "Widget.example.com team/w"},
			links: []string{"Widget.example.com team/w", "CustomResourceDefinition.apiextensions.k8s.io widgets.example.com", "Application.argoproj.io argocd/a"},
		}
	},
	"a webhook whose pods come later": func(int) planted {
		guard := object("ValidatingWebhookConfiguration", "guard", "0", "webhooks: [{name: g, failurePolicy: Fail, clientConfig: {caBundle: Y2E=, service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], resources: [widgets], operations: [CREATE]}]}]")
		return planted{
			apps:  []string{"0 a\n" + definition("-1", "example.com", "Widget", "widgets", "Namespaced") + guard + service("guard", "0") + object("Widget", "w", "1", "") + workload("guard", "2", "")},
			chain: []string{"Widget.example.com team/w", "Deployment.apps team/guard"},
			links: []string{"Widget.example.com team/w", "Deployment.apps team/guard"},
		}
	},
}

// harmless are Applications with which nothing is wrong, whatever stands beside them.
var harmless = []string{
	"%d quiet-%d\n{apiVersion: v1, kind: ConfigMap, metadata: {name: quiet-%[2]d, namespace: team}}",
	"%d quiet-%d\n{apiVersion: v1, kind: Secret, metadata: {name: quiet-%[2]d, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '-1'}}}\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: quiet-%[2]d, namespace: team}, spec: {template: {spec: {containers: [], volumes: [{name: v, secret: {secretName: quiet-%[2]d}}]}}}}",
	"%d quiet-%d\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: q%[2]ds.quiet.com}, spec: {group: quiet.com, scope: Namespaced, names: {kind: Q%[2]d, plural: q%[2]ds}}}\n---\n{apiVersion: quiet.com/v1, kind: Q%[2]d, metadata: {name: q, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '1'}}}",
	"%d quiet-%d\n{apiVersion: batch/v1, kind: Job, metadata: {name: quiet-%[2]d, namespace: team, annotations: {argocd.argoproj.io/hook: PreSync}}, spec: {template: {spec: {containers: []}}}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: quiet-%[2]d, namespace: team}}",
}

// TestPlantedWorlds gets one thing wrong in a random world where all else is right. The verdict is bad; without any one link of a
// printed chain its Application ends well; and without one that is part of what was planted, all do: no link is superfluous. And the
// chain is the one that was planted: no link is missing.
func TestPlantedWorlds(t *testing.T) {
	manyWorlds(t, 30)
	names := make([]string, 0, len(plants))
	for name := range plants {
		names = append(names, name)
	}
	slices.Sort(names)
	seen, links, held := map[string]int{}, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "plant")
		p := plants[name](rapid.IntRange(0, 4).Draw(rt, "hops"))
		for i := range rapid.IntRange(0, 4).Draw(rt, "others") {
			p.apps = append(p.apps, fmt.Sprintf(rapid.SampledFrom(harmless).Draw(rt, "other"), rapid.IntRange(-1, 2).Draw(rt, "wave"), i))
		}
		in := scenario{apps: p.apps, given: append(p.given, team)}.input(t)
		proof := coldstart.Prove(in)
		if want := cmp.Or(p.want, coldstart.Deadlock); proof.Verdict != want && proof.Verdict != coldstart.Deadlock || proof.Verdict.Good() {
			rt.Fatalf("%s: %s, want %s", name, proof.Verdict, want)
		}
		p.checkChain(rt, proof)
		seen[name]++
		links += p.curedWithout(rt, in, proof)
		held += curesHold(rt, in, proof)
	})
	t.Logf("%d links taken away one by one, %d cures made; %v", links, held, seen)
	if held == 0 {
		t.Error("no world had a cure")
	}
}

// checkChain compares the chain of Application a with what was planted: every link, and none besides.
func (p planted) checkChain(t *rapid.T, proof coldstart.Proof) {
	i := slices.IndexFunc(proof.Outcomes, func(o coldstart.Outcome) bool { return o.Application == "a" })
	var got []string
	for _, l := range proof.Outcomes[i].Chain {
		got = append(got, strings.TrimSpace(l.Object.String()))
	}
	if !slices.Equal(got, p.chain) {
		t.Fatalf("the chain of a is %s\nwant %s", strings.Join(got, " ▸ "), strings.Join(p.chain, " ▸ "))
	}
}

// curedWithout takes every link of every chain away. It returns how many.
func (p planted) curedWithout(t *rapid.T, in coldstart.Input, before coldstart.Proof) int {
	taken := 0
	eachLink(t, in, before, func(i, at int, after coldstart.Proof) {
		taken++
		o, now := before.Outcomes[i], after.Outcomes[i]
		if left := leftOver(o, at, now); left != "" || !now.Verdict.Good() {
			t.Fatalf("%s without link %d is %s %s\nbefore: %s\nafter:  %s", o.Application, at, now.Verdict, left, chainText(o.Chain), chainText(now.Chain))
		}
		if slices.Contains(p.links, strings.TrimSpace(o.Chain[at].Object.String())) && !after.Verdict.Good() {
			t.Fatalf("without link %d of %s all is %s\nbefore: %s\nafter: %s", at, o.Application, after.Verdict, chainText(o.Chain), allChains(after))
		}
	})
	return taken
}

func allChains(p coldstart.Proof) string {
	var lines []string
	for _, o := range p.Outcomes {
		lines = append(lines, fmt.Sprintf("%s %s: %s", o.Application, o.Verdict, chainText(o.Chain)))
	}
	return strings.Join(lines, "\n  ")
}
