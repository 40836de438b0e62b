package argocd

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func annotated(pairs ...string) manifest.Object {
	annotations := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		annotations[pairs[i]] = pairs[i+1]
	}
	return manifest.New(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p", "annotations": annotations}})
}

func TestPhases(t *testing.T) {
	tests := map[string]struct {
		object manifest.Object
		want   []Phase
		isHook bool
	}{
		"ordinary":                       {annotated(), []Phase{Sync}, false},
		"annotations are null":           {manifest.New(map[string]any{"metadata": map[string]any{"annotations": nil}}), []Phase{Sync}, false},
		"annotation is no string":        {manifest.New(map[string]any{"metadata": map[string]any{"annotations": map[string]any{HookAnnotation: true}}}), []Phase{Sync}, false},
		"several phases in their order":  {annotated(HookAnnotation, "PostSync, PreSync,PreSync"), []Phase{PreSync, PostSync}, true},
		"Helm install and upgrade":       {annotated(HelmHookAnnotation, "pre-install,pre-upgrade"), []Phase{PreSync}, true},
		"Helm post":                      {annotated(HelmHookAnnotation, "post-install"), []Phase{PostSync}, true},
		"Helm CRD":                       {annotated(HelmHookAnnotation, "crd-install"), []Phase{Sync}, false},
		"Helm test":                      {annotated(HelmHookAnnotation, "test"), nil, true},
		"Helm rollback":                  {annotated(HelmHookAnnotation, "pre-rollback"), nil, true},
		"Argo CD's word before Helm's":   {annotated(HookAnnotation, "Sync", HelmHookAnnotation, "pre-install"), []Phase{Sync}, true},
		"invalid word leaves Helm's":     {annotated(HookAnnotation, "sync", HelmHookAnnotation, "pre-install"), []Phase{PreSync}, true},
		"invalid word alone":             {annotated(HookAnnotation, "sync"), nil, true},
		"Skip":                           {annotated(HookAnnotation, "Skip"), nil, false},
		"Skip beside another is nothing": {annotated(HookAnnotation, "Skip,SyncFail"), []Phase{SyncFail}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Phases(tt.object)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := IsHook(tt.object); got != tt.isHook {
				t.Errorf("hook: %v, want %v", got, tt.isHook)
			}
		})
	}
}

func TestWave(t *testing.T) {
	tests := map[string]struct {
		object  manifest.Object
		want    int
		ignored bool
	}{
		"none":                      {annotated(), 0, false},
		"stated":                    {annotated(WaveAnnotation, "-3", HelmWeightAnnotation, "5"), -3, false},
		"hook weight, hook or not":  {annotated(HelmWeightAnnotation, "5"), 5, false},
		"no integer, weight counts": {annotated(WaveAnnotation, "1.5", HelmWeightAnnotation, "5"), 5, true},
		"no integer":                {annotated(WaveAnnotation, "first"), 0, true},
		"empty":                     {annotated(WaveAnnotation, ""), 0, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Wave(tt.object); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if got := WaveIgnored(tt.object); got != tt.ignored {
				t.Errorf("ignored: %v, want %v", got, tt.ignored)
			}
		})
	}
}

