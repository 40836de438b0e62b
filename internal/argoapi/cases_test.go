package argoapi_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argoapi"
	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// scenario is one cold start and how it has to end. Applications are written as "wave name [option…]", with documents below;
// those with a wave stand under a root. Argo CD has the health scripts in its argocd-cm that gen emits, unless noHealth says that it
// has none.
type scenario struct {
	apps     []string
	given    []string
	version  string
	noHealth bool
	want     string   // of the whole
	each     []string // "name VERDICT"
	chain    []string // what the chain of the first Application that ends badly names, in this order
	cure     string   // a part of its cure
	axiom    string
	settings map[string]any // more of argocd-cm
	notes    []string       // parts of notes, of whatever Application
	silent   []string       // parts that no note may have
	repo     string         // where all Applications are read from
	hosts    []string       // that the machines ask
	stated   []coldstart.Given
	today    string
	projects string // AppProjects that are there before the start
	network  bool   // nodes have one before anything is applied
	root     string // more objects of the root: ApplicationSets, whose Applications are written as "set:NAME name label=k:v"
}

// apiOf is the apiVersion in which the scenarios write a kind.
func apiOf(kind string) string {
	api := map[string]string{
		"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1", "Ingress": "networking.k8s.io/v1", "IngressClass": "networking.k8s.io/v1",
		"StorageClass": "storage.k8s.io/v1", "CustomResourceDefinition": "apiextensions.k8s.io/v1", "ClusterRole": "rbac.authorization.k8s.io/v1",
		"ClusterRoleBinding": "rbac.authorization.k8s.io/v1", "ValidatingWebhookConfiguration": "admissionregistration.k8s.io/v1",
		"IPAddressPool": "metallb.io/v1beta1", "CiliumLoadBalancerIPPool": "cilium.io/v2alpha1", "ClusterSecretStore": "external-secrets.io/v1",
		"ExternalSecret": "external-secrets.io/v1", "Widget": "example.com/v1", "AppProject": "argoproj.io/v1alpha1",
		"MutatingWebhookConfiguration": "admissionregistration.k8s.io/v1", "NetworkPolicy": "networking.k8s.io/v1", "APIService": "apiregistration.k8s.io/v1",
		"HorizontalPodAutoscaler": "autoscaling/v2", "Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
		"Certificate": "cert-manager.io/v1", "Issuer": "cert-manager.io/v1", "SealedSecret": "bitnami.com/v1alpha1", "CronJob": "batch/v1",
		"PodDisruptionBudget": "policy/v1", "Gateway": "gateway.networking.k8s.io/v1", "HTTPRoute": "gateway.networking.k8s.io/v1",
		"GatewayClass": "gateway.networking.k8s.io/v1", "EndpointSlice": "discovery.k8s.io/v1", "PriorityClass": "scheduling.k8s.io/v1",
		"ServiceMonitor": "monitoring.coreos.com/v1", "PrometheusRule": "monitoring.coreos.com/v1", "Prometheus": "monitoring.coreos.com/v1",
		"ConstraintTemplate": "templates.gatekeeper.sh/v1", "K8sRequired": "constraints.gatekeeper.sh/v1beta1", "Subscription": "operators.coreos.com/v1alpha1",
		"Provider": "pkg.crossplane.io/v1", "ProviderConfig": "aws.example.com/v1", "Cluster": "postgresql.cnpg.io/v1", "KnativeServing": "operator.knative.dev/v1beta1", "IngressRoute": "traefik.io/v1alpha1",
	}[kind]
	if api == "" {
		api = "v1"
	}
	return api
}

