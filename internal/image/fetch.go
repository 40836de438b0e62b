package image

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"
	digest "github.com/opencontainers/go-digest"
)

// place is a manifest at a registry, or what else a registry keeps.
type place struct {
	endpoint   Endpoint
	repository string
	identifier string // tag or digest
	kind       string // "" for a manifest; blobs, referrers
}

// The kinds of a place that is no manifest.
const (
	blobs     = "blobs"
	referrers = "referrers"
)

// at returns another manifest of the same repository.
func (p place) at(identifier string) place { return place{p.endpoint, p.repository, identifier, ""} }

func (p place) url() string {
	u := p.endpoint.String() + "/" + p.repository + "/" + cmp.Or(p.kind, "manifests") + "/" + p.identifier
	if p.endpoint.Namespace != "" {
		u += "?ns=" + p.endpoint.Namespace
	}
	return u
}

// state is what a registry's answer means for the question whether it has a manifest.
type state int

const (
	doubt  state = iota // it proves nothing
	found               // it has it
	absent              // its registry says that it does not
)

// look is what one question gave.
type look struct {
	state     state
	digest    string // own hash after GET, the header after HEAD
	mediaType string
	body      []byte
	foreign   bool   // the answer is no manifest of a known type
	retryGet  bool   // HEAD proved nothing, GET may
	why       string // for absent and doubt
	cause     string // why, without the image's name: many images may share it
	asked     string
	status    int // 0 where nobody answered
}

func doubtful(format string, args ...any) look {
	why := fmt.Sprintf(format, args...)
	return look{why: why, cause: why}
}

// accepted are the media types that are asked for, and the only ones that count as images. Schema 1 is not among them: its digest is
// not the hash of its bytes, so a forged header would prove anything.
var accepted = []types.MediaType{types.OCIImageIndex, types.DockerManifestList, types.OCIManifestSchema1, types.DockerManifestSchema2}

func isManifest(mediaType string) bool {
	t := types.MediaType(mediaType)
	return t.IsIndex() || t == types.OCIManifestSchema1 || t == types.DockerManifestSchema2
}

func isIndex(mediaType string) bool { return types.MediaType(mediaType).IsIndex() }

// validDigest reports whether s is a digest of a known algorithm.
func validDigest(s string) bool { return digest.Digest(s).Validate() == nil }

// get fetches a manifest and hashes it itself: no header is believed.
func (c *Client) get(ctx context.Context, p place) look {
	return c.once("GET "+p.url(), func() look { return c.ask(ctx, http.MethodGet, p) })
}

// head asks a source for the digest of its own tag; where its answer does not say, the manifest is fetched and hashed.
func (c *Client) head(ctx context.Context, p place) look {
	return c.once("HEAD "+p.url(), func() look { return c.headNow(ctx, p) })
}

// blob asks whether a registry has a blob. A redirect to where its bytes lie is a yes: storage that is asked with HEAD by an address made for
// GET refuses.
func (c *Client) blob(ctx context.Context, p place) look {
	return c.once("HEAD "+p.url(), func() look { return c.ask(ctx, http.MethodHead, p) })
}

func (c *Client) headNow(ctx context.Context, p place) look {
	answer := c.ask(ctx, http.MethodHead, p)
	if answer.retryGet {
		return c.ask(ctx, http.MethodGet, p)
	}
	return answer
}

// ask puts one question, with authorization, and understands the answer.
func (c *Client) ask(ctx context.Context, method string, p place) look {
	registry := c.registry(ctx, p.endpoint, p.repository)
	resp, err := c.authorized(ctx, registry, method, p)
	asked := method + " " + p.url()
	if err != nil {
		answer := doubtful("%s", explain(p, err))
		answer.asked = asked + ": no answer"
		return answer
	}
	defer resp.Body.Close()
	answer := understand(p, resp)
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		with := fmt.Sprintf("(%d; %s)", resp.StatusCode, registry.who())
		answer = doubtful("%s refuses access %s", p.endpoint.Host, with)
		answer.why = fmt.Sprintf("%s refuses access to %s %s", p.endpoint.Host, p.repository, with)
	}
	answer.asked, answer.status = fmt.Sprintf("%s: %d", asked, resp.StatusCode), resp.StatusCode
	return answer
}

