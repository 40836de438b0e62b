package argoapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// TestEndings states what a person sees of each Application in the end, and what is healthy before it is made.
func TestEndings(t *testing.T) {
	balancer := object("Service", "web", "0", "spec: {type: LoadBalancer}")
	last := object("ConfigMap", "last", "1", "")
	store := operator("store", "-1", "external-secrets.io", "clustersecretstores") + definition("-1", "external-secrets.io", "ClusterSecretStore", "clustersecretstores", "Cluster")
	secret := object("ClusterSecretStore", "s", "0", "spec: {provider: {fake: {tokenSecretRef: {name: nobody, key: k, namespace: team}}}}")
	widget := object("Widget", "w", "0", "")
	crds := definition("0", "example.com", "Widget", "widgets", "Namespaced")
	tests := map[string]struct {
		apps  []string
		none  bool
		want  string // a word for each Application, by name
		after string // what the last Application comes after
	}{
		"all well":                         {apps: []string{"0 a\n" + crds, "1 b\n" + widget}, want: "settled settled settled", after: "a"},
		"waves that gate nothing":          {apps: []string{"0 a\n" + crds, "1 b\n" + last}, none: true, want: "settled settled settled"},
		"an object is waited for":          {apps: []string{"- a\n" + balancer + last}, want: "hangs"},
		"the last step is not waited for":  {apps: []string{"- a\n" + balancer}, want: "ends"},
		"a child holds its parent":         {apps: []string{"0 a\n" + balancer, "1 b\n" + last}, want: "ends absent hangs", after: "a"},
		"a child of the last wave":         {apps: []string{"0 a\n" + last, "1 b\n" + balancer}, want: "settled ends ends", after: "a"},
		"a kind that nobody brings":        {apps: []string{"- a\n" + widget}, want: "fails"},
		"a kind that comes too late":       {apps: []string{"0 a\n" + widget, "1 b\n" + crds}, want: "fails absent hangs", after: "a"},
		"Degraded, and nothing else waits": {apps: []string{"- a\n" + store + secret + last}, want: "fails"},
		"Degraded, and a Service waits":    {apps: []string{"- a\n" + store + secret + balancer + last}, want: "hangs"},
		"nobody syncs it":                  {apps: []string{"0 a manual\n" + last}, want: "idle ends"},
		"attempts are used up":             {apps: []string{"0 a limit=0\n" + widget, "0 b\n" + crds}, want: "fails settled ends"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			proof := coldstart.Prove(scenario{apps: test.apps, given: []string{team}, noHealth: test.none}.input(t))
			var got []string
			var after string
			for _, o := range proof.Outcomes {
				got = append(got, string(o.Ending))
				if o.Application != "root" {
					after = strings.Join(o.After, " ")
				}
			}
			if diff := cmp.Diff(test.want+"|"+test.after, strings.Join(got, " ")+"|"+after); diff != "" {
				t.Errorf("endings (-want +got):\n%s\n%+v", diff, proof.Outcomes)
			}
		})
	}
}

// TestTimeLimitNote states where Argo CD may end the operation of a root that waits: its settings are among the objects, it waits, and
// the limit is shorter than 20 minutes for each Application and the root.
func TestTimeLimitNote(t *testing.T) {
	const note = "root: its operation is ended after 59m59s (controller.sync.timeout.seconds) if its 2 Applications take longer"
	last := object("ConfigMap", "last", "1", "")
	limited := func(seconds, namespace string) string {
		return "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cmd-params-cm, namespace: " + namespace + "}, data: {controller.sync.timeout.seconds: \"" + seconds + "\"}}\n"
	}
	for name, test := range map[string]struct {
		apps []string
		none bool
		want bool
	}{
		"shorter":              {apps: []string{"0 a\n" + last, "1 b\n" + last + limited("3599", "argocd")}, want: true},
		"long enough":          {apps: []string{"0 a\n" + last, "1 b\n" + last + limited("3600", "argocd")}},
		"none":                 {apps: []string{"0 a\n" + last, "1 b\n" + last + limited("0", "argocd")}},
		"of another Argo CD":   {apps: []string{"0 a\n" + last, "1 b\n" + last + limited("60", "other")}},
		"nothing is waited on": {apps: []string{"0 a\n" + last, "0 b\n" + last + limited("60", "argocd")}},
		"nothing gates":        {apps: []string{"0 a\n" + last, "1 b\n" + last + limited("60", "argocd")}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range coldstart.Prove(scenario{apps: test.apps, given: []string{team}, noHealth: test.none}.input(t)).Outcomes {
				for _, n := range o.Notes {
					if strings.Contains(n, "its operation is ended") {
						got = append(got, o.Application+": "+n)
					}
				}
			}
			if test.want != (len(got) == 1 && strings.HasPrefix(got[0], note)) || !test.want && len(got) > 0 {
				t.Errorf("notes %q, wanted %t", got, test.want)
			}
		})
	}
}