// object writes one object in short: "Kind name wave", a namespaced one in "team", with fields in flow style.
func object(kind, name, wave, fields string) string {
	api := apiOf(kind)
	annotations := ""
	if phase, w, ok := strings.Cut(wave, "/"); ok {
		annotations, wave = "argocd.argoproj.io/hook: "+phase+", ", w
	}
	if strings.HasPrefix(wave, "helm:") {
		annotations, wave = "helm.sh/hook: "+strings.TrimPrefix(wave, "helm:")+", ", "0"
	}
	meta := fmt.Sprintf("name: %s, annotations: {%sargocd.argoproj.io/sync-wave: %q}", name, annotations, wave)
	clusterWide := []string{"CiliumLoadBalancerIPPool", "ClusterSecretStore", "AppProject", "ConstraintTemplate", "K8sRequired", "Provider", "ProviderConfig", "GatewayClass"}
	if scope := manifest.BuiltinScope(group(api), kind); scope == manifest.Namespaced || scope == manifest.Unknown && !slices.Contains(clusterWide, kind) {
		meta += ", namespace: team"
	}
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {%s}%s}\n---\n", api, kind, meta, more(fields))
}

func group(api string) string {
	g, _ := manifest.SplitAPIVersion(api)
	return g
}

func more(fields string) string {
	if fields == "" {
		return ""
	}
	return ", " + fields
}

// workload is a Deployment that bears app=NAME and runs under the ServiceAccount NAME of those that have one.
func workload(name, wave, pod string) string {
	return object("Deployment", name, wave, fmt.Sprintf("spec: {selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: {containers: [{name: c, image: i}]%[2]s}}}", name, more(pod)))
}

// operator is a workload that may write the status of a kind, with all that it needs.
func operator(name, wave, apiGroup, plural string) string {
	return object("ServiceAccount", name, wave, "") + workload(name, wave, "serviceAccountName: "+name) +
		object("ClusterRole", name, wave, fmt.Sprintf("rules: [{apiGroups: [%s], resources: [%s/status], verbs: [update]}]", apiGroup, plural)) +
		object("ClusterRoleBinding", name, wave, fmt.Sprintf("roleRef: {kind: ClusterRole, name: %[1]s}, subjects: [{kind: ServiceAccount, name: %[1]s, namespace: team}]", name))
}

func definition(wave, apiGroup, kind, plural, scope string) string {
	_, version := manifest.SplitAPIVersion(apiOf(kind))
	return object("CustomResourceDefinition", plural+"."+apiGroup, wave, fmt.Sprintf("spec: {group: %s, names: {kind: %s, plural: %s}, scope: %s, versions: [{name: %s, served: true, storage: true}]}", apiGroup, kind, plural, scope, version))
}

