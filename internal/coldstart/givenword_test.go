package coldstart

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFactsCanBeGiven keeps every kind of fact that a chain may name as lacking among the words that a given may begin with.
func TestFactsCanBeGiven(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`needs\.Type += "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			if found++; !slices.Contains(factWords(), m[1]) {
				t.Errorf("%s: a fact %q cannot be given", f.Name(), m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d kinds of facts were found", found)
	}
}

// TestCheckGiven states which assumptions are none.
func TestCheckGiven(t *testing.T) {
	for fact, want := range map[string]string{
		"ability load-balancer-address": "", "kind Widget.example.com": "", "Secret team/token": "", "CustomResourceDefinition.apiextensions.k8s.io w": "",
		"ability load-balancer-address of class x": "", "namespace team": "", "sync-window a": "", "webhook w skips Secret team/a": "", "bootstrap-source host": "", "attempts a": "", "attempts *": "", "repository ${GIT}/a": "", "cluster https://far": "", "node a=b": "",
		"health Widget.example.com": "", "endpoints team/web": "", "controller Ingress.networking.k8s.io": "", "reachable 10.0.0.1": "", "application-namespace a": "",
		"binding fast Immediate": "", "binding default-storage-class WaitForFirstConsumer": "", "binding fast": "says of no StorageClass how it binds", "binding fast Later": "says of no StorageClass",
		"ca-injected guard": "", "volume team/c": "", "key k of Secret team/a": "", "consumer team/c": "",
		"address team/web": "", "admission w": "", "let-in team/web": "", "let-out Deployment team/web": "", "cilium-lets-in team/web": "", "cilium-lets-out Deployment team/web": "",
		"nonsense foo":               `no fact begins with "nonsense": known are`,
		"abilities x":                `did you mean "ability"?`,
		"ability load-balancer-addr": `there is no ability "load-balancer-addr": did you mean "load-balancer-address"?`,
		"Secret":                     "says of nothing",
	} {
		err := CheckGiven([]Given{{Fact: fact}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", fact, err, want)
		}
	}
	both := []Given{{Fact: "binding fast WaitForFirstConsumer"}, {Fact: "binding slow Immediate"}, {Fact: "binding fast Immediate"}}
	if err := CheckGiven(both); err == nil || !strings.Contains(err.Error(), "given[0].fact: StorageClass fast cannot bind in both modes") {
		t.Errorf("two modes of one class: %v", err)
	}
}
