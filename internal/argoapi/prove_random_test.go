package argoapi_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// pieces are what random worlds are made of; %[1]s is the name, %[2]s the wave, %[3]s what it refers to.
var pieces = []string{
	"{apiVersion: v1, kind: ConfigMap, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}}",
	"{apiVersion: v1, kind: Secret, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}}",
	"{apiVersion: v1, kind: ServiceAccount, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}}",
	"{apiVersion: apps/v1, kind: Deployment, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: {serviceAccountName: %[3]s, containers: [{name: c, image: i, envFrom: [{configMapRef: {name: %[3]s}}]}]}}}}",
	"{apiVersion: batch/v1, kind: Job, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {template: {spec: {containers: [{name: c, image: i, envFrom: [{secretRef: {name: %[3]s}}]}]}}}}",
	"{apiVersion: v1, kind: Service, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {type: LoadBalancer}}",
	"{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}}",
	"{apiVersion: example.com/v1, kind: Widget, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}}",
	"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}}}",
	"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: %[1]s, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, webhooks: [{name: w, failurePolicy: Fail, clientConfig: {caBundle: Y2E=, service: {namespace: team, name: %[3]s}}, rules: [{apiGroups: [example.com], resources: ['*'], operations: [CREATE]}]}]}",
	"{apiVersion: v1, kind: Service, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {selector: {app: %[3]s}}}",
	"{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {secretStoreRef: {kind: ClusterSecretStore, name: %[3]s}}}",
	"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {podSelector: {matchLabels: {app: %[3]s}}, policyTypes: [Ingress]}}",
	"{apiVersion: v1, kind: ResourceQuota, metadata: {name: %[1]s, namespace: team, annotations: {argocd.argoproj.io/sync-wave: '%[2]s'}}, spec: {hard: {pods: '2'}}}",
}

// possible are the facts that a random world may be given, besides what it lacks itself.
var possible = []string{
	"ability load-balancer-address", "kind Widget.example.com", "kind IPAddressPool.metallb.io", "kind ExternalSecret.external-secrets.io",
	"controller IPAddressPool.metallb.io", "controller ExternalSecret.external-secrets.io", "endpoints team/n1", "endpoints team/n2", "ClusterSecretStore.external-secrets.io n1",
	"Secret team/n0", "Secret team/n3", "ConfigMap team/n1", "ServiceAccount team/n2", "StorageClass.storage.k8s.io n0",
}

// randomWorld draws up to four Applications in waves of a root, with up to six objects each, which refer to each other's names.
func randomWorld(t *rapid.T, judge *argoapi.Judge) coldstart.Input {
	in := coldstart.Input{Version: argocd.Version{Major: 3, Minor: 2}, Health: judge.Health, Given: []coldstart.Given{{Fact: team}}}
	root := coldstart.Application{Object: applicationObject("root", "", nil)}
	number := 0
	for i := range rapid.IntRange(1, 4).Draw(t, "Applications") {
		app := coldstart.Application{Object: applicationObject(fmt.Sprintf("app%d", i), rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "wave"), nil)}
		for range rapid.IntRange(1, 6).Draw(t, "objects") {
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			text := fmt.Sprintf(strings.ReplaceAll(piece, "%[3]s", fmt.Sprintf("n%d", rapid.IntRange(0, 8).Draw(t, "reference"))), fmt.Sprintf("n%d", number), rapid.SampledFrom([]string{"-1", "0", "1"}).Draw(t, "object's wave"))
			number++
			objects, _, err := manifest.Decode([]byte(text))
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			app.Objects = append(app.Objects, objects...)
		}
		root.Objects = append(root.Objects, app.Object)
		in.Applications = append(in.Applications, app)
	}
	in.Applications = append(in.Applications, root)
	for _, fact := range rapid.SliceOfNDistinct(rapid.SampledFrom(possible), 0, 8, rapid.ID[string]).Draw(t, "given") {
		in.Given = append(in.Given, coldstart.Given{Fact: fact})
	}
	return in
}