func (s scenario) input(t *testing.T) coldstart.Input {
	t.Helper()
	line, err := argocd.ParseVersion(cmp.Or(s.version, "3.2"))
	if err != nil {
		t.Fatal(err)
	}
	settings := emitted(line)
	if s.noHealth {
		settings = manifest.New(map[string]any{"data": map[string]any{}})
	}
	for key, value := range s.settings {
		settings = settings.Set(value, "data", key)
	}
	with := func(key, lua string) (func(manifest.Object) (*argocd.Health, error), error) {
		judge, err := argoapi.NewJudge(line, settings.Set(lua, "data", key))
		return judge.Health, err
	}
	judge, err := argoapi.NewJudge(line, settings)
	if err != nil {
		t.Fatal(err)
	}
	in := coldstart.Input{Version: line, Health: judge.Health, HealthWith: with, Network: s.network, Impersonates: s.settings[argocd.ImpersonationKey] == "true", Filter: argocd.Filter{Exclusions: argocd.DefaultExclusions(line)}}
	if in.Customized, err = argocd.Customized(settings); err != nil {
		t.Fatal(err)
	}
	for key, list := range map[string]*[]argocd.Exclusion{argocd.ExclusionsKey: &in.Filter.Exclusions, argocd.InclusionsKey: &in.Filter.Inclusions} {
		stated, ok, err := argocd.ReadFilter(settings, key)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			*list = stated
		}
	}
	for _, fact := range s.given {
		in.Given = append(in.Given, coldstart.Given{Fact: fact})
	}
	in.Given, in.Today = append(in.Given, s.stated...), s.today
	for _, host := range s.hosts {
		in.Hosts = append(in.Hosts, coldstart.Host{Name: host, Why: "runs pods whose images come through the mirror " + host})
	}
	root := coldstart.Application{Object: applicationObject("root", "", nil)}
	in.Projects = decodeAll(t, s.projects)
	if s.root != "" {
		root.Objects = decodeAll(t, s.root)
	}
	for _, text := range s.apps {
		head, documents, _ := strings.Cut(text, "\n")
		words := strings.Fields(head)
		app := coldstart.Application{Object: applicationObject(words[1], words[0], words[2:])}
		app.Objects = decodeAll(t, documents)
		app.Bootstrap = coldstart.Bootstraps(app.Objects)
		in.Applications = append(in.Applications, app)
		if set, ok := strings.CutPrefix(words[0], "set:"); ok {
			app.Generator = manifest.ID{Group: "argoproj.io", Kind: "ApplicationSet", Namespace: "argocd", Name: set}
			in.Applications[len(in.Applications)-1] = app
		} else if words[0] != "-" {
			root.Objects = append(root.Objects, app.Object)
		}
	}
	if len(root.Objects) > 0 {
		in.Applications = append(in.Applications, root)
	}
	for i, a := range in.Applications {
		if s.repo != "" {
			in.Applications[i].Object = a.Object.Set(s.repo, "spec", "source", "repoURL")
		}
	}
	return in
}

// emitted is an argocd-cm with the health scripts that gen emits.
func emitted(v argocd.Version) manifest.Object {
	settings := manifest.New(map[string]any{"data": map[string]any{}})
	for key, script := range argocd.EmittedHealth(v) {
		settings = settings.Set(script, "data", key)
	}
	return settings
}

func decodeAll(t *testing.T, documents string) []manifest.Object {
	t.Helper()
	var list []manifest.Object
	for document := range strings.SplitSeq(documents, "\n---\n") {
		objects, _, err := manifest.Decode([]byte(document))
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		list = append(list, objects...)
	}
	return list
}

func applicationObject(name, wave string, words []string) manifest.Object {
	policy := map[string]any{"automated": map[string]any{}, "retry": map[string]any{"limit": int64(-1)}}
	var options []any
	project, labels, destination := "default", map[string]any{}, map[string]any{"namespace": "team"}
	annotations := map[string]any{argocd.WaveAnnotation: wave}
	home := "argocd"
	var managed map[string]any
	for _, word := range words {
		switch {
		case strings.HasPrefix(word, "project="):
			project = strings.TrimPrefix(word, "project=")
		case strings.HasPrefix(word, "in="):
			home = strings.TrimPrefix(word, "in=")
		case strings.HasPrefix(word, "server="), strings.HasPrefix(word, "name="), strings.HasPrefix(word, "namespace="):
			key, value, _ := strings.Cut(word, "=")
			destination[key] = value
		case strings.HasPrefix(word, "argocd.argoproj.io/"):
			key, value, _ := strings.Cut(word, "=")
			annotations[key] = value
		case word == "managed":
			options = append(options, "CreateNamespace=true")
			managed = map[string]any{"labels": map[string]any{"a": "b"}}
		case word == "disabled":
			policy["automated"] = map[string]any{"enabled": false}
		case word == "selfHeal":
			policy["automated"] = map[string]any{"selfHeal": true}
		case word == "manual":
			delete(policy, "automated")
		case strings.HasPrefix(word, "label="):
			key, value, _ := strings.Cut(strings.TrimPrefix(word, "label="), ":")
			labels[key] = value
		case word == "noretry":
			delete(policy, "retry")
		case word == "backoff":
			policy["retry"] = map[string]any{"backoff": map[string]any{"duration": "5s"}}
		case strings.HasPrefix(word, "limit="):
			limit := int64(word[len(word)-1] - '0')
			policy["retry"] = map[string]any{"limit": limit}
		default:
			options = append(options, word)
		}
	}
	if destination["name"] == nil && destination["server"] == nil {
		destination["name"] = argocd.HomeName
	}
	policy["syncOptions"] = options
	if managed != nil {
		policy["managedNamespaceMetadata"] = managed
	}
	return manifest.New(map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
		"metadata": map[string]any{"name": name, "namespace": home, "labels": labels, "annotations": annotations},
		"spec": map[string]any{
			"destination": destination, "project": project, "syncPolicy": policy,
			"source": map[string]any{"repoURL": "https://git.example.com/fleet.git", "path": name},
		},
	})
}

