package demo

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Request is one request that a host of the world has seen, faults included.
type Request struct {
	Host, Method, Path string
}

// Fault changes what a host answers; next is the undisturbed host.
type Fault func(next http.Handler) http.Handler

// site is one host: its own listener on loopback, its log of requests and its faults.
type site struct {
	host    string
	address string
	server  *http.Server
	healthy http.Handler
	served  sync.WaitGroup

	mu       sync.Mutex
	down     bool
	faulty   http.Handler // nil where no fault is set
	requests []Request
}

// newSite listens on a free port of loopback; lives ends the requests that are under way.
func newSite(lives context.Context, host string, h http.Handler) (*site, error) {
	var config net.ListenConfig
	listener, err := config.Listen(lives, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{host: host, address: listener.Addr().String(), healthy: h}
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return lives },
	}
	s.served.Go(func() { _ = s.server.Serve(listener) })
	return s, nil
}

// ServeHTTP logs the request and answers it as the host's present state says.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, Request{Host: s.host, Method: r.Method, Path: r.URL.Path})
	handler, down := s.healthy, s.down
	if s.faulty != nil {
		handler = s.faulty
	}
	s.mu.Unlock()
	if down {
		hangUp(w)
		return
	}
	handler.ServeHTTP(w, r)
}

// hangUp drops the connection without an answer, as a host that goes away does.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

func (s *site) close(ctx context.Context) error {
	err := s.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.server.Close()
	}
	s.served.Wait()
	return err
}

func (s *site) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// Down takes hosts off the network, as if nothing listened there any more; without hosts, all of them.
func (w *World) Down(hosts ...string) { w.change(hosts, func(s *site) { s.down = true }) }

// Up ends Down and Break for hosts; without hosts, for all of them.
func (w *World) Up(hosts ...string) {
	w.change(hosts, func(s *site) { s.down, s.faulty = false, nil })
}

// Break makes host answer through fault from now on, in place of an earlier fault.
func (w *World) Break(host string, fault Fault) {
	w.change([]string{host}, func(s *site) { s.faulty = fault(s.healthy) })
}

// Requests returns what the hosts (all, where none is named) have been asked since the start or ResetRequests: by host,
// then in the order of arrival.
func (w *World) Requests(hosts ...string) []Request {
	var all []Request
	w.change(hosts, func(s *site) { all = append(all, s.requests...) })
	return all
}

// ResetRequests forgets all requests seen so far.
func (w *World) ResetRequests() { w.change(nil, func(s *site) { s.requests = nil }) }

// change calls f, under the site's lock, for each of hosts in order, or for all. A host that the world lacks is passed over.
func (w *World) change(hosts []string, f func(*site)) {
	if len(hosts) == 0 {
		hosts = w.Hosts()
	}
	for _, host := range hosts {
		if s, ok := w.sites[host]; ok {
			s.mu.Lock()
			f(s)
			s.mu.Unlock()
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
