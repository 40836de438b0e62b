package argoapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v2/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// expectation is one fixture of the engine's own health tests.
type expectation struct {
	file, status string // status "" stands for no health at all
}

// expectations reads them from the engine's test: calls of assertAppHealth, and of assert.Nil over getHealthStatus.
func expectations(t *testing.T, dir string) []expectation {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "health_test.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := func(e ast.Expr) string {
		literal, ok := e.(*ast.BasicLit)
		if !ok {
			return ""
		}
		text, _ := strconv.Unquote(literal.Value)
		return text
	}
	var list []expectation
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if status, named := call.Args[len(call.Args)-1].(*ast.Ident); f.Name == "assertAppHealth" && named {
				list = append(list, expectation{file(call.Args[1]), strings.TrimPrefix(status.Name, "HealthStatus")})
			}
		case *ast.SelectorExpr:
			if inner, isCall := call.Args[len(call.Args)-1].(*ast.CallExpr); f.Sel.Name == "Nil" && isCall {
				list = append(list, expectation{file(inner.Args[0]), ""})
			}
		}
		return true
	})
	return list
}

// TestEngineHealth runs the engine's own fixtures through our judge. Where Argo CD ships a script for the kind, the engine's check is
// never asked: such fixtures are counted apart.
func TestEngineHealth(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "github.com/argoproj/gitops-engine"), "pkg", "health")
	j, seen, scripted := judge(t, "3.2", nil), 0, 0
	for _, e := range expectations(t, dir) {
		raw, err := os.ReadFile(filepath.Join(dir, e.file))
		if err != nil {
			t.Fatal(err)
		}
		objects, _, err := manifest.Decode(raw)
		if err != nil || len(objects) == 0 {
			t.Fatalf("%s: %d objects, %v", e.file, len(objects), err)
		}
		live := &unstructured.Unstructured{Object: objects[0].Fields()}
		if _, ok := (override{j}).script(lua.GetConfigMapKey(live.GroupVersionKind())); ok {
			scripted++
			continue
		}
		got, err := j.Health(objects[0])
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
			continue
		}
		status := argocd.HealthStatus("")
		if got != nil {
			status = got.Status
		}
		if string(status) != e.status {
			t.Errorf("%s: %q, want %q", e.file, status, e.status)
		}
		seen++
	}
	t.Logf("%d fixtures of the engine, and %d of kinds with a shipped script", seen, scripted)
	if seen < 30 {
		t.Errorf("only %d fixtures seen", seen)
	}
}
