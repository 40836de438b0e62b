package chart

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// processVariable holds what a process of TestCacheBetweenProcesses works on: repository, cache folder, digest.
const processVariable = "GEN_TEST_CHART_PROCESS"

// TestMain lets the test binary be one of many processes that share a cache.
func TestMain(m *testing.M) {
	if work := os.Getenv(processVariable); work != "" {
		os.Exit(openOnce(strings.Split(work, "\n")))
	}
	os.Exit(m.Run())
}

// openOnce opens the chart as a process of its own would.
func openOnce(work []string) int {
	source := Source{Repo: work[0], Name: "podinfo", Version: "6.9.0"}
	entry := Entry{Source: source, Digest: work[2], URL: work[0] + "/podinfo-6.9.0.tgz"}
	store := quick(Options{Cache: work[1]})
	if _, err := store.Open(context.Background(), source, entry); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

func TestCacheBetweenProcesses(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	folder := t.TempDir()
	work := processVariable + "=" + strings.Join([]string{w.URL + "/charts", folder, archiveDigest(archive)}, "\n")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		command := exec.CommandContext(t.Context(), program)
		command.Env = append(os.Environ(), work)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("a process ended with %v: %s", err, out)
		}
	}
	var group sync.WaitGroup
	for range 50 {
		group.Go(run)
	}
	group.Wait()
	before := w.count(archivePath)
	if before < 1 || before > 50 {
		t.Errorf("%d requests by 50 processes", before)
	}
	run()
	if after := w.count(archivePath); after != before {
		t.Error("a process asked for what the cache has")
	}
	left, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != digestHex(archiveDigest(archive))+".tgz" {
		t.Errorf("the cache holds %v, %v", left, err)
	}
}

// TestCacheThatCannotBeUsed opens charts with a cache folder that cannot be made, written or read.
func TestCacheThatCannotBeUsed(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(dir, "blocked")
	if err := os.MkdirAll(filepath.Join(blocked, "sha256", digestHex(archiveDigest(archive))+".tgz"), 0o755); err != nil {
		t.Fatal(err)
	}
	readOnly := filepath.Join(dir, "read-only")
	if err := os.Mkdir(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"a file": file, "a folder where the archive belongs": blocked, "read-only": readOnly, "read-only, below": filepath.Join(readOnly, "x")} {
		t.Run(name, func(t *testing.T) {
			source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
			store := quick(Options{Cache: folder})
			entry, err := store.Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.Open(t.Context(), source, entry); err != nil {
				t.Error(err)
			}
		})
	}
	parts, err := filepath.Glob(filepath.Join(blocked, "sha256", ".part-*"))
	if err != nil || len(parts) > 0 {
		t.Errorf("left behind: %v, %v", parts, err)
	}
}
