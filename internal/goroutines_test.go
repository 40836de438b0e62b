package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// starts says which packages may start goroutines, and why; elsewhere a stage is a plain function of its input.
var starts = map[string]string{
	"internal/pipeline": "components and charts are worked on side by side",
	"internal/image":    "registries are asked side by side",
	"internal/demo":     "a server on loopback serves beside the commands that ask it; Close waits for its end",
}

// TestGoroutines finds `go` statements and the Go methods of groups (sync.WaitGroup, errgroup).
func TestGoroutines(t *testing.T) {
	found := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, file := range p.GoFiles {
			for _, place := range goroutines(t, path.Join("..", name, file)) {
				found[name] = true
				if starts[name] == "" {
					t.Errorf("%s starts a goroutine: hand the work to pipeline, or say here why it must", place)
				}
			}
		}
	}
	for name := range starts {
		if !found[name] {
			t.Errorf("%s starts none any more: take it off the list", name)
		}
	}
}

func goroutines(t *testing.T, file string) []string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	ast.Inspect(parsed, func(node ast.Node) bool {
		started := false
		switch node := node.(type) {
		case *ast.GoStmt:
			started = true
		case *ast.CallExpr:
			method, ok := node.Fun.(*ast.SelectorExpr)
			started = ok && method.Sel.Name == "Go"
		}
		if started {
			places = append(places, set.Position(node.Pos()).String())
		}
		return true
	})
	return places
}
