package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// registries is a network of registries under their real names, for the real program: it reaches them through a proxy that knows no
// other host, and they speak TLS with certificates of an authority that the program is told of, or of one that it is not.
type registries struct {
	proxy           *httptest.Server
	door            *httptest.Server // TLS, for every host
	public, private authority

	mu      sync.Mutex
	hosts   map[string]*registryHost
	strange []string // hosts outside the network that were asked for
}

// registryHost is one registry, and what it was asked.
type registryHost struct {
	private  bool // its certificate is the private authority's
	registry http.Handler
	weather  func(w http.ResponseWriter, r *http.Request, next http.Handler)
	down     bool
	asked    []string
	shown    []string // Authorization headers
}

func startRegistries(hosts ...string) (*registries, error) {
	n := &registries{hosts: map[string]*registryHost{}}
	for _, host := range hosts {
		name, private := strings.CutPrefix(host, "private:")
		n.hosts[name] = &registryHost{private: private, registry: registry.New(registry.Logger(log.New(io.Discard, "", 0)))}
	}
	var errs [2]error
	n.public, errs[0] = newAuthority("a public authority")
	n.private, errs[1] = newAuthority("an authority of this company")
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	n.door = httptest.NewUnstartedServer(http.HandlerFunc(n.serve))
	n.door.TLS = &tls.Config{GetCertificate: n.certificate, MinVersion: tls.VersionTLS12}
	n.door.Config.ErrorLog = log.New(io.Discard, "", 0)
	n.door.StartTLS()
	n.proxy = httptest.NewServer(http.HandlerFunc(n.connect))
	return n, nil
}

func (n *registries) close() {
	n.proxy.CloseClientConnections()
	n.proxy.Close()
	n.door.CloseClientConnections()
	n.door.Close()
}

// host is a host of the network under its lock; nil for a stranger.
func (n *registries) host(name string, do func(*registryHost)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, ok := n.hosts[strings.TrimSuffix(name, ":443")]
	if ok {
		do(h)
	}
	return ok
}

// connect is the proxy: it splices a tunnel to the door, for hosts that are there and up.
func (n *registries) connect(w http.ResponseWriter, r *http.Request) {
	down := false
	if !n.host(r.Host, func(h *registryHost) { down = h.down }) {
		n.mu.Lock()
		n.strange = append(n.strange, r.Host)
		n.mu.Unlock()
		down = true
	}
	if r.Method != http.MethodConnect || down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	there, err := net.Dial("tcp", n.door.Listener.Addr().String())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	here, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(there, early) // the server reads ahead: what it already has of the client stands in the buffer alone
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

// serve answers for the host that a request names.
func (n *registries) serve(w http.ResponseWriter, r *http.Request) {
	var next http.Handler
	weather := func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) }
	known := n.host(r.Host, func(h *registryHost) {
		h.asked = append(h.asked, r.Method+" "+r.URL.Path)
		if header := r.Header.Get("Authorization"); header != "" {
			h.shown = append(h.shown, header)
		}
		next = h.registry
		if h.weather != nil {
			weather = h.weather
		}
	})
	if !known {
		http.NotFound(w, r)
		return
	}
	weather(w, r, next)
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority(name string) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return authority{}, fmt.Errorf("signing an authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	return authority{certificate, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, err
}

// certificate makes one for the host that a client asks for.
func (n *registries) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	by := n.public
	n.host(hello.ServerName, func(h *registryHost) {
		if h.private {
			by = n.private
		}
	})
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{hello.ServerName}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, by.key.Public(), by.key)
	if err != nil {
		return nil, fmt.Errorf("signing for %s: %w", hello.ServerName, err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: by.key}, nil
}
