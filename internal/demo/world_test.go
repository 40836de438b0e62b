package demo_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coldstart-gitops/gen/internal/demo"
)

func start(t *testing.T) *demo.World {
	t.Helper()
	w, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// get returns the body and status of a GET through the world's transport.
func get(ctx context.Context, w *demo.World, url string) ([]byte, int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	answer, err := (&http.Client{Transport: w.Transport()}).Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return body, answer.StatusCode, err
}

func TestChartArchivesHaveTheirDigest(t *testing.T) {
	w := start(t)
	for _, c := range w.Charts() {
		if strings.HasPrefix(c.URL, "oci://") {
			continue
		}
		body, status, err := get(t.Context(), w, withPassword(c.URL))
		if err != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v", c.URL, status, err)
			continue
		}
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != c.Digest {
			t.Errorf("%s has not the digest %s", c.URL, c.Digest)
		}
	}
}

// withPassword adds the credentials that the private repository wants.
func withPassword(url string) string {
	return strings.Replace(url, "https://"+demo.HostPrivate, "https://"+demo.User+":"+demo.Password+"@"+demo.HostPrivate, 1)
}

func TestPrivateRepositoryWantsAPassword(t *testing.T) {
	w := start(t)
	const index = "https://" + demo.HostPrivate + "/index.yaml"
	for _, url := range []string{index, strings.Replace(index, "//", "//demo:wrong@", 1)} {
		if _, status, err := get(t.Context(), w, url); status != http.StatusUnauthorized {
			t.Errorf("%s: %d, %v; want 401", url, status, err)
		}
	}
	if _, status, err := get(t.Context(), w, withPassword(index)); status != http.StatusOK {
		t.Errorf("with the password: %d, %v", status, err)
	}
}

func TestRepositoriesThatMoved(t *testing.T) {
	w := start(t)
	want, _, err := get(t.Context(), w, "https://charts.sealed-secrets.example.internal/index.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, status, err := get(t.Context(), w, "https://charts.moved.example.internal/index.yaml"); string(got) != string(want) {
		t.Errorf("the moved repository answers %d, %v:\n%s", status, err, got)
	}
	if _, status, err := get(t.Context(), w, "https://charts.gone.example.internal/index.yaml"); status != http.StatusNotFound {
		t.Errorf("the repository that is gone answers %d, %v; want 404", status, err)
	}
}

func TestTransportRefusesOtherHosts(t *testing.T) {
	w := start(t)
	_, _, err := get(t.Context(), w, "https://ghcr.io/v2/")
	if !errors.Is(err, demo.ErrUnknownHost) || !strings.Contains(err.Error(), "connecting to ghcr.io") {
		t.Errorf("got %v", err)
	}
}

func TestFaults(t *testing.T) {
	const host = "charts.metrics-server.example.internal"
	const index, archive = "https://" + host + "/index.yaml", "https://" + host + "/metrics-server-3.13.1.tgz"
	w := start(t)
	healthy, _, err := get(t.Context(), w, archive)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		fault demo.Fault
		check func(body []byte, status int, err error) bool
	}{
		"404": {demo.Answer(404), func(_ []byte, status int, _ error) bool { return status == 404 }},
		"401": {demo.Answer(401), func(_ []byte, status int, _ error) bool { return status == 401 }},
		"500": {demo.Answer(500), func(_ []byte, status int, _ error) bool { return status == 500 }},
		"hang": {demo.Hang(), func(_ []byte, _ int, err error) bool {
			return errors.Is(err, context.DeadlineExceeded)
		}},
		"lie": {demo.Lie(".tgz"), func(body []byte, status int, _ error) bool {
			return status == 200 && len(body) == len(healthy) && string(body) != string(healthy)
		}},
		"cut off": {demo.CutOff(".tgz"), func(_ []byte, _ int, err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			w.Break(host, test.fault)
			body, status, err := get(ctx, w, archive)
			if !test.check(body, status, err) {
				t.Errorf("got status %d, error %v", status, err)
			}
			w.Up(host)
			if body, _, err := get(t.Context(), w, archive); string(body) != string(healthy) {
				t.Errorf("after Up: %v", err)
			}
		})
	}
	w.Break(host, demo.Only(".tgz", demo.Answer(500)))
	if _, status, _ := get(t.Context(), w, index); status != http.StatusOK {
		t.Errorf("a fault of archives only breaks the index: %d", status)
	}
}

func TestDown(t *testing.T) {
	w := start(t)
	w.Down()
	for _, host := range w.Hosts() {
		if _, _, err := get(t.Context(), w, "https://"+host+"/"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s answers though it is down: %v", host, err)
		}
		if _, err := http.Get("http://" + w.Address(host) + "/"); err == nil {
			t.Errorf("%s answers at its address though it is down", host)
		}
	}
	w.Up("charts.cilium.example.internal")
	if _, _, err := get(t.Context(), w, "https://charts.cilium.example.internal/"); err != nil {
		t.Error(err)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	const host = "charts.metrics-server.example.internal"
	w := start(t)
	if got := w.Requests(); len(got) != 0 {
		t.Errorf("before the first request: %v", got)
	}
	for range 2 {
		if _, _, err := get(t.Context(), w, "https://"+host+"/index.yaml"); err != nil {
			t.Fatal(err)
		}
	}
	want := demo.Request{Host: host, Method: "GET", Path: "/index.yaml"}
	if got := w.Requests(host); len(got) != 2 || got[0] != want || got[1] != want {
		t.Errorf("got %v", got)
	}
	w.ResetRequests()
	if got := w.Requests(); len(got) != 0 {
		t.Errorf("after a reset: %v", got)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	before := runtime.NumGoroutine()
	for _, end := range []string{"Close", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := demo.Start(ctx, demo.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Break(demo.HostQuay, demo.Hang())
		go func() { _, _, _ = get(context.Background(), w, "https://"+demo.HostQuay+"/v2/") }()
		address := w.Address(demo.HostGit)
		if end == "Close" {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		cancel()
		waitFor(t, end+": goroutines end", func() bool { return runtime.NumGoroutine() <= before })
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Errorf("%s: %s still listens", end, address)
		}
		waitFor(t, end+": the temporary folder is empty", func() bool {
			left, err := os.ReadDir(temporary)
			return err == nil && len(left) == 0
		})
	}
}

func TestStartWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := demo.Start(t.Context(), demo.Options{}); err == nil || !strings.Contains(err.Error(), "install git") {
		t.Errorf("got %v", err)
	}
}

func TestStartWithADoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := demo.Start(ctx, demo.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("waited 5 s in vain: %s", what)
}