// check proves the scenario and compares.
func (s scenario) check(t *testing.T) {
	t.Helper()
	in := s.input(t)
	proof := coldstart.Prove(in)
	everyLinkCounts(t, in, proof)
	if string(proof.Verdict) != s.want {
		t.Errorf("verdict %s, want %s", proof.Verdict, s.want)
	}
	s.checkNotes(t, proof)
	var bad *coldstart.Outcome
	verdicts := map[string]string{}
	for i, o := range proof.Outcomes {
		if !o.Verdict.Good() && bad == nil {
			bad = &proof.Outcomes[i]
		}
		verdicts[o.Application] = string(o.Verdict)
	}
	for _, each := range s.each {
		if name, verdict, _ := strings.Cut(each, " "); verdict != verdicts[name] {
			t.Errorf("%s: verdict %q, want %s", name, verdicts[name], verdict)
		}
	}
	if bad != nil {
		s.checkBad(t, *bad)
	} else if len(s.chain) > 0 || s.cure != "" || s.axiom != "" {
		t.Error("nothing ends badly")
	}
	if t.Failed() {
		for _, o := range proof.Outcomes {
			t.Logf("%s %s attempts %d axiom %q cure %q\n  %s\n  notes %s", o.Application, o.Verdict, o.Attempts, o.Axiom, o.Cure, chainText(o.Chain), strings.Join(o.Notes, "\n        "))
		}
	}
}

func (s scenario) checkNotes(t *testing.T, proof coldstart.Proof) {
	t.Helper()
	var notes []string
	for _, o := range proof.Outcomes {
		notes = append(notes, o.Notes...)
	}
	all := strings.Join(notes, "\n")
	for _, part := range s.notes {
		if !strings.Contains(all, part) {
			t.Errorf("no note has %q", part)
		}
	}
	for _, part := range s.silent {
		if strings.Contains(all, part) {
			t.Errorf("a note has %q", part)
		}
	}
}

func (s scenario) checkBad(t *testing.T, o coldstart.Outcome) {
	t.Helper()
	text := chainText(o.Chain)
	rest := text
	for _, part := range s.chain {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("the chain of %s has no %q at its place:\n  %s", o.Application, part, text)
		}
		rest = after
	}
	if !strings.Contains(o.Cure, s.cure) {
		t.Errorf("cure %q, want %q", o.Cure, s.cure)
	}
	if !strings.Contains(o.Axiom, s.axiom) {
		t.Errorf("axiom %q, want %q", o.Axiom, s.axiom)
	}
}

func chainText(chain []coldstart.Link) string {
	var parts []string
	for _, l := range chain {
		parts = append(parts, fmt.Sprintf("[%s wave %d] %s %s", l.Application, l.Wave, l.Object, l.Text))
	}
	return strings.Join(parts, " ▸ ")
}

func runScenarios(t *testing.T, tests map[string]scenario) {
	t.Helper()
	names := make([]string, 0, len(tests))
	for name := range tests {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, tests[name].check)
	}
}

func pad(n int) string { return strings.Repeat("x", n) }