// TestRandomWorlds states what holds of every world: more that is given never hurts; without any one link of a printed chain
// that chain is gone; names count for nothing but their order.
func TestRandomWorlds(t *testing.T) {
	version := argocd.Version{Major: 3, Minor: 2}
	judge, err := argoapi.NewJudge(version, emitted(version))
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[coldstart.Verdict]int{}
	manyWorlds(t, 100)
	rapid.Check(t, func(t *rapid.T) {
		in := randomWorld(t, judge)
		proof := coldstart.Prove(in)
		verdicts[proof.Verdict]++
		properties := []func(*rapid.T, coldstart.Input, coldstart.Proof){moreGiven, renamed, unchained, cured} // one a world: proofs take their time
		properties[rapid.IntRange(0, len(properties)-1).Draw(t, "property")](t, in, proof)
	})
	t.Logf("%v", verdicts)
	for _, v := range []coldstart.Verdict{coldstart.Proven, coldstart.Deadlock, coldstart.Fails} {
		if verdicts[v] == 0 {
			t.Errorf("no world ends %s", v)
		}
	}
}

// moreGiven adds one fact: no Application ends worse, as verdicts of what happens go; UNKNOWN may be settled either way.
func moreGiven(t *rapid.T, in coldstart.Input, before coldstart.Proof) {
	facts := append(slices.Clone(possible), before.Drafts...)
	in.Given = append(slices.Clone(in.Given), coldstart.Given{Fact: rapid.SampledFrom(facts).Draw(t, "one more")})
	after := coldstart.Prove(in)
	for i, o := range before.Outcomes {
		if now := after.Outcomes[i]; o.Verdict.Good() && !now.Verdict.Good() && now.Verdict != coldstart.Unhealthy {
			t.Fatalf("%s was %s and is %s with %s given:\n%s", o.Application, o.Verdict, now.Verdict, in.Given[len(in.Given)-1].Fact, chainText(now.Chain))
		}
	}
}

// renamed gives every object another name of the same order: nothing but names changes.
func renamed(t *rapid.T, in coldstart.Input, before coldstart.Proof) {
	rename := func(text string) string {
		for i := range 30 {
			text = strings.ReplaceAll(text, fmt.Sprintf("n%d\"", i), fmt.Sprintf("n%dx\"", i))
		}
		return text
	}
	other := in
	other.Applications, other.Given = nil, nil
	for _, a := range in.Applications {
		var objects []manifest.Object
		for _, o := range a.Objects {
			list, _, err := manifest.Decode([]byte(rename(asJSON(t, o))))
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, list...)
		}
		a.Objects = objects
		other.Applications = append(other.Applications, a)
	}
	for _, g := range in.Given {
		g.Fact = strings.TrimSuffix(rename(g.Fact+"\""), "\"")
		other.Given = append(other.Given, g)
	}
	after := coldstart.Prove(other)
	for i, o := range before.Outcomes {
		if now := after.Outcomes[i]; now.Verdict != o.Verdict || now.Attempts != o.Attempts || len(now.Chain) != len(o.Chain) {
			t.Fatalf("%s was %s and is %s under other names\n%s\n%s", o.Application, o.Verdict, now.Verdict, chainText(o.Chain), chainText(now.Chain))
		}
	}
}

// unchained takes every link out of the chain of each bad end: what is left is no reason any more.
func unchained(t *rapid.T, in coldstart.Input, before coldstart.Proof) {
	everyLinkCounts(t, in, before)
}

// cured does what the cures say.
func cured(t *rapid.T, in coldstart.Input, before coldstart.Proof) { curesHold(t, in, before) }

func asJSON(t *rapid.T, o manifest.Object) string {
	data, err := jsonOf(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func jsonOf(o manifest.Object) (string, error) {
	data, err := json.Marshal(o.Fields())
	return string(data), err
}

// manyWorlds lets a property look at as many random worlds as GEN_WORLDS says, else at a few.
func manyWorlds(t *testing.T, few int) {
	t.Helper()
	n := os.Getenv("GEN_WORLDS")
	if n == "" {
		n = strconv.Itoa(few)
		t.Logf("%s worlds: more with GEN_WORLDS", n)
	}
	before := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", before) })
}
