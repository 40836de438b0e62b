package argoapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/coldstart"
)

// cureCase is a world that ends badly, and what is printed as the cure of one of its Applications.
type cureCase struct {
	scenario
	of   string // the Application; "a" where it is empty
	cure string // whole; "" is none
	then string // "VERDICT text" after it; "" is PROVEN
}

func (c cureCase) check(t *testing.T) {
	t.Helper()
	in := c.input(t)
	proof := coldstart.Prove(in)
	curesHold(t, in, proof)
	name := c.of
	if name == "" {
		name = "a"
	}
	i := slices.IndexFunc(proof.Outcomes, func(o coldstart.Outcome) bool { return o.Application == name })
	o := proof.Outcomes[i]
	then := ""
	if o.Then != nil {
		then = string(o.Then.Verdict) + " " + chainText(o.Then.Chain)
	}
	verdict, text, _ := strings.Cut(c.then, " ")
	if o.Cure != c.cure || !strings.HasPrefix(then, verdict) || (then == "") != (c.then == "") || !strings.Contains(then, text) {
		t.Errorf("%s is %s: %s\ncure %q, then %q\nwant %q, then %q", name, o.Verdict, chainText(o.Chain), o.Cure, then, c.cure, c.then)
	}
}

func runsAs(name, wave, pod string) string {
	return object("Job", name, wave, "spec: {template: {spec: {containers: [{name: c, image: i}], restartPolicy: Never, "+pod+"}}}")
}

// TestCuresOfHooks wants nothing made a hook that does not bear to be deleted and made anew at every sync (docs/decisions/0037).
func TestCuresOfHooks(t *testing.T) {
	claim := func(wave string) string {
		return object("PersistentVolumeClaim", "data", wave, "spec: {storageClassName: fast}")
	}
	fast := object("StorageClass", "fast", "-1", "provisioner: example.com/p, volumeBindingMode: Immediate")
	slow := "- classes\n" + object("StorageClass", "fast", "-1", "provisioner: example.com/p, volumeBindingMode: WaitForFirstConsumer")
	mounts := "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"
	job := runsAs("mig", "PreSync/0", "serviceAccountName: mig")
	account := object("ServiceAccount", "mig", "0", "")
	postHook := strings.Replace(object("Secret", "s", "0", "data: {k: dg==}"), "annotations: {", "annotations: {helm.sh/hook: post-install, helm.sh/hook-delete-policy: before-hook-creation, ", 1)
	for name, c := range map[string]cureCase{
		"a claim":                             {scenario: one1(fast + claim("0") + runsAs("mig", "PreSync/0", mounts)), cure: "make Job.batch team/mig a Sync hook of wave 1, after PersistentVolumeClaim team/data"},
		"a claim that waits for its consumer": {scenario: scenario{apps: []string{slow, "- a\n" + claim("PreSync/0") + workload("db", "0", mounts)}, given: []string{team}}, cure: "drop the hook annotation of PersistentVolumeClaim team/data, and put it into wave 0, that of Deployment.apps team/db"},
		"a workload":                          {scenario: one1(object("HorizontalPodAutoscaler", "db", "PreSync/0", "spec: {scaleTargetRef: {kind: Deployment, name: db, apiVersion: apps/v1}}") + workload("db", "0", "")), cure: "drop the hook annotation of HorizontalPodAutoscaler.autoscaling team/db, and put it into wave 0, that of Deployment.apps team/db"},
		"a class":                             {scenario: one1(object("PriorityClass", "high", "0", "value: 1") + runsAs("mig", "PreSync/0", "priorityClassName: high")), cure: "make Job.batch team/mig a Sync hook of wave 1, after PriorityClass.scheduling.k8s.io high"},
		"an account of hooks alone":           {scenario: one1(job + account), cure: "make ServiceAccount team/mig a PreSync hook of wave 0, that of Job.batch team/mig"},
		"an account of others, too":           {scenario: one1(job + account + workload("web", "0", "serviceAccountName: mig")), cure: "make Job.batch team/mig a Sync hook of wave 1, after ServiceAccount team/mig"},
		"an account that is bound":            {scenario: one1(job + account + object("RoleBinding", "b", "0", "roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: mig, namespace: team}]")), cure: "make Job.batch team/mig a Sync hook of wave 1, after ServiceAccount team/mig"},
		"an account with a token":             {scenario: one1(job + account + strings.Replace(object("Secret", "t", "0", "type: kubernetes.io/service-account-token"), "annotations: {", "annotations: {kubernetes.io/service-account.name: mig, ", 1)), cure: "make Job.batch team/mig a Sync hook of wave 1, after ServiceAccount team/mig"},
		"a Secret of hooks alone":             {scenario: one1(runsAs("mig", "PreSync/0", "volumes: [{name: v, secret: {secretName: s}}]") + object("Secret", "s", "0", "data: {k: dg==}")), cure: "make Secret team/s a PreSync hook of wave 0, that of Job.batch team/mig"},
		"a Secret of others, too":             {scenario: one1(runsAs("mig", "PreSync/0", "volumes: [{name: v, secret: {secretName: s}}]") + reads("web", "0", "s") + object("Secret", "s", "0", "data: {k: dg==}")), cure: "make Job.batch team/mig a Sync hook of wave 1, after Secret team/s"},
		"a Secret that others fill":           {scenario: one1(runsAs("mig", "PreSync/0", "volumes: [{name: v, secret: {secretName: s}}]") + object("Secret", "s", "0", "")), cure: "make Job.batch team/mig a Sync hook of wave 1, after Secret team/s"},
		"a Secret of another Application":     {scenario: scenario{apps: []string{"- a\n" + runsAs("mig", "PreSync/0", "volumes: [{name: v, secret: {secretName: s}}]") + object("Secret", "s", "0", "data: {k: dg==}"), "- b\n" + reads("web", "0", "s")}, given: []string{team}}, cure: "make Job.batch team/mig a Sync hook of wave 1, after Secret team/s"},
		"a hook of Helm's after the sync":     {scenario: one1(reads("web", "0", "s") + postHook + object("ConfigMap", "last", "1", "")), cure: "drop the hook annotation of Secret team/s, and put it into wave 0, that of Deployment.apps team/web"},
	} {
		t.Run(name, c.check)
	}
}