func TestDeletePolicies(t *testing.T) {
	tests := map[string]struct {
		object manifest.Object
		want   []string
	}{
		"default":      {annotated(), []string{BeforeHookCreation}},
		"both":         {annotated(HookDeleteAnnotation, "HookSucceeded", HelmDeleteAnnotation, "hook-failed,before-hook-creation"), []string{BeforeHookCreation, HookFailed, HookSucceeded}},
		"wrong tongue": {annotated(HookDeleteAnnotation, "hook-succeeded", HelmDeleteAnnotation, "HookFailed"), []string{BeforeHookCreation}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DeletePolicies(tt.object)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithSyncOptions(t *testing.T) {
	tests := map[string]struct {
		object manifest.Object
		add    []string
		want   string
	}{
		"none yet":               {annotated(), []string{PruneFalse, DeleteFalse}, "Delete=false,Prune=false"},
		"merged":                 {annotated(SyncOptionsAnnotation, " Replace=true ,"), []string{PruneFalse}, "Prune=false,Replace=true"},
		"the object's own wins":  {annotated(SyncOptionsAnnotation, "Prune=confirm"), []string{PruneFalse}, "Prune=confirm"},
		"nothing new, untouched": {annotated(SyncOptionsAnnotation, "b=1, a=1"), []string{"a=1"}, "b=1, a=1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := WithSyncOptions(tt.object, tt.add...)
			if diff := cmp.Diff(tt.want, got.Annotation(SyncOptionsAnnotation)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{"3.2": {3, 2}, "v3.2.11": {3, 2}, "2.14.21": {2, 14}, "v3.10.0-rc1": {3, 10}} {
		if got, err := ParseVersion(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "3", "latest", "v3.x", "3.-2", "3.2 ", ".", "99999999.1", "sha256:abc"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestRetries(t *testing.T) {
	tests := map[Version]*Retry{
		{2, 14}: {Limit: 15, Duration: "5s", Factor: 2, MaxDuration: "3m"},
		{3, 1}:  {Limit: 15, Duration: "5s", Factor: 2, MaxDuration: "3m"},
		{3, 2}:  {Limit: -1, Duration: "5s", Factor: 2, MaxDuration: "1m", Refresh: true},
		{4, 0}:  {Limit: -1, Duration: "5s", Factor: 2, MaxDuration: "1m", Refresh: true},
	}
	for version, want := range tests {
		if diff := cmp.Diff(want, Retries(version)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

func TestHealthScripts(t *testing.T) {
	tests := map[string]struct {
		data map[string]any
		want []HealthScript
		err  string
	}{
		"none": {},
		"one key a kind": {
			data: map[string]any{
				"resource.customizations.health.example.com_Widget":      "lua",
				"resource.customizations.useOpenLibs.example.com_Widget": "true",
				"resource.customizations.health.Service":                 "core",
				"resource.customizations.health.all":                     "all",
				"resource.customizations.actions.Service":                "x",
				"resource.exclusions":                                    "y",
			},
			want: []HealthScript{{"*/*", "all", false}, {"Service", "core", false}, {"example.com/Widget", "lua", true}},
		},
		"the old map, overridden": {
			data: map[string]any{
				"resource.customizations":                "example.com/*: {health.lua: old, health.lua.useOpenLibs: true}\nService: {health.lua: old}\nPod: {actions: x}",
				"resource.customizations.health.Service": "new",
			},
			want: []HealthScript{{"Service", "new", false}, {"example.com/*", "old", true}},
		},
		"unknown type":        {data: map[string]any{"resource.customizations.helth.Service": "x"}, err: `reading resource.customizations.helth.Service of ConfigMap argocd-cm: Argo CD knows no customization "helth" and refuses its settings`},
		"too many _":          {data: map[string]any{"resource.customizations.health.a_b_c": "x"}, err: `reading resource.customizations.health.a_b_c of ConfigMap argocd-cm: "a_b_c" must be GROUP_KIND or KIND`},
		"old map is no map":   {data: map[string]any{"resource.customizations": "- a"}, err: "reading resource.customizations of ConfigMap argocd-cm: reading an object: the document is a list, not a map"},
		"libs are no boolean": {data: map[string]any{"resource.customizations.useOpenLibs.Service": "maybe"}, err: `reading resource.customizations.useOpenLibs.Service of ConfigMap argocd-cm: strconv.ParseBool: parsing "maybe": invalid syntax`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := HealthScripts(manifest.New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "argocd-cm"}, "data": tt.data}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(tt.err, text); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKindOrder(t *testing.T) {
	if KindOrder("Namespace") >= KindOrder("ServiceAccount") || KindOrder("CustomResourceDefinition") >= KindOrder("Deployment") {
		t.Error("Namespace, ServiceAccount, CRD, Deployment are out of order")
	}
	for _, kind := range []string{"Widget", "ValidatingWebhookConfiguration", "PriorityClass", ""} {
		if got := KindOrder(kind); got != 0 {
			t.Errorf("%s: %d, want 0: last", kind, got)
		}
	}
}

func TestFeatures(t *testing.T) {
	for feature := PostDeleteHooks; feature <= CRDInstallingHealthy; feature++ {
		if d, ok := features[feature]; !ok || d.Feature != feature || d.Says == "" || d.Source == "" {
			t.Errorf("feature %d is told as %+v", feature, d)
		}
	}
	if (Version{3, 1}).Has(RetryRefresh) || !(Version{3, 2}).Has(RetryRefresh) || !(Version{4, 0}).Has(RetryRefresh) {
		t.Error("retry.refresh came with 3.2")
	}
}

// TestDifferences states what tells lines apart, in both directions, and that the pages name it all.
func TestDifferences(t *testing.T) {
	for _, lines := range [][2]Version{{{3, 4}, {3, 2}}, {{3, 2}, {3, 4}}} {
		var got []string
		for _, d := range Differences(lines[0], lines[1]) {
			got = append(got, d.Since.String())
		}
		if strings.Join(got, " ") != "3.3 3.3 3.4" {
			t.Errorf("%v: differences since %v, want 3.3 3.3 3.4", lines, got)
		}
	}
	if list := Differences(Version{3, 2}, Version{3, 2}); len(list) > 0 {
		t.Errorf("a line differs from itself: %v", list)
	}
	page, err := os.ReadFile("../../docs/prove.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range features {
		if !strings.Contains(string(page), "| "+d.Since.String()+" | "+d.Says+" |") {
			t.Errorf("docs/prove.md has no row: | %s | %s |", d.Since, d.Says)
		}
	}
}

func FuzzReadFilter(f *testing.F) {
	f.Add("- apiGroups: ['']\n  kinds: [Endpoints]\n")
	f.Add("- {\n")
	f.Add("a: b")
	f.Add("---\n- x")
	f.Fuzz(func(t *testing.T, text string) {
		list, ok, err := ReadFilter(manifest.New(map[string]any{"data": map[string]any{ExclusionsKey: text}}), ExclusionsKey)
		if ok != (err == nil && strings.TrimSpace(text) != "") {
			t.Errorf("%q: %v, %v, %v", text, list, ok, err)
		}
	})
}
