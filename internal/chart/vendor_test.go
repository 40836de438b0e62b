package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fleet is a lock of a chart of each kind, and the stores' surroundings.
func fleet(t *testing.T) (model string, w *web, lock *Lock) {
	t.Helper()
	w, _ = library(t)
	w.body("/charts/podinfo-6.9.0.tgz", podinfo(t, "a: 1\n"))
	repo := newRepo(t, map[string]string{"charts/tool/Chart.yaml": chartYAML("tool", "0.1.0"), "charts/tool/values.yaml": "\xEF\xBB\xBFa: 1\n"})
	model = write(t, t.TempDir(), map[string]string{
		"charts/own/Chart.yaml": chartYAML("own", "0.1.0", dependsOn("lib", "1.0.0", w.URL+"/charts")),
	})
	store := quick(Options{Root: rooted(t, model)})
	var entries []Entry
	for _, source := range []Source{
		{Repo: w.URL + "/charts", Name: "lib", Version: "2.0.0"}, {Path: "charts/own"}, {Git: repo.url, Ref: "main", Path: "charts/tool"},
	} {
		entry, err := store.Resolve(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	lock, err := NewLock(entries)
	if err != nil {
		t.Fatal(err)
	}
	return model, w, lock
}

func TestVendor(t *testing.T) {
	model, w, lock := fleet(t)
	charts := filepath.Join(model, "charts")
	var names []string
	for _, p := range lock.pins() {
		names = append(names, p.vendoredName())
	}
	store := quick(Options{Root: rooted(t, model)})
	first, err := store.Vendor(t.Context(), charts, lock)
	if diff := cmp.Diff(Vendored{Written: names}, first); err != nil || diff != "" {
		t.Fatalf("first: %v (-want +got):\n%s", err, diff)
	}
	if len(names) != 3 || !strings.HasPrefix(names[0], "lib-1.0.0.") || !strings.HasPrefix(names[1], "lib-2.0.0.") || !strings.HasPrefix(names[2], "tool.") {
		t.Errorf("names = %v", names)
	}

	// Every server is gone: the vendored archives are enough.
	w.Close()
	alone := quick(Options{Root: rooted(t, model), Transport: closed{}})
	for _, entry := range lock.Entries() {
		if _, err := alone.Open(t.Context(), entry.Source, entry); err != nil {
			t.Error(err)
		}
	}
	again, err := alone.Vendor(t.Context(), charts, lock)
	if diff := cmp.Diff(Vendored{Kept: names}, again); err != nil || diff != "" {
		t.Errorf("again: %v (-want +got):\n%s", err, diff)
	}
	if alone.Fetches() != 0 {
		t.Errorf("Fetches() = %d", alone.Fetches())
	}

	// A chart leaves the model; foreign files stay, whatever they are called.
	foreign := "mine.0123456789ab.tgz"
	write(t, charts, map[string]string{foreign: "mine", "notes.txt": "x"})
	smaller, err := NewLock(lock.Entries()[1:])
	if err != nil {
		t.Fatal(err)
	}
	gone := lock.Entries()[0].pins()[0].vendoredName()
	removed, err := alone.Vendor(t.Context(), charts, smaller)
	if err != nil || cmp.Diff([]string{gone}, removed.Removed) != "" {
		t.Errorf("removed %v, %v; want %s", removed.Removed, err, gone)
	}
	for _, name := range []string{foreign, "notes.txt", "own/Chart.yaml"} {
		if _, err := os.Stat(filepath.Join(charts, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestVendoredArchiveThatWasChanged(t *testing.T) {
	model, _, lock := fleet(t)
	charts := filepath.Join(model, "charts")
	if _, err := quick(Options{Root: rooted(t, model)}).Vendor(t.Context(), charts, lock); err != nil {
		t.Fatal(err)
	}
	entry, err := lock.Find(lock.Entries()[2].Source)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(charts, entry.pins()[0].vendoredName())
	if err := os.WriteFile(file, podinfo(t, "evil: true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The source could serve the right bytes, but a changed file in git is to be said, not passed over.
	_, err = quick(Options{Root: rooted(t, model)}).Open(t.Context(), entry.Source, entry)
	for _, want := range []string{filepath.Base(file), entry.Digest, "restore it from git, or delete it and run `gen charts vendor`"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
	mended, err := quick(Options{Root: rooted(t, model)}).Vendor(t.Context(), charts, lock)
	if err != nil || cmp.Diff([]string{filepath.Base(file)}, mended.Written) != "" {
		t.Errorf("vendored again: %+v, %v", mended, err)
	}
	if _, err := quick(Options{Root: rooted(t, model)}).Open(t.Context(), entry.Source, entry); err != nil {
		t.Error(err)
	}
}

func TestVendorNamesAllFailures(t *testing.T) {
	model, w, lock := fleet(t)
	w.page("/charts/lib-1.0.0.tgz", answer(404))
	w.body("/charts/lib-2.0.0.tgz", podinfo(t, "other"))
	charts := filepath.Join(model, "charts")
	done, err := quick(Options{Root: rooted(t, model)}).Vendor(t.Context(), charts, lock)
	for _, want := range []string{"vendoring lib-1.0.0: ", "404 Not Found", "vendoring lib-2.0.0: ", "published again"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
	if len(done.Written) != 1 || !strings.HasPrefix(done.Written[0], "tool.") {
		t.Errorf("written: %v", done.Written)
	}
}
