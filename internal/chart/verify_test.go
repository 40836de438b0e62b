package chart

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVerify(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	republished := podinfo(t, "a: 2\n")
	tests := map[string]struct {
		change func(*web)
		want   State
		detail string
	}{
		"the same":                     {func(*web) {}, Served, ""},
		"published again":              {func(w *web) { w.publish(t, republished, "", "podinfo-6.9.0.tgz") }, Changed, "published again"},
		"published again, index stale": {func(w *web) { w.body(archivePath, republished) }, Changed, "the index says " + archiveDigest(archive)},
		"withdrawn from the index":     {func(w *web) { w.body(indexPath, []byte("entries: {podinfo: [{version: 7.0.0}]}")) }, Withdrawn, "has no version 6.9.0; the newest stable one is 7.0.0"},
		"chart withdrawn":              {func(w *web) { w.body(indexPath, []byte("entries: {other: [{version: 7.0.0}]}")) }, Withdrawn, "no such chart"},
		"archive deleted":              {func(w *web) { w.page(archivePath, http.NotFound) }, Withdrawn, "answers 404 Not Found"},
		"repository gone":              {func(w *web) { w.page(indexPath, http.NotFound) }, Gone, "if the repository moved"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := serve(t)
			w.publish(t, archive, "", "podinfo-6.9.0.tgz")
			source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
			cache := t.TempDir()
			entry, err := quick(Options{Cache: cache}).Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			test.change(w)
			got, err := quick(Options{Cache: cache}).Verify(t.Context(), source, entry)
			if err != nil || got.State != test.want || !strings.Contains(got.Detail, test.detail) || got.Source != source {
				t.Errorf("verdict = %+v, %v; want %s with %q", got, err, test.want, test.detail)
			}
			if (got.State == Changed) != (got.Found == archiveDigest(republished)) {
				t.Errorf("found = %q", got.Found)
			}
		})
	}
}

// TestVerifyCannotTell: weather is no verdict.
func TestVerifyCannotTell(t *testing.T) {
	w := serve(t)
	w.publish(t, podinfo(t, ""), "", "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	entry, err := quick(Options{}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{401, 403, 500, 503} {
		w.page(indexPath, answer(code))
		if got, err := quick(Options{}).Verify(t.Context(), source, entry); err == nil {
			t.Errorf("%d: verdict = %+v", code, got)
		}
	}
}

func TestVerifyLocalAndDependencies(t *testing.T) {
	model, w, lock := fleet(t)
	var own Entry
	for _, entry := range lock.Entries() {
		got, err := quick(Options{Root: rooted(t, model)}).Verify(t.Context(), entry.Source, entry)
		if diff := cmp.Diff(Verdict{Source: entry.Source, State: Served}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if entry.Path == "charts/own" {
			own = entry
		}
	}
	w.body(indexPath, []byte("entries: {lib: [{version: 7.0.0}]}"))
	got, err := quick(Options{Root: rooted(t, model)}).Verify(t.Context(), own.Source, own)
	if err != nil || got.State != Withdrawn || !strings.HasPrefix(got.Detail, "dependency lib: ") || got.Source != own.Source {
		t.Errorf("verdict = %+v, %v", got, err)
	}
	own.Dependencies = nil
	write(t, model, map[string]string{"charts/own/values.yaml": "a: 2\n"})
	got, err = quick(Options{Root: rooted(t, model)}).Verify(t.Context(), own.Source, own)
	if err != nil || got.State != Changed || !strings.Contains(got.Detail, "run `gen charts lock`") {
		t.Errorf("verdict = %+v, %v", got, err)
	}
}

func TestOutdatedHTTP(t *testing.T) {
	w := serve(t)
	w.body(indexPath, []byte(`entries: {a: [{version: v1.2.3, deprecated: true}, {version: v1.2.10}, {version: 1.4.0}, {version: 1.5.0-rc.1}, {version: 3.0.1}, {version: 2.9.9}, {version: nonsense}], b: [{version: 1.0.0}]}`))
	a, b := Source{Repo: w.URL + "/charts", Name: "a", Version: "v1.2.3"}, Source{Repo: w.URL + "/charts", Name: "b", Version: "1.0.0"}
	store := quick(Options{})
	for source, want := range map[Source]Newer{
		a:                    {Source: a, Patch: "v1.2.10", Minor: "1.4.0", Latest: "3.0.1", Deprecated: true},
		b:                    {Source: b},
		{Path: "charts/own"}: {Source: Source{Path: "charts/own"}},
	} {
		got, err := store.Outdated(t.Context(), source)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if w.count(indexPath) != 1 {
		t.Errorf("the index was read %d times", w.count(indexPath))
	}
	if _, err := quick(Options{}).Outdated(t.Context(), Source{Repo: w.URL + "/charts", Name: "c", Version: "1.0.0"}); err == nil {
		t.Error("no error for a chart that is not there")
	}
}

// moved answers for hosts of the internet as they answer today.
type moved struct{}

func (moved) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: request}, nil
}

// TestKnownMoves suggests the new address of each known move, where the chart is locked, opened and verified.
func TestKnownMoves(t *testing.T) {
	for _, m := range moves {
		source := Source{Repo: m.from + "/", Name: "a", Version: "1.0.0"}
		entry := Entry{Source: source, Digest: digestA, URL: m.from + "/a-1.0.0.tgz"}
		store := quick(Options{Transport: moved{}})
		_, resolveErr := store.Resolve(t.Context(), source)
		_, openErr := store.Open(t.Context(), source, entry)
		verdict, err := store.Verify(t.Context(), source, entry)
		if err != nil || verdict.State != Gone {
			t.Errorf("%s: verdict = %+v, %v", m.from, verdict, err)
		}
		for what, got := range map[string]string{"Resolve": errorText(resolveErr), "Open": errorText(openErr), "Verify": verdict.Detail} {
			if !strings.Contains(got, "the repository moved to "+m.to+" ("+m.source+"): change the model and run `gen charts lock`") {
				t.Errorf("%s: %s says %q", m.from, what, got)
			}
		}
	}
}

// errorText is an error's text, or nothing.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
