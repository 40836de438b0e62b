package argoapi

import (
	"errors"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/argocd"
)

// TestSight states what a script can see of an object: nothing that it may read is left out.
func TestSight(t *testing.T) {
	object := map[string]any{
		"kind": "K", "spec": "s", "status": "t", "data": "d",
		"metadata": map[string]any{"name": "n", "generation": int64(2), "annotations": map[string]any{"a": "b"}},
	}
	tests := map[string]struct {
		lua  string
		want map[string]any
	}{
		"nothing":                         {"return {}", map[string]any{}},
		"status":                          {"if obj.status ~= nil and obj.status.x then end", map[string]any{"status": "t"}},
		"by brackets":                     {`x = obj["spec"]; y = obj [ 'data' ]`, map[string]any{"spec": "s", "data": "d"}},
		"a field of metadata":             {"x = obj.metadata.generation; y = obj.metadata['annotations'].a", map[string]any{"metadata.generation": int64(2), "metadata.annotations": map[string]any{"a": "b"}}},
		"metadata as a whole":             {"m = obj.metadata\nx = obj.metadata.name", map[string]any{"metadata": object["metadata"]}},
		"the object as a whole":           {"f(obj); x = obj.status", object},
		"the object under another name":   {"local o = obj", object},
		"a field whose name is computed":  {"x = obj[key]", object},
		"through the table of globals":    {"x = _G['o' .. 'bj']; y = obj.status", object},
		"a word that only contains obj":   {"objects = obj.status; myobj = 1", map[string]any{"status": "t"}},
		"a function that takes an object": {"function f(obj) return obj.status end return f(obj)", object},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sightOf(tt.lua).of(object)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMemo counts calls: one for objects that a script cannot tell apart, one for each that it can, and errors are asked again.
func TestMemo(t *testing.T) {
	var m memo
	calls := 0
	ask := func(name, status string, fail bool) {
		live := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}, "status": status}}
		got, err := m.ask(argocd.HealthScript{Lua: "return obj.status"}, live, func() (*health.HealthStatus, error) {
			calls++
			if fail {
				return nil, errors.New("broken")
			}
			return &health.HealthStatus{Message: status}, nil
		})
		if err == nil && got.Message != status || (err != nil) != fail {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	ask("a", "x", true)
	ask("a", "x", false)
	ask("b", "x", false)
	ask("b", "y", false)
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}
