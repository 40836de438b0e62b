package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProveBrokenSample takes the sample's output, moves the address pool one wave up, and wants incident 1 back.
func TestProveBrokenSample(t *testing.T) {
	dir, given := sample(t)
	if code, out := prove(t, "prove", "--dir", dir, "--given", given); code != exitDone || !strings.Contains(out, "PROVEN given 3 assumptions (3 unreviewed)") {
		t.Fatalf("exit code %d before anything is broken:\n%s", code, out)
	}
	movePool(t, dir)
	code, out := prove(t, "prove", "--dir", dir, "--given", given)
	if code != exitNoStart {
		t.Errorf("exit code %d, want %d", code, exitNoStart)
	}
	for _, want := range []string{
		"DEADLOCK",
		"Application.argoproj.io argocd/cilium is waited for",
		"Service kube-system/cilium-ingress waits for an address",
		"is in Application cilium-config, in wave 1 of root, which is not reached",
		"cure: move Application cilium-config to wave 0 of root",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestReadmePicture keeps the README's picture of incident 1 true; -update mends it.
func TestReadmePicture(t *testing.T) {
	dir, given := sample(t)
	movePool(t, dir)
	page, err := filepath.Abs("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir)) // the title is what the command line says
	code, picture := prove(t, "prove", "--quiet", "lab/", "--given", given, "-o", "mermaid")
	if code != exitNoStart {
		t.Fatalf("exit code %d, want %d:\n%s", code, exitNoStart, picture)
	}
	const begin, end = "```mermaid\n", "```\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	shown, after, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		t.Fatal("README.md has no mermaid block")
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+picture+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case shown != picture:
		t.Errorf("README.md shows another picture: go test ./cmd/gen -run TestReadmePicture -update\n%s", picture)
	}
}

// sample copies the rendered lab, and states what its model takes for granted.
func sample(t *testing.T) (dir, given string) {
	t.Helper()
	dir, given = filepath.Join(t.TempDir(), "lab"), filepath.Join(t.TempDir(), "given.yaml")
	if err := os.CopyFS(dir, os.DirFS("../../output/lab")); err != nil {
		t.Fatal(err)
	}
	facts := "given: [{fact: reachable vault.example.internal}, {fact: reachable acme-staging.example.internal}, {fact: reachable 10.10.0.2}]\n"
	if err := os.WriteFile(given, []byte(facts), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, given
}

// movePool moves the pool of addresses one wave up: behind the Service that waits for one.
func movePool(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "apps", "application.argoproj.io_argocd_cilium-config.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	moved := bytes.Replace(data, []byte(`sync-wave: "0"`), []byte(`sync-wave: "1"`), 1)
	if bytes.Equal(moved, data) {
		t.Fatal("the sample's pool is not in wave 0 any more")
	}
	if err := os.WriteFile(name, moved, 0o600); err != nil {
		t.Fatal(err)
	}
}

func prove(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, messages bytes.Buffer
	code := run(t.Context(), args, streams{&out, &messages, strings.NewReader("")})
	return code, out.String() + messages.String()
}