// one1 is an Application "a" in a namespace that is there.
func one1(objects string) scenario {
	return scenario{apps: []string{"- a\n" + objects}, given: []string{team}}
}

// TestCures holds one world for each kind of change that is tried.
func TestCures(t *testing.T) {
	widgets := definition("0", "example.com", "Widget", "widgets", "Namespaced")
	guard := object("ValidatingWebhookConfiguration", "guard", "0", "webhooks: [{name: g, failurePolicy: Fail, clientConfig: {caBundle: Y2E=, service: {namespace: team, name: guard}}, rules: [{apiGroups: [example.com], resources: [widgets], operations: [CREATE]}]}]")
	project := object("AppProject", "p", "1", "spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}], clusterResourceWhitelist: [{group: '*', kind: '*'}]}")
	narrow := object("AppProject", "p", "-1", "spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}], clusterResourceWhitelist: [{group: '', kind: Namespace}]}")
	home := func(s string) string { return strings.Replace(s, "{name: p,", "{name: p, namespace: argocd,", 1) }
	last := object("ConfigMap", "last", "9", "")
	large := strings.Replace(object("CustomResourceDefinition", "large", "0", "spec: {group: example.com, names: {kind: Large, plural: larges}, scope: Namespaced, description: \""+strings.Repeat("x", 270_000)+"\"}"), "annotations: {", "annotations: {argocd.argoproj.io/sync-options: ServerSideApply=false, ", 1)
	for name, c := range map[string]cureCase{
		"nobody syncs a child":             {scenario: scenario{apps: []string{"0 a manual\n" + last, "1 b\n" + object("ConfigMap", "next", "0", "")}, given: []string{team}}, cure: "state syncPolicy.automated in Application a"},
		"a child that is switched off":     {scenario: scenario{apps: []string{"0 a disabled\n" + last, "1 b\n" + object("ConfigMap", "next", "0", "")}, given: []string{team}}, cure: "drop syncPolicy.automated.enabled: false of Application a"},
		"its project comes later":          {scenario: scenario{apps: []string{"0 a project=p\n" + last}, root: home(project), given: []string{team}}, cure: "move AppProject p to wave 0, that of a"},
		"its project allows no such kind":  {scenario: scenario{apps: []string{"0 a project=p\n" + object("PriorityClass", "high", "0", "value: 1")}, root: home(narrow), given: []string{team}}, cure: "allow PriorityClass.scheduling.k8s.io in clusterResourceWhitelist of AppProject p"},
		"an object before its webhook":     {scenario: one1(widgets + guard + service("guard", "0") + object("Widget", "w", "0", "") + object("ServiceAccount", "guard", "1", "") + workload("guard", "1", "serviceAccountName: guard")), cure: "move Widget.example.com team/w to wave 2, after Deployment.apps team/guard"},
		"the namespace that it goes to":    {scenario: scenario{apps: []string{"- a\n" + last}}, cure: "add CreateNamespace=true to the syncOptions of Application a"},
		"another namespace":                {scenario: scenario{apps: []string{"- a namespace=else\n" + last}, given: []string{"namespace else"}}, cure: "add Namespace team to the objects of Application a"},
		"an option that forbids the other": {scenario: scenario{apps: []string{"- a ServerSideApply=true\n" + large}, given: []string{team}}, cure: "drop ServerSideApply=false of CustomResourceDefinition.apiextensions.k8s.io large"},
		"a Job that is suspended":          {scenario: one1(object("Job", "j", "0", "spec: {suspend: true, template: {spec: {containers: []}}}") + last), cure: "drop spec.suspend of Job.batch team/j"},
		"a Secret that nobody brings":      {scenario: one1(object("Job", "mig", "0", "spec: {template: {spec: {serviceAccountName: nobody, containers: []}}}") + last), cure: ""},
		"no retries are better than some":  {scenario: scenario{apps: []string{"0 a\n" + object("Widget", "w", "0", ""), "1 b\n" + widgets}, given: []string{team}}, cure: "move Application b to wave -1 of root, before Application a"},
		"what is behind what is moved":     {scenario: scenario{apps: []string{secretController, "0 a\n" + reads("web", "0", "s") + externalSecret("s", "PostSync/0", "st") + storeWith("st", "PostSync/0", "token") + object("Secret", "token", "0", "")}, given: []string{team}}, cure: "drop the hook annotation of ExternalSecret.external-secrets.io team/s, and put it into wave 0, that of Deployment.apps team/web; and drop the hook annotation of ClusterSecretStore.external-secrets.io st, and put it into wave 0, that of ExternalSecret.external-secrets.io team/s"},
	} {
		t.Run(name, c.check)
	}
}

