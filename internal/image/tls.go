package image

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
)

// byHost sends each request through the transport that trusts its host's authority.
type byHost struct {
	hosts map[string]http.RoundTripper
	rest  http.RoundTripper
}

// RoundTrip sends a request.
func (b byHost) RoundTrip(req *http.Request) (*http.Response, error) {
	if transport, ok := b.hosts[canonicalHost(req.URL.Host)]; ok {
		return transport.RoundTrip(req)
	}
	return b.rest.RoundTrip(req)
}

// newTransport makes Go's own transport, and one more for each host with an authority of its own, which is believed beside the machine's.
func newTransport(options Options) http.RoundTripper {
	out := byHost{hosts: map[string]http.RoundTripper{}, rest: newHTTP(options, nil)}
	for host, pem := range options.CAs {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		pool.AppendCertsFromPEM([]byte(pem))
		out.hosts[canonicalHost(host)] = newHTTP(options, pool)
	}
	return out
}

func newHTTP(options Options, roots *x509.CertPool) http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: options.PerHost,
		TLSHandshakeTimeout: options.Timeout,
	}
}

// untrusted reports whether a connection ended because nobody here knows who signed the other side's certificate.
func untrusted(err error) bool {
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &unknown)
}
