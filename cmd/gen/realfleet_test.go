package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// realFleet names the charts of the benchmark; GEN_REAL_CHARTS holds an archive NAME-VERSION.tgz of each.
var realFleet = []string{"cilium", "cert-manager", "external-secrets", "sealed-secrets", "argo-cd", "metrics-server", "ingress-nginx", "metallb"}

// realEnvironments is how many environments are rendered.
const realEnvironments = 3

const realEnvironment = `apiVersion: gen/v1
kind: Environment
name: env%[1]d
rebuilt: seldom
versions: {talos: 1.13.6, kubernetes: 1.36.2}
facts:
  domain: env%[1]d.example.internal
  network: {nodes: 10.%[1]d.0.0/24, gateway: 10.%[1]d.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12, dns: [10.%[1]d.0.2]}
  controlPlane: {endpoint: "https://10.%[1]d.0.10:6443", vip: 10.%[1]d.0.10}
  nodes:
    - {name: cp1, role: controlplane, address: 10.%[1]d.0.11/24, link: ens18, disk: /dev/sda}
    - {name: w1, role: worker, address: 10.%[1]d.0.21/24, link: ens18, disk: /dev/sda}
    - {name: w2, role: worker, address: 10.%[1]d.0.22/24, link: ens18, disk: /dev/sda}
  loadBalancer: {addresses: [10.%[1]d.0.30/32], announce: {l2: {links: ["^ens"]}}}
  frontProxy: none
  vault: {mount: kubernetes-env%[1]d, address: "https://vault.example.internal", path: secret}
  acme:
    server: https://acme.example.internal/directory
    email: platform@example.internal
    solver: dns01
    dns01: {rfc2136: {nameserver: "10.%[1]d.0.2:53", tsigKeyName: e, tsigAlgorithm: HMACSHA256, tsigSecretSecretRef: {name: dns-tsig, key: key}}}
components:
  metrics-server: {values: {replicas: %[2]d}}
`

// peers are the two programs, and the folder in which both work.
type peers struct {
	gen, helm, dir string
}

// BenchmarkRealFleet compares gen with a loop of `helm template` over the same charts, in one run: each round runs every case, so
// that a busy machine is busy for all. It reports the medians of the ratios. -benchtime 5x makes five rounds.
func BenchmarkRealFleet(b *testing.B) {
	p := startPeers(b)
	cases := []struct {
		name string
		run  func(*testing.B) cost
	}{
		{"helm", p.helmLoop},
		{"full", p.full},
		{"settle", p.settle},
		{"one", p.oneValue},
		{"nothing", p.render},
		{"start", p.start},
	}
	costs := map[string][]cost{}
	for b.Loop() {
		for _, c := range cases {
			costs[c.name] = append(costs[c.name], c.run(b))
		}
	}
	for _, c := range cases {
		if c.name == "settle" {
			continue
		}
		b.ReportMetric(median(costs[c.name], costs[c.name], func(of, _ cost) float64 { return of.cpu.Seconds() * 1000 }), c.name+"-cpu-ms")
	}
	wall, cpu := func(of, to cost) float64 { return float64(of.wall) / float64(to.wall) }, func(of, to cost) float64 { return float64(of.cpu) / float64(to.cpu) }
	for _, name := range []string{"full", "one"} {
		b.ReportMetric(median(costs["helm"], costs[name], wall), name+"-wall-x")
		b.ReportMetric(median(costs["helm"], costs[name], cpu), name+"-cpu-x")
	}
	b.ReportMetric(median(costs["nothing"], costs["start"], wall), "nothing-wall/start")
	b.ReportMetric(median(costs["nothing"], costs["start"], cpu), "nothing-cpu/start")
}