// authorized sends the request, and once more with another token where the first does not serve.
func (c *Client) authorized(ctx context.Context, r *registry, method string, p place) (*http.Response, error) {
	header, err := r.authorization(ctx, p.repository, "\x00")
	if err != nil {
		return nil, err
	}
	resp, err := c.manifest(ctx, r, manifestRequest{method, p.url(), header, p.kind == blobs})
	if err != nil || resp.StatusCode != http.StatusUnauthorized || header == "" {
		return resp, err
	}
	resp.Body.Close()
	if header, err = r.authorization(ctx, p.repository, header); err != nil {
		return nil, err
	}
	return c.manifest(ctx, r, manifestRequest{method, p.url(), header, p.kind == blobs})
}

type manifestRequest struct {
	method, url, header string
	stay                bool // no redirect is followed
}

func (c *Client) manifest(ctx context.Context, r *registry, m manifestRequest) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, m.method, m.url, nil)
	if err != nil {
		return nil, err
	}
	for _, mediaType := range accepted {
		req.Header.Add("Accept", string(mediaType))
	}
	if m.header != "" {
		req.Header.Set("Authorization", m.header)
	}
	client := http.Client{Transport: r.transport, CheckRedirect: r.redirect}
	if m.stay {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || resp.Request.URL.Host == req.URL.Host {
		return resp, err
	}
	return c.elsewhere(ctx, m.method, resp)
}

// redirect keeps credentials at the host they belong to, and keeps a public registry from sending us into a private network.
func (r *registry) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("it redirects more than ten times")
	}
	if req.URL.Host == via[0].URL.Host {
		return nil
	}
	req.Header.Del("Authorization")
	if private(req.URL.Hostname()) && !private(via[0].URL.Hostname()) {
		return fmt.Errorf("it redirects to the private address %s, which is not followed", req.URL.Host)
	}
	return nil
}

func private(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
}

// elsewhere asks again where a gateway redirected to another registry that wants a token: anonymously, whatever we know of either.
func (c *Client) elsewhere(ctx context.Context, method string, resp *http.Response) (*http.Response, error) {
	at := *resp.Request.URL
	repository, _, ok := strings.Cut(strings.TrimPrefix(at.Path, "/v2/"), "/manifests/")
	if !ok || !strings.HasPrefix(at.Path, "/v2/") {
		return resp, nil
	}
	resp.Body.Close()
	endpoint := Endpoint{Scheme: at.Scheme, Host: at.Host, API: "/v2", Insecure: at.Scheme == "http"}
	r := c.newRegistry(endpoint, Credential{})
	header, err := r.authorization(ctx, repository, "\x00")
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = resp.Request.Header.Clone()
	req.Header.Del("Authorization")
	if header != "" {
		req.Header.Set("Authorization", header)
	}
	client := http.Client{Transport: r.transport, CheckRedirect: r.redirect}
	return client.Do(req)
}

// explain puts an error of the way to a registry into words, without anything that a credential could stand in.
func explain(p place, err error) string {
	host := p.endpoint.Host
	var dns *net.DNSError
	var status *transport.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return host + " did not answer in time"
	case errors.Is(err, context.Canceled):
		return "the run was stopped"
	case errors.As(err, &dns):
		return "the name " + dns.Name + " does not resolve"
	case untrusted(err):
		return fmt.Sprintf("the certificate of %s is signed by an authority that this machine does not know: state it as `ca:` of the mirror (facts.mirrors), or in SSL_CERT_FILE", host)
	case errors.As(err, &certificate):
		return fmt.Sprintf("the certificate of %s does not fit: %s", host, certificate.Err)
	case errors.As(err, &status):
		return fmt.Sprintf("%s answers the login with %d", host, status.StatusCode)
	}
	return fmt.Sprintf("%s: %s", host, innermost(err))
}

// innermost takes off the layers of an URL's error, whose text repeats the URL with its query.
func innermost(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err
}
