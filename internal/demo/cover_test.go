package demo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// covered maps each stand-in to how the corpus renders the real chart.
var covered = map[string]struct {
	version, release, namespace, values string
	newer                               []string // CRDs that came after the version that the sample pins
}{
	"argo-cd":      {version: "9.3.7", release: "argo-cd", namespace: "argo-cd-ns", values: "global: {networkPolicy: {create: true}}"},
	"cert-manager": {version: "v1.17.2", release: "cert-manager", namespace: "cert-manager", values: "crds: {enabled: true}\nprometheus: {servicemonitor: {enabled: true}}"},
	"cilium": {version: "1.19.4", release: "cilium", namespace: "kube-system", values: `
ingressController: {enabled: true, default: true}
l2announcements: {enabled: true}
gatewayAPI: {enabled: true}
hubble: {relay: {enabled: true}, ui: {enabled: true}, tls: {auto: {method: cronJob}}}
nodeinit: {enabled: true}
authentication: {enabled: true, mutual: {spire: {enabled: true}}}
clustermesh: {useAPIServer: true}
`},
	"external-secrets": {version: "0.14.3", release: "external-secrets", namespace: "external-secrets-ns", newer: []string{
		"beyondtrustworkloadcredentialsdynamicsecrets", "cloudsmithaccesstokens", "clusterpushsecrets", "generatorstates",
		"gitlabdeploytokens", "grafanas", "mfas", "sshkeys",
	}},
	"sealed-secrets": {version: "2.17.1", release: "sealed-secrets", namespace: "sealed-secrets-ns"},
	"metrics-server": {version: "3.13.1", release: "metrics-server", namespace: "metrics-server-ns"},
}

// Every kind, name, hook and image position of the real charts' output stands in the stand-ins' output.
func TestStandInsCoverTheRealCharts(t *testing.T) {
	corpus := corpusFolder(t)
	w := start(t)
	if len(covered) != 6 {
		t.Errorf("%d of the 6 charts are compared", len(covered))
	}
	for name, as := range covered {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(corpus, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			got := shape(render(t, archiveOf(t, w, name, as.version), as.release, as.namespace, as.values))
			for _, want := range shape(decode(t, name+".yaml", string(text))) {
				isNewer := func(crd string) bool { return strings.Contains(want, " "+crd+".") }
				if !slices.Contains(got, want) && !slices.ContainsFunc(as.newer, isNewer) {
					t.Errorf("lacks %s", want)
				}
			}
		})
	}
}

// corpusFolder returns the folder of rendered public charts: GEN_CORPUS, or shared/corpus beside the checkout or its parent.
func corpusFolder(t *testing.T) string {
	t.Helper()
	for _, folder := range []string{os.Getenv("GEN_CORPUS"), "../../../shared/corpus", "../../../../shared/corpus"} {
		if _, err := os.Stat(folder); folder != "" && err == nil {
			return folder
		}
	}
	t.Skip("no rendered public charts: neither GEN_CORPUS nor shared/corpus beside the checkout")
	return ""
}

// shape lists what the cold start depends on: objects, hooks, image positions, services that wait for an address, webhooks.
func shape(objects []object) []string {
	var lines []string
	add := func(parts ...string) { lines = append(lines, strings.Join(parts, " ")) }
	for _, o := range objects {
		id := strings.Join([]string{o.text("apiVersion"), o.text("kind"), o.text("metadata", "namespace"), o.text("metadata", "name")}, " ")
		id = jobHash.ReplaceAllString(id, "-HASH")
		add(id)
		annotations, _ := o.at("metadata", "annotations").(map[string]any)
		for name, value := range annotations {
			if strings.Contains(name, "hook") || strings.Contains(name, "inject-ca") || strings.Contains(name, "resource-policy") {
				add(id, name, fmt.Sprint(value))
			}
		}
		for _, list := range []string{"containers", "initContainers"} {
			for _, container := range podContainers(o, list) {
				add(id, "image of", list, fmt.Sprint(container["name"]))
				for _, arg := range flagsWithImages(container) {
					add(id, "image in", arg)
				}
			}
		}
		if kind := o.text("spec", "type"); o.text("kind") == "Service" && kind != "" {
			add(id, "type", kind)
		}
		webhooks, _ := o.at("webhooks").([]any)
		for _, hook := range webhooks {
			h, _ := hook.(map[string]any)
			add(id, "webhook", fmt.Sprint(h["name"], " ", h["failurePolicy"]))
		}
	}
	return lines
}
