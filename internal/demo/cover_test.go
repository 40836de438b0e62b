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
	release, namespace, values string
}{
	"metrics-server": {release: "metrics-server", namespace: "metrics-server-ns"},
}

// Every kind, name, hook and image position of the real charts' output stands in the stand-ins' output.
func TestStandInsCoverTheRealCharts(t *testing.T) {
	corpus := os.Getenv("GEN_CORPUS")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("no rendered public charts at %s; set GEN_CORPUS to a folder of them", corpus)
	}
	w := start(t)
	for name, as := range covered {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(corpus, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			got := shape(render(t, archiveOf(t, w, name), as.release, as.namespace, as.values))
			for _, want := range shape(decode(t, name+".yaml", string(text))) {
				if !slices.Contains(got, want) {
					t.Errorf("lacks %s", want)
				}
			}
		})
	}
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
