package demo

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// ErrUnknownHost is what the transport answers for a host outside the world.
var ErrUnknownHost = errors.New("not a host of the demo world, which opens no other connection")

// router sends requests for the world's hosts to their listeners and refuses all others.
type router struct {
	sites map[string]*site
	next  *http.Transport
}

// Transport answers for the world's hosts, whether a URL says https or http, and refuses every other host with
// ErrUnknownHost, so that nothing reaches the real network by accident. A host taken down refuses the connection.
func (w *World) Transport() http.RoundTripper { return w.transport }

// Address returns the address on loopback ("127.0.0.1:port") where host listens with plain HTTP, for programs that cannot
// use Transport. It is empty for an unknown host.
func (w *World) Address(host string) string {
	if s, ok := w.sites[host]; ok {
		return s.address
	}
	return ""
}

func newRouter(sites map[string]*site) *router {
	return &router{sites: sites, next: &http.Transport{MaxIdleConnsPerHost: 16}}
}

// RoundTrip is http.RoundTripper's.
func (t *router) RoundTrip(r *http.Request) (*http.Response, error) {
	s, err := t.find(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	inner := r.Clone(r.Context())
	inner.Host = r.URL.Host
	inner.URL.Scheme, inner.URL.Host = "http", s.address
	answer, err := t.next.RoundTrip(inner)
	if err != nil {
		return nil, err
	}
	answer.Request = r // a relative Location counts from the host that was asked
	return answer, nil
}

// find returns the site that answers for a request, or why none does.
func (t *router) find(r *http.Request) (*site, error) {
	host := r.URL.Hostname()
	s, ok := t.sites[host]
	switch {
	case !ok:
		return nil, fmt.Errorf("connecting to %s: %w; its hosts are %s", host, ErrUnknownHost, strings.Join(sortedKeys(t.sites), ", "))
	case r.URL.Scheme != "https" && r.URL.Scheme != "http":
		return nil, fmt.Errorf("connecting to %s: scheme %q is not one of http, https", host, r.URL.Scheme)
	case s.isDown():
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: hostAddr(r.URL.Host), Err: syscall.ECONNREFUSED}
	}
	return s, nil
}

// hostAddr names a host in a net.OpError.
type hostAddr string

func (hostAddr) Network() string  { return "tcp" }
func (a hostAddr) String() string { return string(a) }
