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
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../output/lab")); err != nil {
		t.Fatal(err)
	}
	given := filepath.Join(t.TempDir(), "given.yaml")
	facts := "given: [{fact: reachable vault.example.internal}, {fact: reachable acme-staging.example.internal}, {fact: reachable 10.10.0.2}]\n"
	if err := os.WriteFile(given, []byte(facts), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := prove(t, "prove", "--dir", dir, "--given", given); code != exitDone || !strings.Contains(out, "PROVEN given 3 assumptions (3 unreviewed)") {
		t.Fatalf("exit code %d before anything is broken:\n%s", code, out)
	}
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

func prove(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, messages bytes.Buffer
	code := run(t.Context(), args, streams{&out, &messages, strings.NewReader("")})
	return code, out.String() + messages.String()
}
