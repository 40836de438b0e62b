package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/demo"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// line is the sample fleet in a folder of its own, with a world that answers for its hosts.
type line struct {
	world *demo.World
	setup pipeline.Setup
}

func startLine(t testing.TB) line {
	t.Helper()
	world, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	g := global{root: t.TempDir(), cache: t.TempDir()}
	if err := os.CopyFS(g.root, gen.Samples); err != nil {
		t.Fatal(err)
	}
	l := line{world: world, setup: g.base()}
	l.setup.Transport = world.Transport()
	return l
}

// lock writes both locks anew.
func (l line) lock(t testing.TB) {
	t.Helper()
	if _, err := l.setup.LockCharts(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	client := image.New(image.Options{Transport: l.setup.Transport})
	if _, _, err := l.setup.LockImages(t.Context(), client, pipeline.Look{}); err != nil {
		t.Fatal(err)
	}
}

// hash is one of the output folder's paths and bytes.
func (l line) hash(t testing.TB) string {
	t.Helper()
	sum := sha256.New()
	output := os.DirFS(filepath.Join(l.setup.Root, pipeline.OutputDir))
	err := fs.WalkDir(output, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(output, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(data), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Once the locks and the cache stand, nothing is asked any more: weather in a registry changes no output.
func TestRenderNeedsNoServer(t *testing.T) {
	l := startLine(t)
	l.lock(t)
	if _, err := l.setup.WriteOutput(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := l.hash(t)
	archives := map[demo.Request]int{}
	for _, r := range l.world.Requests() {
		if strings.HasSuffix(r.Path, ".tgz") {
			archives[r]++
		}
	}
	for r, n := range archives {
		if n != 1 {
			t.Errorf("%s%s was fetched %d times; want once, however many environments ask", r.Host, r.Path, n)
		}
	}
	l.world.Down()
	l.world.ResetRequests()
	elsewhere := t.TempDir()
	if err := os.CopyFS(filepath.Join(elsewhere, pipeline.ModelDir), os.DirFS(filepath.Join(l.setup.Root, pipeline.ModelDir))); err != nil {
		t.Fatal(err)
	}
	l.setup.Root = elsewhere
	if _, err := l.setup.WriteOutput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.hash(t); got != want {
		t.Errorf("with every server gone the output differs: %s; want %s", got, want)
	}
	if asked := l.world.Requests(); len(asked) > 0 {
		t.Errorf("rendering asked %v", asked)
	}
}

// A chart server that fails is named, with the environments and the component that need it, and nothing is written.
func TestFailingChartServerWritesNothing(t *testing.T) {
	const host = "charts.metrics-server.example.internal"
	tests := map[string]demo.Fault{
		"404":     demo.Answer(http.StatusNotFound),
		"401":     demo.Answer(http.StatusUnauthorized),
		"500":     demo.Answer(http.StatusInternalServerError),
		"hangs":   demo.Hang(),
		"lies":    demo.Lie(".tgz"),
		"cut off": demo.CutOff(".tgz"),
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLine(t)
			l.lock(t)
			l.setup.Cache = t.TempDir() // another machine, which has the locks alone
			l.world.Break(host, fault)
			limit := time.Minute
			if name == "hangs" {
				limit = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err := l.setup.WriteOutput(ctx)
			if err == nil {
				t.Fatal("rendered without the chart")
			}
			for _, want := range []string{`(^|\n)(lab,prod|lab)/metrics-server: `, `(^|\n)(lab,prod|prod)/metrics-server: `, "https://" + host} {
				if !regexp.MustCompile(want).MatchString(err.Error()) {
					t.Errorf("the error does not name %s: %v", want, err)
				}
			}
			if left, err := os.ReadDir(filepath.Join(l.setup.Root, pipeline.OutputDir)); err == nil {
				t.Errorf("output holds %v", left)
			}
		})
	}
}
