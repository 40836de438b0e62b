package argoapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/gitops-engine/pkg/sync/ignore"
	"github.com/argoproj/gitops-engine/pkg/sync/syncwaves"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestAnnotationsAsTheEngine compares how we read waves, hooks and their deletion with the engine's own code.
func TestAnnotationsAsTheEngine(t *testing.T) {
	values := map[string][]string{
		argocd.WaveAnnotation:       {"", "0", "3", "-2", "+4", "007", " 1", "1.0", "one", "9999999999999999999"},
		argocd.HelmWeightAnnotation: {"", "5", "-5", "x"},
		argocd.HookAnnotation: {
			"", "PreSync", "Sync", "PostSync", "SyncFail", "Skip", "presync", "PreSync,PostSync", " Sync , PreSync",
			"Skip,Sync", "Skip,Skip", "Skip,none", "PostDelete", "none", ",", "SyncFail,Sync,Sync",
		},
		argocd.HelmHookAnnotation: {
			"", "pre-install", "pre-upgrade", "post-install", "post-upgrade", "pre-install,pre-upgrade", "post-upgrade, pre-install", "crd-install", "crd-install,pre-install",
			"test", "test,post-install", "pre-rollback", "pre-delete",
		},
		argocd.HookDeleteAnnotation: {"", "HookSucceeded", "HookSucceeded,HookFailed", "before-hook-creation", "x"},
		argocd.HelmDeleteAnnotation: {"", "hook-succeeded", "before-hook-creation,hook-failed", "HookFailed", "x"},
	}
	keys := []string{argocd.WaveAnnotation, argocd.HelmWeightAnnotation, argocd.HookAnnotation, argocd.HelmHookAnnotation, argocd.HookDeleteAnnotation, argocd.HelmDeleteAnnotation}
	rapid.Check(t, func(t *rapid.T) {
		annotations := map[string]any{}
		for _, key := range keys {
			if rapid.Bool().Draw(t, "has "+key) {
				annotations[key] = rapid.SampledFrom(values[key]).Draw(t, key)
			}
		}
		fields := map[string]any{"kind": "Job", "metadata": map[string]any{"annotations": annotations}}
		ours, theirs := manifest.New(fields), &unstructured.Unstructured{Object: fields}
		if got, want := argocd.Wave(ours), syncwaves.Wave(theirs); got != want {
			t.Fatalf("wave: got %d, want %d", got, want)
		}
		if got, want := argocd.IsHook(ours), hook.IsHook(theirs); got != want {
			t.Fatalf("hook: got %v, want %v", got, want)
		}
		if got, want := argocd.Phases(ours), enginePhases(theirs); !slices.Equal(got, want) {
			t.Fatalf("phases: got %v, want %v", got, want)
		}
		if got, want := argocd.DeletePolicies(ours), enginePolicies(theirs); !slices.Equal(got, want) {
			t.Fatalf("deletion: got %v, want %v", got, want)
		}
	})
}

// enginePhases is what the engine does with an object: syncPhases of its pkg/sync, which is private, for those that it does
// not ignore.
func enginePhases(o *unstructured.Unstructured) []argocd.Phase {
	switch {
	case hook.Skip(o) || ignore.Ignore(o):
		return nil
	case !hook.IsHook(o):
		return []argocd.Phase{argocd.Sync}
	}
	var phases []argocd.Phase
	for _, t := range hook.Types(o) {
		if t != "Skip" {
			phases = append(phases, argocd.Phase(t))
		}
	}
	slices.SortFunc(phases, argocd.Phase.Compare)
	return slices.Compact(phases)
}

func enginePolicies(o *unstructured.Unstructured) []string {
	var policies []string
	for _, p := range hook.DeletePolicies(o) {
		policies = append(policies, string(p))
	}
	slices.Sort(policies)
	return slices.Compact(policies)
}

// TestKindOrderAsTheEngine compares the order of kinds with the table in the engine's source, which is private.
func TestKindOrderAsTheEngine(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(moduleDir(t, "github.com/argoproj/gitops-engine"), "pkg", "sync", "sync_tasks.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	ast.Inspect(file, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		if name, ok := assign.Lhs[0].(*ast.Ident); ok && name.Name == "kinds" {
			for _, e := range assign.Rhs[0].(*ast.CompositeLit).Elts {
				kind, _ := strconv.Unquote(e.(*ast.BasicLit).Value)
				kinds = append(kinds, kind)
			}
		}
		return true
	})
	if len(kinds) < 30 {
		t.Fatalf("only %d kinds found in the engine's source", len(kinds))
	}
	for i, kind := range kinds {
		if got, want := argocd.KindOrder(kind), i-len(kinds); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	if first := argocd.KindOrder("Namespace"); first != -len(kinds) {
		t.Errorf("our table has %d kinds, the engine's %d", -first, len(kinds))
	}
}