// TestCuresOfSeveralFaults wants what remains after a cure, and the smallest set where several changes cure together.
func TestCuresOfSeveralFaults(t *testing.T) {
	late := func(name string) string { return reads(name, "0", name) + object("Secret", name, "1", "") }
	address := object("Service", "edge", "0", "spec: {type: LoadBalancer}")
	move := func(name string) string {
		return "move Secret team/" + name + " to wave 0, that of Deployment.apps team/" + name
	}
	in := func(app string) string { return "0 " + app + "\n" + late(app) }
	for name, c := range map[string]cureCase{
		"two in one wave":          {scenario: one1(late("one") + late("two")), cure: move("one") + "; and " + move("two")},
		"two in one Application":   {scenario: one1(runsAs("mig", "PreSync/0", "serviceAccountName: mig") + object("ServiceAccount", "mig", "0", "") + late("one")), cure: "make ServiceAccount team/mig a PreSync hook of wave 0, that of Job.batch team/mig; and " + move("one")},
		"one that nothing cures":   {scenario: one1(late("one") + address + object("ConfigMap", "last", "2", "")), cure: move("one"), then: "DEADLOCK load-balancer-address"},
		"one that nobody knows of": {scenario: one1(late("one") + reads("far", "2", "outside") + object("ConfigMap", "last", "3", "")), cure: move("one"), then: "UNKNOWN team/outside"},
		"of two Applications":      {scenario: scenario{apps: []string{in("one"), in("two")}, given: []string{team}}, of: "one", cure: move("one")},
		"the root above them":      {scenario: scenario{apps: []string{in("one"), in("two"), "1 end\n" + object("ConfigMap", "last", "0", "")}, given: []string{team}}, of: "root", cure: move("one") + "; and " + move("two")},
		"who is not there":         {scenario: scenario{apps: []string{in("one"), in("two"), "1 end\n" + object("ConfigMap", "last", "0", "")}, given: []string{team}}, of: "end", cure: move("one") + "; and " + move("two")},
	} {
		t.Run(name, c.check)
	}
}
