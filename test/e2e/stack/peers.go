package stack

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// Peers answer what the API server asks of the cluster: admission and conversion webhooks, aggregated APIs. The API server
// reaches them through its egress selector (an HTTP CONNECT proxy on a Unix socket), so that addresses of Services work
// without a network.
type Peers interface {
	// Reach says why host:port (the address of a Service) answers nothing, or nil.
	Reach(ctx context.Context, hostPort string) error
	http.Handler
}

// peerServer is the proxy: it ends the TLS of whatever name is asked for with a certificate of its own authority.
type peerServer struct {
	listener net.Listener
	peers    Peers
	ca       *tls.Certificate
	caCert   *x509.Certificate
}

func servePeers(socket string, peers Peers) (*peerServer, error) {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("listening for the API server: %w", err)
	}
	p := &peerServer{listener: l, peers: peers}
	if p.ca, p.caCert, err = certificate("gen-e2e", nil, nil); err != nil {
		return nil, err
	}
	go p.accept()
	return p, nil
}

// CABundle is the authority that signs for every webhook, in PEM: what a CA injector would write.
func (s *Stack) CABundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.peers.caCert.Raw})
}

func (p *peerServer) close() { p.listener.Close() }

func (p *peerServer) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(conn)
	}
}

func (p *peerServer) serve(conn net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil || req.Method != http.MethodConnect {
		conn.Close()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := p.peers.Reach(ctx, req.Host); err != nil {
		fmt.Fprintf(conn, "HTTP/1.1 502 %s\r\n\r\n", err)
		conn.Close()
		return
	}
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\n")
	server := &http.Server{Handler: p.peers, ReadHeaderTimeout: time.Minute}
	_ = server.Serve(&oneConn{Conn: tls.Server(conn, &tls.Config{GetCertificate: p.certificate}), done: make(chan struct{})})
}

// oneConn is a listener of one connection; it ends when that connection does.
type oneConn struct {
	net.Conn
	once sync.Once
	done chan struct{}
	used bool
}

func (o *oneConn) Accept() (net.Conn, error) {
	if o.used {
		<-o.done
		return nil, net.ErrClosed
	}
	o.used = true
	return o, nil
}
func (o *oneConn) Addr() net.Addr { return o.LocalAddr() }
func (o *oneConn) Close() error {
	o.once.Do(func() { close(o.done) })
	return o.Conn.Close()
}

func (p *peerServer) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	cert, _, err := certificate(hello.ServerName, p.ca, p.caCert)
	return cert, err
}

// certificate makes one for a name, signed by ca, or an authority if ca is nil.
func certificate(name string, ca *tls.Certificate, parent *x509.Certificate) (*tls.Certificate, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true, IsCA: ca == nil,
	}
	signer, issuer := any(key), t
	if ca != nil {
		signer, issuer = ca.PrivateKey, parent
	}
	der, err := x509.CreateCertificate(rand.Reader, t, issuer, &key.PublicKey, signer)
	if err != nil {
		return nil, nil, fmt.Errorf("signing a certificate: %w", err)
	}
	parsed, err := x509.ParseCertificate(der)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed, err
}
