package render

import (
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkRealCharts renders the charts of GEN_REAL_CHARTS for three environments, with warm caches: what a full render costs
// when the process has seen the charts. Beside it, the `helm template` processes that it replaces.
func BenchmarkRealCharts(b *testing.B) {
	charts := realCharts(b)
	inputs := func(chart realChart) []Input {
		var all []Input
		for _, environment := range []string{"lab", "test", "prod"} {
			in := chartInput("", "")
			in.Chart, in.ChartKey, in.APIVersions = chart.fsys, chart.name, realAPIs()
			in.Component.KubeVersion, in.Component.Environment = realKubernetes, environment
			all = append(all, in)
		}
		return all
	}
	b.Run("gen", func(b *testing.B) {
		renderer, objects := New(), 0
		b.ReportAllocs()
		for b.Loop() {
			objects = 0
			for _, chart := range charts {
				for _, in := range inputs(chart) {
					got, err := (&run{renderer: renderer, in: in}).render(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					objects += len(got.objects)
				}
			}
		}
		b.ReportMetric(float64(objects), "objects/op")
	})
	for _, chart := range charts {
		b.Run("chart/"+strings.ReplaceAll(chart.name, "/", "_"), func(b *testing.B) {
			renderer, objects := New(), 0
			b.ReportAllocs()
			for b.Loop() {
				got, err := (&run{renderer: renderer, in: inputs(chart)[0]}).render(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				objects = len(got.objects)
			}
			b.ReportMetric(float64(objects), "objects/op")
		})
	}
	b.Run("helm", func(b *testing.B) {
		helm := helmBinary(b)
		for b.Loop() {
			for _, chart := range charts {
				for range 3 {
					arguments := []string{"template", "demo", chart.dir, "--namespace", "demo-system", "--include-crds", "--kube-version", realKubernetes}
					if out, err := exec.Command(helm, arguments...).CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
				}
			}
		}
	})
}
