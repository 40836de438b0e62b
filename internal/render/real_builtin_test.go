package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// compareBuiltIn compares the charts as gen sets their values from facts, for a cluster with every kind of fact. What `gen
// explain` says of the values is what Helm gets.
func (l genLine) compareBuiltIn(t *testing.T, helm string, charts []realChart) {
	t.Helper()
	components := map[string]any{}
	var known []realChart
	for i, chart := range charts {
		if slices.Contains(builtIn, chart.chart) && components[chart.chart] == nil {
			repo := l.http
			if i%2 == 1 && slices.Contains(inRegistries, chart.chart) {
				repo = l.oci
			}
			components[chart.chart] = map[string]any{"chart": l.source(chart, repo), "apiVersions": realAPIs(), "release": "demo", "namespace": "demo-system"}
			known = append(known, chart)
		}
	}
	if len(known) == 0 {
		t.Skip("skipped: no chart of a built-in component is there")
	}
	line := l.lock(t, map[string]string{"fleet.yaml": fleet(t, components), "lab.yaml": builtInLab})
	for _, chart := range known {
		name := chart.chart
		explained, err := line.run(t, "explain", "-o", "json", "lab", name)
		if err != nil {
			t.Fatal(err)
		}
		run := plainRun(helm, chart.dir, explainedValues(t, explained))
		got, err := line.render(t, "lab", name)
		report := &realReport{}
		report.compare(t, run, got, err)
		t.Logf("%s with values made from facts: %d objects compared, %d differing", chart.name, report.objects, report.differing)
	}
}

// explainedValues puts together what wins.
func explainedValues(t *testing.T, explained string) map[string]any {
	t.Helper()
	var steps []struct {
		Path  string
		Value any
		Wins  bool
	}
	if err := json.Unmarshal([]byte(explained), &steps); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, step := range steps {
		path, err := environment.ParsePath(step.Path)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, name := range path {
			names = append(names, fmt.Sprint(name))
		}
		if step.Wins {
			setPath(values, names, step.Value)
		}
	}
	return values
}

// builtInLab is a cluster with the facts that the built-in components ask for.
const builtInLab = `
apiVersion: gen/v1
kind: Environment
name: lab
rebuilt: often
versions: {kubernetes: ` + realKubernetes + `, talos: 1.10.0}
facts:
  domain: lab.example.com
  ntp: [time.example.com]
  network: {nodes: 10.10.0.0/24, gateway: 10.10.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12, dns: [10.10.0.2]}
  controlPlane: {endpoint: "https://10.10.0.10:6443", vip: 10.10.0.10}
  nodes:
    - {name: lab-cp1, role: controlplane, address: 10.10.0.11/24, link: ens18, disk: /dev/sda}
    - {name: lab-w1, role: worker, address: 10.10.0.21/24, link: ens18, disk: /dev/sda}
  loadBalancer: {addresses: [10.10.0.30/32], announce: {l2: {links: ["^ens"]}}}
  frontProxy: {protocol: proxy-v2, from: [10.10.0.5/32]}
  vault: {address: "https://vault.example.com", path: secret, mount: kubernetes-lab}
  acme: {server: "https://acme.example.com/directory", email: platform@example.com, solver: http01}
`
