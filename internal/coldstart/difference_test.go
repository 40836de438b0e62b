package coldstart

import (
	"slices"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestDifferences: of what a release line does otherwise than the nearest judged one a proof names that which its objects touch.
func TestDifferences(t *testing.T) {
	v := func(minor int) argocd.Version { return argocd.Version{Major: 3, Minor: minor} }
	app := func(fields ...any) manifest.Object { return child("a", 0).Set(fields[0], textsIn(fields[1:])...) }
	config := plain("v1", "ConfigMap", "a", "c", nil)
	definition := plain("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "c", nil)
	hook := plain("batch/v1", "Job", "a", "j", nil).Set("PreDelete", "metadata", "annotations", argocd.HookAnnotation)
	project := func(list, field string) manifest.Object {
		return plain("argoproj.io/v1alpha1", "AppProject", "argocd", "default", map[string]any{list: []any{map[string]any{"group": "*", field: "x"}}})
	}
	for name, tt := range map[string]struct {
		version argocd.Version
		app     manifest.Object
		object  manifest.Object
		want    string // begins the text of each, in their order
	}{
		"a judged line":                  {v(2), app([]any{"CreateNamespace=true"}, "spec", "syncPolicy", "syncOptions"), definition, ""},
		"nothing is touched":             {v(0), child("a", 0), config, ""},
		"the look is skipped":            {v(0), app([]any{argocd.SkipDryRun}, "spec", "syncPolicy", "syncOptions"), config, "SkipDryRunOnMissingResource=true works"},
		"a namespace is made":            {v(0), app([]any{"CreateNamespace=true"}, "spec", "syncPolicy", "syncOptions"), config, "CreateNamespace acts"},
		"automation is switched":         {v(0), app(true, "spec", "syncPolicy", "automated", "enabled"), config, "syncPolicy.automated.enabled"},
		"retries take up new commits":    {v(1), app(true, "spec", "syncPolicy", "retry", "refresh"), config, "syncPolicy.retry.refresh"},
		"a CronJob":                      {v(1), child("a", 0), plain("batch/v1", "CronJob", "a", "c", nil), "a CronJob has health"},
		"a Job is no CronJob":            {v(1), child("a", 0), plain("batch/v1", "Job", "a", "c", nil), ""},
		"a CRD":                          {v(5), child("a", 0), definition, "a CRD that is being installed"},
		"a CRD, before that":             {v(4), child("a", 0), definition, ""},
		"a hook that deletes":            {v(3), child("a", 0), hook, "hooks that run before"},
		"a hook that does not":           {v(3), child("a", 0), hook.Set("PreSync", "metadata", "annotations", argocd.HookAnnotation), ""},
		"a project, no names":            {v(3), child("a", 0), project("clusterResourceWhitelist", "kind"), ""},
		"a project allows names":         {v(3), child("a", 0), project("clusterResourceWhitelist", "name"), "an AppProject may allow"},
		"a project forbids names":        {v(3), child("a", 0), project("clusterResourceBlacklist", "name"), "an AppProject may allow"},
		"a project names destinations":   {v(3), child("a", 0), project("destinations", "name"), ""},
		"an older line, no annotation":   {argocd.Version{Major: 2, Minor: 9}, child("a", 0), config, ""},
		"an older line, a hook of later": {argocd.Version{Major: 2, Minor: 9}, child("a", 0), hook.Set("PostDelete", "metadata", "annotations", argocd.HookAnnotation), "hooks that run when"},
	} {
		w := newWorld(Input{Version: tt.version, Health: onlyDeployments, Applications: []Application{{Object: tt.app, Objects: []manifest.Object{tt.object}}}})
		var got []string
		for _, d := range w.differences() {
			got = append(got, d.Says)
		}
		if text := strings.Join(got, "; "); !strings.HasPrefix(text, tt.want) || tt.want == "" && text != "" || len(got) > 1 {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
	under := Input{Version: v(4), Health: onlyDeployments, Applications: []Application{{Object: child("a", 0)}, {Object: child("root", 0), Objects: []manifest.Object{child("a", 0)}}}}
	if got := newWorld(under).differences(); len(got) != 1 || got[0].Feature != argocd.MissingNotInHealth {
		t.Errorf("an Application under another: %v", got)
	}
}

func textsIn(list []any) []string {
	var texts []string
	for _, item := range list {
		texts = append(texts, item.(string))
	}
	return texts
}

// TestCounts: which objects each key of a quota counts (Kubernetes docs, resource quotas: object count quota).
func TestCounts(t *testing.T) {
	objects := map[string]manifest.Object{
		"balancer": plain("v1", "Service", "a", "x", map[string]any{"type": "LoadBalancer"}), "service": plain("v1", "Service", "a", "x", map[string]any{"type": "ClusterIP"}),
		"secret": plain("v1", "Secret", "a", "x", nil), "config": plain("v1", "ConfigMap", "a", "x", nil), "claim": plain("v1", "PersistentVolumeClaim", "a", "x", nil),
		"controller": plain("v1", "ReplicationController", "a", "x", map[string]any{"type": "LoadBalancer"}), "quota": plain("v1", "ResourceQuota", "a", "x", nil),
		"knative": plain("serving.knative.dev/v1", "Service", "a", "x", map[string]any{"type": "LoadBalancer"}),
	}
	for key, want := range map[string]string{
		"services": "balancer service", "services.loadbalancers": "balancer", "secrets": "secret", "configmaps": "config", "persistentvolumeclaims": "claim",
		"replicationcontrollers": "controller", "resourcequotas": "quota", "count/services": "balancer service", "count/services.serving.knative.dev": "knative",
		"count/secrets": "secret", "pods": "", "requests.cpu": "", "services.serving.knative.dev": "",
	} {
		var got []string
		for name, o := range objects {
			if counts(key, &node{id: o.ID(), task: Task{Object: o}}) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", key, text, want)
		}
	}
}
