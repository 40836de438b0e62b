package argoapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/source"
)

// corpus returns the folder of rendered public charts: GEN_CORPUS, or shared/corpus beside the checkout.
func corpus(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("GEN_CORPUS"), "../../../shared/corpus", "../../../../shared/corpus"} {
		if _, err := os.Stat(filepath.Join(dir, "IMAGES.tsv")); dir != "" && err == nil {
			return dir
		}
	}
	t.Skip("no corpus of rendered charts: neither GEN_CORPUS nor shared/corpus beside the checkout")
	return ""
}

// charts states how each chart ends as one Application on an empty cluster of which nothing is given, with what a person should read
// beside it; and with the options that cure it. Checked by hand against what Argo CD does.
var charts = []struct {
	name, options string
	given         []string
	want          coldstart.Verdict
	chain         string
	notes         []string
}{
	// Roles bring its accounts, PreSync hooks the Secret of redis; nothing of it waits for anybody else.
	{name: "argo-cd", want: coldstart.Proven},
	// Rendered with a ServiceMonitor, whose CRD is another's: the look at all kinds fails the whole Application (argo-cd#1884, #4810).
	{name: "cert-manager", want: coldstart.Fails, chain: "kind ServiceMonitor.monitoring.coreos.com comes from nobody"},
	// It lives in a namespace of its own, which CreateNamespace does not make (argo-cd#11625).
	{name: "cert-manager", given: []string{"kind ServiceMonitor.monitoring.coreos.com"}, want: coldstart.Fails, chain: "namespace cert-manager comes from nobody"},
	// PostSync's startupapicheck makes every Sync object gate: all have what they need, but a look at a CRD may come too early.
	{name: "cert-manager", given: []string{"kind ServiceMonitor.monitoring.coreos.com", "namespace cert-manager"}, want: coldstart.Proven, notes: []string{"cert-manager.io is Degraded for a moment"}},
	// One step and no hooks, so that the sync ends, and the Service is Progressing for ever; its EndpointSlice is overlooked (argo-cd#24030).
	{name: "cilium", want: coldstart.Unhealthy, chain: "Service kube-system/cilium-ingress waits for an address", notes: []string{"EndpointSlice.discovery.k8s.io kube-system/cilium-ingress is never applied"}},
	// With an address what is left is a ConfigMap that clustermesh-apiserver mounts, not optional, and that the chart does not render.
	{name: "cilium", given: []string{"ability load-balancer-address"}, want: coldstart.Unknown, chain: "ConfigMap kube-system/clustermesh-remote-users comes from nobody"},
	// CRDs beyond 262144 bytes (keda charts#580 and its like).
	{name: "external-secrets", want: coldstart.Fails, chain: "clustersecretstores.external-secrets.io is larger than a client-side apply can store"},
	{name: "external-secrets", options: ", ServerSideApply=true", want: coldstart.Proven},
	// The patch Job is a PostSync hook, so that the Service of type LoadBalancer gates (argo-cd#15030).
	{name: "ingress-nginx", want: coldstart.Deadlock, chain: "Service ingress-nginx-ns/ingress-nginx-controller waits for an address"},
	{name: "ingress-nginx", given: []string{"ability load-balancer-address"}, want: coldstart.Proven},
	{name: "kube-state-metrics", want: coldstart.Proven},
	// Its webhooks fail closed, and no pool is in the chart: nothing must be admitted.
	{name: "metallb", want: coldstart.Proven},
	// The APIService is answered by its own pods.
	{name: "metrics-server", want: coldstart.Proven},
	{name: "prometheus-node-exporter", want: coldstart.Proven},
	{name: "sealed-secrets", want: coldstart.Proven},
}

// TestCharts proves every chart of the corpus as one Application.
func TestCharts(t *testing.T) {
	dir := corpus(t)
	for _, c := range charts {
		t.Run(c.name+" "+c.options+strings.Join(c.given, " "), func(t *testing.T) {
			objects := chartObjects(t, dir, c.name)
			in := coldstart.Input{Version: argocd.Version{Major: 3, Minor: 2}, Filter: argocd.Filter{Exclusions: argocd.DefaultExclusions(argocd.Version{Major: 3, Minor: 2})}}
			judge, err := argoapi.NewJudge(in.Version, manifest.Object{})
			if err != nil {
				t.Fatal(err)
			}
			in.Health = judge.Health
			for _, fact := range c.given {
				in.Given = append(in.Given, coldstart.Given{Fact: fact})
			}
			app := decoded(t, "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: "+c.name+", namespace: argocd}, spec: {project: default, source: {repoURL: r, path: p}, destination: {name: in-cluster, namespace: "+
				c.name+"-ns}, syncPolicy: {automated: {}, retry: {limit: -1}, syncOptions: [CreateNamespace=true"+c.options+"]}}}")[0]
			in.Applications = []coldstart.Application{{Object: app, Objects: objects, Bootstrap: coldstart.Bootstraps(objects)}}
			o := coldstart.Prove(in).Outcomes[0]
			var chain []string
			for _, l := range o.Chain {
				chain = append(chain, l.Object.String()+" "+l.Text)
			}
			text := strings.Join(chain, " ▸ ")
			if o.Verdict != c.want || !strings.Contains(text, c.chain) || c.chain == "" && text != "" {
				t.Errorf("%s %s %s\n%s", o.Verdict, text, o.Axiom, strings.Join(o.Notes, "\n"))
			}
			for _, note := range c.notes {
				if !strings.Contains(strings.Join(o.Notes, "\n"), note) {
					t.Errorf("no note %q in:\n%s", note, strings.Join(o.Notes, "\n"))
				}
			}
		})
	}
}

func chartObjects(t *testing.T, dir, name string) []manifest.Object {
	t.Helper()
	app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec: {project: default, destination: {name: in-cluster}, source: {repoURL: r, path: ., directory: {include: " + name + ".yaml}}}\n"
	folder := t.TempDir()
	data, err := os.ReadFile(filepath.Join(dir, name+".yaml"))
	for file, content := range map[string][]byte{"app.yml": []byte(app), name + ".yaml": data} {
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file), content, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	read, err := source.Load(t.Context(), os.DirFS(folder), "app.yml", source.Tools{})
	if err != nil {
		t.Fatal(err)
	}
	return read.Applications[0].Objects
}
