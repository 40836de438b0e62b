package image

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// scopeBytes is how long the scopes of one token request may be: servers take request lines of 8 KiB.
const scopeBytes = 6 << 10

// registry is one API under one credential. It pings once and asks for one token for all repositories that are expected;
// a repository that this token does not serve gets one of its own.
type registry struct {
	endpoint   Endpoint
	credential Credential
	lacks      error // why there is no credential although there should be one
	transport  http.RoundTripper

	ping      sync.Once
	challenge *transport.Challenge
	pingErr   error

	mu     sync.Mutex
	tokens map[string]*token // by repository; many share one
}

// token is one authorization header, asked for once.
type token struct {
	repositories []string
	once         sync.Once
	header       string
	err          error
}

// registry returns the registry that serves a place, with the credential for it. A credential that cannot be had is no reason not to
// ask: public images need none, and a refusal will say what was lacking.
func (c *Client) registry(ctx context.Context, endpoint Endpoint, repository string) *registry {
	var credential Credential
	var lacks error
	if c.options.Keychain != nil {
		credential, lacks = c.options.Keychain.Credential(ctx, canonicalHost(endpoint.Host)+"/"+repository)
	}
	a := credential.Config
	key := strings.Join([]string{endpoint.String(), a.Username, a.Password, a.Auth, a.IdentityToken, a.RegistryToken}, "\x00")
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.registries[key]
	if !ok {
		r = c.newRegistry(endpoint, credential)
		r.lacks = lacks
		c.registries[key] = r
	}
	return r
}

func (c *Client) newRegistry(endpoint Endpoint, credential Credential) *registry {
	return &registry{endpoint: endpoint, credential: credential, tokens: map[string]*token{}, transport: &guard{endpoint: endpoint, inner: c.polite}}
}

// who says with what a registry was asked, for the message of a refusal.
func (r *registry) who() string {
	switch {
	case r.lacks != nil:
		return "asked anonymously, since: " + r.lacks.Error()
	case r.credential.From != "":
		return "asked with the credential from " + r.credential.From
	}
	return fmt.Sprintf("asked anonymously: no credential for this host in the docker config; `docker login %s` stores one", r.endpoint.Host)
}

// expect announces the repositories of a run, so that their tokens are asked for together.
func (r *registry) expect(repositories []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shared, length := &token{}, 0
	for _, repository := range repositories {
		if r.tokens[repository] != nil {
			continue
		}
		size := len("&scope=") + len(url.QueryEscape(pullScope(repository)))
		if length+size > scopeBytes {
			shared, length = &token{}, 0
		}
		shared.repositories = append(shared.repositories, repository)
		r.tokens[repository] = shared
		length += size
	}
}

// authorization returns the Authorization header for repository; "" is anonymous. refused is the header that did not serve.
func (r *registry) authorization(ctx context.Context, repository, refused string) (string, error) {
	r.ping.Do(func() { r.challenge, r.pingErr = r.doPing(ctx) })
	if r.pingErr != nil {
		return "", r.pingErr
	}
	switch strings.ToLower(r.challenge.Scheme) {
	case "":
		return "", nil
	case "bearer":
		return r.bearer(ctx, repository, refused)
	}
	login := r.credential.Config
	if login.Username == "" && login.Auth == "" {
		return "", nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(login.Username + ":" + login.Password))
	return "Basic " + cmp.Or(login.Auth, basic), nil
}

func (r *registry) bearer(ctx context.Context, repository, refused string) (string, error) {
	if own := r.credential.Config.RegistryToken; own != "" {
		return "Bearer " + own, nil
	}
	t := r.token(repository, nil)
	t.once.Do(func() { t.header, t.err = r.exchange(ctx, t.repositories) })
	if t.err == nil && t.header != refused || t.err != nil && len(t.repositories) == 1 {
		return t.header, t.err
	}
	own := r.token(repository, t)
	own.once.Do(func() { own.header, own.err = r.exchange(ctx, own.repositories) })
	return own.header, own.err
}

// token returns the token for repository; the one that did not serve is replaced by one for the repository alone.
func (r *registry) token(repository string, failed *token) *token {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tokens[repository]
	if t == nil || t == failed {
		t = &token{repositories: []string{repository}}
		r.tokens[repository] = t
	}
	return t
}

func (r *registry) exchange(ctx context.Context, repositories []string) (string, error) {
	scopes := make([]string, len(repositories))
	for i, repository := range slices.Sorted(slices.Values(repositories)) {
		scopes[i] = pullScope(repository)
	}
	reg, err := r.name()
	if err != nil {
		return "", err
	}
	answer, err := transport.Exchange(ctx, reg, authn.FromConfig(r.credential.Config), r.transport, scopes, r.challenge)
	if err != nil {
		return "", fmt.Errorf("asking for a token: %w", err)
	}
	return "Bearer " + cmp.Or(answer.AccessToken, answer.Token), nil
}

func (r *registry) doPing(ctx context.Context) (*transport.Challenge, error) {
	reg, err := r.name()
	if err != nil {
		return nil, err
	}
	challenge, err := transport.Ping(ctx, reg, &pinger{endpoint: r.endpoint, inner: r.transport})
	if err != nil {
		return nil, fmt.Errorf("asking %s/ how to log in: %w", r.endpoint, err)
	}
	challenge.Insecure = r.endpoint.Insecure
	return challenge, nil
}

func (r *registry) name() (name.Registry, error) {
	if r.endpoint.Insecure {
		return name.NewRegistry(r.endpoint.Host, name.Insecure)
	}
	return name.NewRegistry(r.endpoint.Host)
}

func pullScope(repository string) string { return "repository:" + repository + ":pull" }

// guard refuses http to a host that is not meant to be asked over it. go-containerregistry would race https and http for loopback and
// private addresses, and take whichever answers first.
type guard struct {
	endpoint Endpoint
	inner    http.RoundTripper
}

// RoundTrip refuses or passes on.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !g.endpoint.Insecure {
		return nil, fmt.Errorf("%s is not asked over plain http; say `insecure: true` if that is meant", req.URL.Host)
	}
	return g.inner.RoundTrip(req)
}

// pinger sends go-containerregistry's ping of /v2/ to where the API lies. A redirect to another host is no challenge: credentials for
// one host must not reach another, so each manifest request follows the redirect anonymously instead.
type pinger struct {
	endpoint Endpoint
	inner    http.RoundTripper
}

// RoundTrip sends the ping.
func (p *pinger) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != p.endpoint.Scheme {
		return nil, fmt.Errorf("%s is asked over %s only", p.endpoint.Host, p.endpoint.Scheme)
	}
	if req.URL.Path == "/v2/" {
		req = req.Clone(req.Context())
		req.URL.Path = p.endpoint.API + "/"
	}
	resp, err := p.inner.RoundTrip(req)
	if err != nil || resp.StatusCode < 300 || resp.StatusCode > 399 {
		return resp, err
	}
	if to, err := resp.Location(); err == nil && to.Host != req.URL.Host {
		resp.StatusCode = http.StatusOK
	}
	return resp, nil
}
