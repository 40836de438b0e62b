package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"testing"
	"time"
)

// The tests' own proxy hands on what a client said before the tunnel stood: a busy machine makes any client early, and a lost byte of
// its greeting looks like a registry that could not be asked.
func TestProxyHandsOnEarlyBytes(t *testing.T) {
	network, err := startRegistries("up.example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(network.close)
	conn, err := net.Dial("tcp", network.proxy.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil { // what is lost is waited for by both ends
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(network.public.pem)
	early := &hasty{Conn: conn, reader: bufio.NewReader(conn)}
	client := tls.Client(early, &tls.Config{ServerName: "up.example.com", RootCAs: roots, MinVersion: tls.VersionTLS12})
	if err := client.HandshakeContext(t.Context()); err != nil {
		t.Fatalf("a client that greets the registry in one breath with the proxy: %v", err)
	}
}

// hasty sends its first bytes together with the request for the tunnel.
type hasty struct {
	net.Conn
	reader *bufio.Reader
	asked  bool
	open   bool
}

func (h *hasty) Write(data []byte) (int, error) {
	if h.asked {
		return h.Conn.Write(data)
	}
	h.asked = true
	_, err := h.Conn.Write(bytes.Join([][]byte{[]byte("CONNECT up.example.com:443 HTTP/1.1\r\nHost: up.example.com:443\r\n\r\n"), data}, nil))
	return len(data), err
}

func (h *hasty) Read(data []byte) (int, error) {
	if !h.open {
		h.open = true
		answer, err := http.ReadResponse(h.reader, &http.Request{Method: http.MethodConnect})
		if err != nil {
			return 0, err
		}
		_ = answer.Body.Close()
	}
	return h.reader.Read(data)
}
