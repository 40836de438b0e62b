package image

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestPerHost: no host is asked more at once than the limit says, the limit is each host's own, and a 429 halves it.
func TestPerHost(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	requests := hundred(t, w)
	most := map[string]*atomic.Int64{}
	for host, s := range w.servers {
		inner, under := s.fault, &atomic.Int64{}
		most[host] = &atomic.Int64{}
		s.fault = func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			for now := under.Add(1); ; {
				if seen := most[host].Load(); now <= seen || most[host].CompareAndSwap(seen, now) {
					break
				}
			}
			time.Sleep(2 * time.Millisecond) // so that requests would overlap
			inner(rw, r, next)
			under.Add(-1)
		}
	}
	allSame(t, w.client(Options{PerHost: 4}).Verify(t.Context(), requests))
	for host, n := range most {
		if n.Load() > 4 || n.Load() < 2 {
			t.Errorf("%s was asked %d times at once; the limit is 4", host, n.Load())
		}
	}
	h := New(Options{PerHost: 4}).polite.host("m.example")
	h.slowDown("1", 1)
	for range 4 {
		<-h.slots
		h.release()
	}
	if len(h.slots) != 2 || h.limit != 2 {
		t.Errorf("after a 429, %d slots and the limit %d; want 2", len(h.slots), h.limit)
	}
}

// TestQuotaIsNotOverrun: where two pulls are left, two are made, however many images want one; the others are UNKNOWN, and say why.
func TestQuotaIsNotOverrun(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	requests := hundred(t, w)
	w.servers["m.example"].fault = nil
	var mu sync.Mutex
	left, pulls := 2, 0
	w.servers["up.example"].fault = func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, "/manifests/") {
			mu.Lock()
			if r.Method == http.MethodGet {
				left, pulls = left-1, pulls+1
			}
			rw.Header().Set("Ratelimit-Remaining", fmt.Sprintf("%d;w=21600", max(0, left)))
			mu.Unlock()
		}
		setHeader("Docker-Content-Digest", "")(rw, r, next) // HEAD says nothing, so that every image wants a pull
	}
	count := map[Verdict]int{}
	for _, result := range w.client(Options{}).Verify(t.Context(), requests) {
		count[result.Verdict]++
		if result.Verdict == Unknown && !strings.Contains(result.Message, "its pull quota is used up (ratelimit-remaining: 0), so it was not asked; log in, or wait until it is renewed") {
			t.Error(result.Message)
		}
	}
	if pulls != 2 || count[Same] != 2 || count[Unknown] != 98 {
		t.Errorf("%d pulls; %v", pulls, count)
	}
}

// TestCancelled: a run that is stopped answers for every image, and keeps what a lock holds.
func TestCancelled(t *testing.T) {
	w := newWorld(t, "up.example", "m.example")
	requests := hundred(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	w.servers["m.example"].fault = func(http.ResponseWriter, *http.Request, http.Handler) {
		if asked.Add(1) == 1 {
			cancel()
		}
		panic(http.ErrAbortHandler)
	}
	for _, result := range w.client(Options{}).Verify(ctx, requests) {
		if result.Verdict != Unknown || !strings.Contains(result.Message, "the run was stopped") {
			t.Fatalf("%s: %s", result.Verdict, result.Message)
		}
	}
}

// slow is a world that takes 50 ms to answer anything, over connections that are kept, and wants bearer tokens.
func slow(b *testing.B, w *world) {
	b.Helper()
	for host, s := range w.servers {
		inner := bearer{host: host}.fault
		s.fault = func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
			time.Sleep(50 * time.Millisecond)
			inner(rw, r, next)
		}
		if transport, ok := s.Client().Transport.(*http.Transport); ok {
			transport.MaxIdleConnsPerHost = 16
		}
	}
}

// BenchmarkVerify measures 100 images at 50 ms a request and 16 requests at once a host, beside the bound of round trips: two for the
// ping and the token, then the questions of the host that has most of them, 16 a round trip. The sides follow each other for one image,
// since a mirror is asked for the source's digest, and overlap for many.
func BenchmarkVerify(b *testing.B) {
	for name, platforms := range map[string][]string{"images": nil, "indexes of two platforms": {"linux/amd64", "linux/arm64"}} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, "up.example", "m.example")
			requests := hundredOf(b, w, platforms)
			slow(b, w)
			perImage := 1 + len(platforms) // at the mirror: the manifest, and one a platform
			trips := 2 + 1 + (100*perImage+15)/16
			b.ResetTimer()
			for range b.N {
				allSame(b, w.client(Options{}).Verify(context.Background(), requests))
			}
			b.ReportMetric(float64(trips*50), "bound-ms")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "took-ms")
			asked := 0
			for _, s := range w.servers {
				asked += len(s.asked)
			}
			b.ReportMetric(float64(asked)/float64(b.N), "requests")
		})
	}
}
