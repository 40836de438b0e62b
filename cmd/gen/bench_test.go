package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// BenchmarkLine takes the sample fleet from its files to output/, in process: what the whole line allocates for each object. See
// docs/benchmarks.md; BenchmarkRealFleet compares programs.
func BenchmarkLine(b *testing.B) {
	l := startLine(b)
	l.setup.Build = "benchmark" // what is rendered is cached under it
	l.lock(b)
	write := func(b *testing.B) (objects int) {
		b.Helper()
		run, err := l.setup.WriteOutput(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for _, result := range run.Results {
			for _, bundle := range result.Bundles {
				objects += len(bundle.Objects)
			}
		}
		return objects
	}
	all := write(b)
	output := filepath.Join(l.setup.Root, pipeline.OutputDir)
	remove := func(b *testing.B, dir string) {
		b.Helper()
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
	changes := 0
	cases := []struct {
		name   string
		before func(b *testing.B)
	}{
		{"cold", func(b *testing.B) { b.Helper(); remove(b, output); remove(b, filepath.Join(l.setup.Cache, "rendered")) }},
		{"warm", func(b *testing.B) { b.Helper(); remove(b, output) }},
		{"one value", func(b *testing.B) { b.Helper(); changes++; l.changeOneValue(b, changes) }},
		{"nothing", func(*testing.B) {}},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var allocated uint64
			rounds := 0
			for b.Loop() {
				b.StopTimer()
				c.before(b)
				before := mallocs()
				b.StartTimer()
				write(b)
				allocated += mallocs() - before
				rounds++
			}
			b.ReportMetric(float64(allocated)/float64(rounds*all), "allocs/object")
		})
	}
}

func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}

// changeOneValue gives one value of one component of one environment another number.
func (l line) changeOneValue(b *testing.B, number int) {
	b.Helper()
	name := filepath.Join(l.setup.Root, pipeline.ModelDir, "lab.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	const mark = "\n# changed\n"
	text := string(data)
	before, _, _ := strings.Cut(text, mark)
	text = before + mark + fmt.Sprintf("components:\n  podinfo:\n    values: {ui: {message: \"%d\"}}\n", number)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}
