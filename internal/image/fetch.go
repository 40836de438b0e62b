package image

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"
	digest "github.com/opencontainers/go-digest"
)

// place is a manifest at a registry.
type place struct {
	endpoint   Endpoint
	repository string
	identifier string // tag or digest
}

func (p place) url() string {
	u := p.endpoint.String() + "/" + p.repository + "/manifests/" + p.identifier
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
	asked     string
}

func doubtful(format string, args ...any) look { return look{why: fmt.Sprintf(format, args...)} }

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
		answer = doubtful("%s refuses access to %s (%d; %s)", p.endpoint.Host, p.repository, resp.StatusCode, registry.who())
	}
	answer.asked = fmt.Sprintf("%s: %d", asked, resp.StatusCode)
	return answer
}

// authorized sends the request, and once more with another token where the first does not serve.
func (c *Client) authorized(ctx context.Context, r *registry, method string, p place) (*http.Response, error) {
	header, err := r.authorization(ctx, p.repository, "\x00")
	if err != nil {
		return nil, err
	}
	resp, err := c.manifest(ctx, r, manifestRequest{method: method, url: p.url(), header: header})
	if err != nil || resp.StatusCode != http.StatusUnauthorized || header == "" {
		return resp, err
	}
	resp.Body.Close()
	if header, err = r.authorization(ctx, p.repository, header); err != nil {
		return nil, err
	}
	return c.manifest(ctx, r, manifestRequest{method: method, url: p.url(), header: header})
}

type manifestRequest struct{ method, url, header string }

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

// understand judges an answer.
func understand(p place, resp *http.Response) look {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return doubtful("%s", explain(p, err))
	}
	switch resp.StatusCode {
	case http.StatusOK:
		if resp.Request.Method == http.MethodHead {
			return understandHead(p, resp)
		}
		return understandBody(p, resp, body)
	case http.StatusNotFound:
		return understandNotFound(p, resp, body)
	case http.StatusTooManyRequests:
		return doubtful("%s: %s", p.endpoint.Host, errTooMany)
	}
	answer := doubtful("%s answers %d", p.endpoint.Host, resp.StatusCode)
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		answer.retryGet = resp.Request.Method == http.MethodHead
	}
	return answer
}

func understandHead(p place, resp *http.Response) look {
	answer := look{state: found, digest: resp.Header.Get("Docker-Content-Digest"), mediaType: mediaTypeOf(resp)}
	if strings.HasPrefix(answer.digest, "sha256:") && validDigest(answer.digest) && isManifest(answer.mediaType) {
		return answer
	}
	return look{retryGet: true, why: p.endpoint.Host + " does not name the digest in its answer to HEAD"}
}

func understandBody(p place, resp *http.Response, body []byte) look {
	var stated struct {
		MediaType string `json:"mediaType"`
	}
	isJSON := json.Unmarshal(body, &stated) == nil
	answer := look{state: found, digest: hash(p.identifier, body), mediaType: mediaTypeOf(resp), body: body}
	if answer.mediaType == "" || answer.mediaType == "application/json" {
		answer.mediaType = stated.MediaType
	}
	if !isJSON || !isManifest(answer.mediaType) {
		answer.state, answer.foreign = doubt, true
		answer.why = fmt.Sprintf("%s answers with the media type %q, which is no image manifest (a login page or another kind of registry?)", p.endpoint.Host, answer.mediaType)
		return answer
	}
	if stated.MediaType != "" && stated.MediaType != answer.mediaType {
		answer.state, answer.foreign = doubt, true
		answer.why = fmt.Sprintf("%s serves a manifest that calls itself %s as %s, which runtimes refuse", p.endpoint.Host, stated.MediaType, answer.mediaType)
	}
	return answer
}

// understandNotFound believes a 404 only where a registry speaks: a gateway's page says nothing about an image.
func understandNotFound(p place, resp *http.Response, body []byte) look {
	var stated struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	if resp.Request.Method == http.MethodHead { // no body to judge by; a source that lacks its own image is doubt to the caller
		return look{state: absent, why: fmt.Sprintf("%s does not have %s:%s", p.endpoint.Host, p.repository, p.identifier)}
	}
	isRegistry := json.Unmarshal(body, &stated) == nil && len(stated.Errors) > 0
	for _, e := range stated.Errors {
		if e.Code == "UNAUTHORIZED" || e.Code == "DENIED" || e.Code == "TOOMANYREQUESTS" || e.Code == "UNAVAILABLE" {
			return doubtful("%s answers 404 with the code %s for %s", p.endpoint.Host, e.Code, p.repository)
		}
	}
	if isRegistry || resp.Header.Get("Docker-Distribution-Api-Version") != "" {
		return look{state: absent, why: fmt.Sprintf("%s does not have %s:%s", p.endpoint.Host, p.repository, p.identifier)}
	}
	return doubtful("%s answers 404, but not as a registry does: is this the right address?", p.endpoint.Host)
}

func mediaTypeOf(resp *http.Response) string {
	mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return resp.Header.Get("Content-Type")
	}
	return mediaType
}

// hash hashes body with the algorithm of identifier, where it is a digest, else with sha256.
func hash(identifier string, body []byte) string {
	if d := digest.Digest(identifier); d.Validate() == nil {
		return d.Algorithm().FromBytes(body).String()
	}
	return digest.SHA256.FromBytes(body).String()
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
