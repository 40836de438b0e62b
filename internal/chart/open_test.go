package chart

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestResolveAndOpenHTTP(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	other := serve(t)
	other.body("/elsewhere/podinfo.tgz", archive)
	tests := map[string]struct{ url, wantURL string }{
		"relative":              {"podinfo-6.9.0.tgz", w.URL + "/charts/podinfo-6.9.0.tgz"},
		"relative to the host":  {"/charts/podinfo-6.9.0.tgz", w.URL + "/charts/podinfo-6.9.0.tgz"},
		"absolute, other host":  {other.URL + "/elsewhere/podinfo.tgz", other.URL + "/elsewhere/podinfo.tgz"},
		"relative with a climb": {"../charts/podinfo-6.9.0.tgz", w.URL + "/charts/podinfo-6.9.0.tgz"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w.publish(t, archive, "", test.url)
			source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
			store := quick(Options{})
			entry, err := store.Resolve(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			want := Entry{Source: source, Digest: archiveDigest(archive), URL: test.wantURL}
			if diff := cmp.Diff(want, entry); diff != "" {
				t.Fatalf("entry (-want +got):\n%s", diff)
			}
			content, err := store.Open(t.Context(), source, entry)
			if err != nil {
				t.Fatal(err)
			}
			wantFiles := map[string]string{"Chart.yaml": chartYAML("podinfo", "6.9.0"), "values.yaml": "a: 1\n", "templates/service.yaml": "kind: Service\n"}
			if diff := cmp.Diff(wantFiles, listing(t, content)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if err := fstest.TestFS(content, "Chart.yaml", "templates/service.yaml"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenFetchesOncePerContent(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	entry := Entry{Source: source, Digest: archiveDigest(archive), URL: w.URL + "/charts/podinfo-6.9.0.tgz"}
	store := quick(Options{Cache: t.TempDir()})
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			content, err := store.Open(t.Context(), source, entry)
			if err != nil {
				t.Error(err)
				return
			}
			// What one caller does to its bytes must not reach another.
			data, err := fs.ReadFile(content, "values.yaml")
			if err != nil || string(data) != "a: 1\n" {
				t.Errorf("values.yaml: %q, %v", data, err)
				return
			}
			data[0] = 'b'
		})
	}
	group.Wait()
	if got := w.count("/charts/podinfo-6.9.0.tgz"); got != 1 {
		t.Errorf("%d requests for one chart, want 1", got)
	}
	if got := store.Fetches(); got != 1 {
		t.Errorf("Fetches() = %d, want 1", got)
	}
}

func TestOpenReadsTheCacheWithoutNetwork(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	folder := t.TempDir()
	entry, err := quick(Options{Cache: folder}).Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	store := quick(Options{Cache: folder, Transport: closed{}})
	if _, err := store.Open(t.Context(), source, entry); err != nil {
		t.Fatal(err)
	}
	if got := store.Fetches(); got != 0 {
		t.Errorf("Fetches() = %d, want 0", got)
	}

	stored := filepath.Join(folder, "sha256", digestHex(entry.Digest)+".tgz")
	for name, broken := range map[string][]byte{"cut off": archive[:len(archive)/2], "other content": podinfo(t, "a: 2\n"), "empty": nil} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(stored, broken, 0o644); err != nil {
				t.Fatal(err)
			}
			store := quick(Options{Cache: folder})
			if _, err := store.Open(t.Context(), source, entry); err != nil {
				t.Fatal(err)
			}
			if got := store.Fetches(); got != 1 {
				t.Errorf("Fetches() = %d, want 1: a broken entry is fetched again", got)
			}
			if healed, err := os.ReadFile(stored); err != nil || archiveDigest(healed) != entry.Digest {
				t.Errorf("the broken entry was not replaced: %v", err)
			}
		})
	}
}

// closed is a transport for tests that must not need one.
type closed struct{}

func (closed) RoundTrip(*http.Request) (*http.Response, error) { panic("the network was used") }

func TestOpenRepublished(t *testing.T) {
	old, republished := podinfo(t, "a: 1\n"), podinfo(t, "a: 2\n")
	w := serve(t)
	w.publish(t, republished, "", "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	entry := Entry{Source: source, Digest: archiveDigest(old), URL: w.URL + "/charts/podinfo-6.9.0.tgz"}
	_, err := quick(Options{}).Open(t.Context(), source, entry)
	for _, want := range []string{archiveDigest(old), archiveDigest(republished), entry.URL, "published again", RenewCommand} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
}

func TestOpenCancelledCallerDoesNotSpoilOthers(t *testing.T) {
	archive := podinfo(t, "a: 1\n")
	w := serve(t)
	w.publish(t, archive, "", "podinfo-6.9.0.tgz")
	source := Source{Repo: w.URL + "/charts", Name: "podinfo", Version: "6.9.0"}
	entry := Entry{Source: source, Digest: archiveDigest(archive), URL: w.URL + "/charts/podinfo-6.9.0.tgz"}
	asked, release := make(chan struct{}), make(chan struct{})
	var first sync.Once
	w.page("/charts/podinfo-6.9.0.tgz", func(out http.ResponseWriter, _ *http.Request) {
		first.Do(func() { close(asked); <-release })
		_, _ = out.Write(archive)
	})
	store := quick(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	gaveUp := make(chan error, 1)
	go func() {
		_, err := store.Open(ctx, source, entry)
		gaveUp <- err
	}()
	<-asked
	group.Go(func() {
		if _, err := store.Open(t.Context(), source, entry); err != nil {
			t.Errorf("another caller got %v", err)
		}
	})
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) { // before the server answers: an answer that is there already counts
		t.Errorf("the cancelled caller got %v", err)
	}
	close(release)
	group.Wait()
}
