package image

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// world is a set of registries by host name, each a real one on loopback behind TLS, with faults before it.
type world struct {
	t       testing.TB
	servers map[string]*server
}

// server is one registry and what it was asked.
type server struct {
	*httptest.Server
	fault func(w http.ResponseWriter, r *http.Request, next http.Handler)
	mu    sync.Mutex
	asked []string
	creds []string
}

// newWorld starts registries that list referrers.
func newWorld(t testing.TB, hosts ...string) *world {
	t.Helper()
	w := &world{t: t, servers: map[string]*server{}}
	for _, host := range hosts {
		inner := ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)), ggcr.WithReferrersSupport(true))
		s := &server{}
		s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			s.asked = append(s.asked, r.Method+" "+r.URL.Path)
			if a := r.Header.Get("Authorization"); a != "" {
				s.creds = append(s.creds, a)
			}
			fault := s.fault
			s.mu.Unlock()
			if fault != nil && r.Header.Get("User-Agent") == "gen" {
				fault(rw, r, inner)
				return
			}
			inner.ServeHTTP(rw, r)
		}))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		w.servers[host] = s
	}
	return w
}

// RoundTrip sends a request for a host of the world to its server.
func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	s, ok := w.servers[req.URL.Host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: req.URL.Hostname(), IsNotFound: true}
	}
	to, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	again := req.Clone(req.Context())
	again.URL.Host = to.Host
	if req.URL.Scheme != "https" {
		again.URL.Scheme = "https"
	}
	resp, err := s.Client().Transport.RoundTrip(again)
	if err == nil {
		resp.Request = req
	}
	return resp, err
}

func (w *world) client(options Options) *Client {
	options.Transport = w
	if options.Wait == nil {
		options.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return New(options)
}

// forget clears what was asked so far.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
}

// log returns what was asked so far, "GET path".
func (s *server) log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// manifests returns the manifest requests so far.
func (s *server) manifests() []string {
	var out []string
	for _, a := range s.log() {
		if strings.Contains(a, "/manifests/") {
			out = append(out, a)
		}
	}
	return out
}

func (w *world) put(reference string, what any) {
	w.t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		w.t.Fatal(err)
	}
	options := []remote.Option{remote.WithTransport(w)}
	switch v := what.(type) {
	case v1.ImageIndex:
		err = remote.WriteIndex(ref, v, options...)
	case v1.Image:
		err = remote.Write(ref, v, options...)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// raw pushes bytes as a manifest.
func (w *world) raw(host, repository, tag, mediaType, body string) {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPut, "https://"+host+"/v2/"+repository+"/manifests/"+tag, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", mediaType)
	resp, err := w.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusCreated {
		w.t.Fatalf("pushing %s/%s: %v, %+v", host, repository, err, resp)
	}
}

func newImage(t testing.TB) v1.Image {
	t.Helper()
	img, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// newIndex returns an index with one random image a platform.
func newIndex(t testing.TB, platforms ...string) v1.ImageIndex {
	t.Helper()
	index := v1.ImageIndex(empty.Index)
	for _, platform := range platforms {
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: newImage(t), Descriptor: v1.Descriptor{Platform: p}})
	}
	return index
}

func digestOf(t testing.TB, what interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	h, err := what.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h.String()
}

func mustRef(t testing.TB, s string) Ref {
	t.Helper()
	ref, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// request makes the request for a reference under rules.
func request(t testing.TB, rules Rules, reference string, platforms ...string) Request {
	t.Helper()
	ref := mustRef(t, reference)
	target, ok := rules.Map(ref)
	if !ok {
		t.Fatalf("%s is not covered", reference)
	}
	return Request{Ref: ref, Target: target, Platforms: platforms}
}
