package generators

import (
	order "cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// committed is a sample environment as output/ holds it.
func committed(t *testing.T, env *environment.Environment) component.Finished {
	t.Helper()
	components, err := component.Resolve(env, All())
	if err != nil {
		t.Fatal(err)
	}
	names := map[manifest.ID]string{}
	in := component.Finished{
		Environment: env, Components: components,
		FileOf:   func(o manifest.Object) string { return names[o.ID()] },
		FolderOf: func(name string) string { return "components/" + name },
	}
	root := filepath.Join("..", "output", env.Name)
	for _, c := range components {
		b := manifest.Bundle{Name: c.Name}
		for _, file := range glob(t, filepath.Join(root, "components", c.Name, "*.yaml")) {
			o := decodeFile(t, file)
			names[o.ID()] = filepath.Base(file)
			b.Objects = append(b.Objects, o)
		}
		manifest.Sort(b.Objects)
		in.Bundles = append(in.Bundles, b)
	}
	in.Root.Name = "root"
	for _, file := range glob(t, filepath.Join(root, "apps", "application.*.yaml")) {
		o := decodeFile(t, file)
		wave, err := strconv.Atoi(o.Annotation("argocd.argoproj.io/sync-wave"))
		if err != nil {
			t.Fatal(err)
		}
		in.Applications = append(in.Applications, argocd.Application{Name: o.ID().Name, Wave: wave, Source: argocd.Source{
			RepoURL: o.String("spec", "source", "repoURL"), TargetRevision: o.String("spec", "source", "targetRevision"), Path: o.String("spec", "source", "path"),
		}})
	}
	slices.SortStableFunc(in.Applications, func(a, b argocd.Application) int {
		return order.Or(a.Wave-b.Wave, order.Compare(a.Name, b.Name))
	})
	return in
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

func decodeFile(t *testing.T, file string) manifest.Object {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects, _, err := manifest.Decode(data)
	if err != nil || len(objects) != 1 {
		t.Fatalf("%s: %d objects, %v", file, len(objects), err)
	}
	return objects[0]
}

// The committed files are the golden ones: gen render writes them.
func TestBootstrapOfSamples(t *testing.T) {
	for _, env := range sample(t) {
		files, err := buildBootstrap(committed(t, env))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			want, err := os.ReadFile(filepath.Join("..", "output", env.Name, "bootstrap", f.Name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(f.Data)); diff != "" {
				t.Errorf("%s/%s: render the sample again, and look (-want +got)\n%s", env.Name, f.Name, diff)
			}
		}
	}
}

// Every workload of the first steps is waited for, and nothing that is not there.
func TestBootstrapWaitsForAllWorkloads(t *testing.T) {
	for _, env := range sample(t) {
		in := committed(t, env)
		var want, got []string
		for _, name := range []string{"cilium", "cilium-config", "argo-cd"} {
			for _, file := range glob(t, filepath.Join("..", "output", env.Name, "components", name, "*.yaml")) {
				kind, rest, _ := strings.Cut(filepath.Base(file), "_")
				if namespace, object, ok := strings.Cut(rest, "_"); ok && slices.Contains([]string{"deployment", "daemonset", "statefulset", "job"}, kind) {
					want = append(want, namespace+" "+kind+"/"+strings.TrimSuffix(object, ".yaml"))
				}
			}
		}
		for _, call := range dryRun(t, in) {
			words := strings.Fields(call)
			for i, word := range words {
				if word == "status" || word == "wait" && strings.HasPrefix(words[min(i+1, len(words)-1)], "job/") {
					got = append(got, words[slices.Index(words, "-n")+1]+" "+words[i+1])
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", env.Name, diff)
		}
	}
}

const (
	network = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: net, namespace: kube-system}, spec: {selector: {matchLabels: {a: b}}, template: {spec: {
		hostNetwork: true, containers: [{name: c, image: quay.example.internal/net:1, env: [{name: X, valueFrom: {secretKeyRef: {name: key, key: k}}}]}],
		volumes: [{name: cni, hostPath: {path: /etc/cni/net.d}}]}}}}`
	chained    = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: kube-system}, spec: {template: {spec: {hostNetwork: true, volumes: [{name: x, hostPath: {path: /var/log}}]}}}}`
	controller = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: argocd-application-controller, namespace: argocd}, spec: {template: {spec: {containers: [{name: c, image: argocd, args: [/usr/local/bin/argocd-application-controller]}]}}}}`
	secretKey  = `{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: kube-system}}`
	widget     = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: kube-system}}`
	widgetCRD  = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, names: {kind: Widget, plural: widgets}, scope: Namespaced, versions: [{name: v1, served: true, storage: true}]}}`
)

// small is an environment of the given components: name, needs after a space, objects.
func small(t *testing.T, in string, parts map[string][]string) component.Finished {
	t.Helper()
	f := component.Finished{
		Environment: &environment.Environment{Name: "lab", ArgoCD: environment.ArgoCD{In: in, Namespace: "argocd", Cluster: "lab"}, Git: environment.Git{URL: "https://git.example.internal/fleet.git"}},
		FileOf:      func(o manifest.Object) string { return strings.ToLower(o.ID().Kind) + "_" + o.ID().Name + ".yaml" },
		FolderOf:    func(name string) string { return "components/" + name },
	}
	f.Environment.Facts.ControlPlane = &environment.ControlPlane{Endpoint: "https://10.0.0.1:6443"}
	f.Root.Name = "root"
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		words := strings.Fields(name)
		b := manifest.Bundle{Name: words[0]}
		for _, text := range parts[name] {
			objects, _, err := manifest.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			b.Objects = append(b.Objects, objects...)
		}
		f.Bundles = append(f.Bundles, b)
		f.Components = append(f.Components, component.Component{Name: words[0], Needs: words[1:]})
		f.Applications = append(f.Applications, argocd.Application{Name: words[0], Source: argocd.Source{Path: "output/lab/components/" + words[0]}})
	}
	return f
}

func TestBootstrapChoice(t *testing.T) {
	tests := map[string]struct {
		in    string
		parts map[string][]string
		want  string
		err   string
	}{
		"network, Argo CD, their needs":  {"cluster", map[string][]string{"argo dns": {controller}, "dns": {secretKey}, "net": {network}, "other net": nil}, "dns net argo", ""},
		"Argo CD last":                   {"cluster", map[string][]string{"argo": {controller}, "net": {network}}, "net argo", ""},
		"a plugin beside the network":    {"cluster", map[string][]string{"argo": {controller}, "net": {network}, "second": {strings.Replace(network, "quay.example.internal/net", "quay.example.internal/multus-cni", 1)}}, "net argo", ""},
		"the cluster's own network":      {"cluster", map[string][]string{"argo": {controller}, "logs": {chained}}, "argo", ""},
		"Argo CD comes from elsewhere":   {"cluster", map[string][]string{"net": {network}, "other": nil}, "net", ""},
		"a hub reaches the cluster":      {"hub", map[string][]string{"net": {network}}, "", ""},
		"nobody delivers":                {"none", map[string][]string{"argo": {controller}, "net": {network}}, "net", ""},
		"a Secret that comes too late":   {"cluster", map[string][]string{"net": {network}, "vault": {secretKey}}, "", "net: DaemonSet.apps kube-system/net needs Secret kube-system/key, which only vault brings"},
		"the Secret comes with it":       {"cluster", map[string][]string{"net vault": {network}, "vault": {secretKey}}, "vault net", ""},
		"a kind that comes too late":     {"cluster", map[string][]string{"net": {network, widget}, "crds": {widgetCRD}}, "", "net: Widget.example.com kube-system/w needs kind Widget.example.com, which only crds brings"},
		"needs that go round":            {"none", map[string][]string{"a net": nil, "net a": {network}}, "", "ordering the first steps: of a, net, each needs another"},
		"what nobody brings is no error": {"cluster", map[string][]string{"net": {network, widget}}, "net", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := choose(small(t, tt.in, tt.parts))
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Fatalf("error: got %v, want %s…", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(c.order, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBootstrapOfNobody(t *testing.T) {
	files, err := buildBootstrap(small(t, "none", map[string][]string{"other": nil}))
	if err != nil || files != nil {
		t.Errorf("got %v, %v; want nothing", files, err)
	}
}