// startPeers builds gen, and writes a model of the real charts which both programs read.
func startPeers(b *testing.B) peers {
	b.Helper()
	charts, helm := os.Getenv("GEN_REAL_CHARTS"), os.Getenv("GEN_HELM")
	if charts == "" || helm == "" {
		b.Skip("skipped: GEN_REAL_CHARTS names no folder of packed charts, or GEN_HELM no helm program")
	}
	p := peers{gen: filepath.Join(b.TempDir(), "gen"), helm: helm, dir: b.TempDir()}
	b.Setenv("GEN_CACHE", b.TempDir())
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", p.gen, ".").CombinedOutput(); err != nil {
		b.Fatalf("building gen: %v\n%s", err, out)
	}
	fleet := "apiVersion: gen/v1\nkind: Fleet\ngit: {url: \"https://git.example.internal/fleet.git\", branch: main, path: \"output/{env}\"}\nargocd: {in: cluster}\ncomponents:\n"
	for _, name := range realFleet {
		found, err := filepath.Glob(filepath.Join(charts, name+"-[v0-9]*.tgz"))
		if err != nil || len(found) == 0 {
			b.Fatalf("GEN_REAL_CHARTS: %s holds no archive of %s", charts, name)
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			b.Fatal(err)
		}
		p.write(b, "environments/charts/"+name+".tgz", string(data))
		fleet += fmt.Sprintf("  %[1]s: {chart: {path: charts/%[1]s.tgz}}\n", name)
	}
	p.write(b, "environments/fleet.yaml", fleet)
	for n := range realEnvironments {
		p.environment(b, n+1, 1)
	}
	p.unpackForHelm(b, "external-secrets")
	p.run(b, p.gen, "charts", "lock")
	p.run(b, p.gen, "render", "-q")
	return p
}

// unpackForHelm lays the chart beside its archive without the dependency that its publisher left out of it: Helm refuses such an
// archive even where the dependency is switched off.
func (p peers) unpackForHelm(b *testing.B, name string) {
	b.Helper()
	charts := filepath.Join(p.dir, "helm")
	if err := os.MkdirAll(charts, 0o755); err != nil {
		b.Fatal(err)
	}
	p.run(b, "tar", "xzf", "environments/charts/"+name+".tgz", "-C", charts)
	file := filepath.Join(charts, name, "Chart.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), "dependencies:\n")
	for found && rest != "" && strings.ContainsRune(" -", rune(rest[0])) {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	p.write(b, "helm/"+name+"/Chart.yaml", before+rest)
	if err := os.RemoveAll(filepath.Join(charts, name, "Chart.lock")); err != nil {
		b.Fatal(err)
	}
}

// helmLoop renders every chart once an environment.
func (p peers) helmLoop(b *testing.B) cost {
	b.Helper()
	var sum cost
	for range realEnvironments {
		for _, name := range realFleet {
			chart := "environments/charts/" + name + ".tgz"
			if _, err := os.Stat(filepath.Join(p.dir, "helm", name)); err == nil {
				chart = "helm/" + name
			}
			one := p.run(b, p.helm, "template", "--include-crds", "--kube-version", "1.36.2", name, chart)
			sum.wall, sum.cpu = sum.wall+one.wall, sum.cpu+one.cpu
		}
	}
	return sum
}

// render is a run of gen as the folder stands.
func (p peers) render(b *testing.B) cost {
	b.Helper()
	return p.run(b, p.gen, "render", "-q")
}

// full renders and writes everything; what charts render to is in the cache.
func (p peers) full(b *testing.B) cost {
	b.Helper()
	p.remove(b, "output")
	return p.render(b)
}

// oneValue renders after one value of one environment has become another.
func (p peers) oneValue(b *testing.B) cost {
	b.Helper()
	p.environment(b, 2, int(time.Now().UnixMilli()%1e6))
	return p.render(b)
}

func (p peers) start(b *testing.B) cost {
	b.Helper()
	return p.run(b, p.gen, "version")
}

// settle lets files grow older than the clocks of file systems are coarse: until then no run remembers what it read of them.
func (p peers) settle(b *testing.B) cost {
	b.Helper()
	time.Sleep(2500 * time.Millisecond)
	return p.render(b)
}

func (p peers) environment(b *testing.B, number, replicas int) {
	b.Helper()
	p.write(b, fmt.Sprintf("environments/env%d.yaml", number), fmt.Sprintf(realEnvironment, number, replicas))
}

func (p peers) write(b *testing.B, name, text string) {
	b.Helper()
	full := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		b.Fatal(err)
	}
}

func (p peers) remove(b *testing.B, name string) {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, name)); err != nil {
		b.Fatal(err)
	}
}

// cost is what one or more programs took.
type cost struct {
	wall, cpu time.Duration
}

func (p peers) run(b *testing.B, program string, args ...string) cost {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	var problems strings.Builder
	cmd.Dir, cmd.Stderr = p.dir, &problems // what they print goes nowhere
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %v: %v\n%s", program, args, err, problems.String())
	}
	return cost{time.Since(begun), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// median returns the median of a ratio over the rounds.
func median(of, to []cost, ratio func(of, to cost) float64) float64 {
	all := make([]float64, len(of))
	for i := range of {
		all[i] = ratio(of[i], to[i])
	}
	slices.Sort(all)
	return all[len(all)/2]
}
