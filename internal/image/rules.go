package image

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"
)

// The kinds of a Rule.
const (
	Transparent = "transparent" // the node redirects: the name stays, what its endpoint serves is verified
	Explicit    = "explicit"    // the name is rewritten to the mirror's own
)

// Rule is one entry of the mirror map, field by field what the model states; rules of one source are candidates in order.
type Rule struct {
	Source       string // host, or host/prefix; matched on "/" boundaries
	Endpoint     string // https://registry.example.internal
	Path         string // put before the repository at the endpoint
	Kind         string // Transparent or Explicit
	OverridePath bool   // transparent only: the endpoint's path is used as it is, no /v2 is added
	Tags         *bool  // whether the mirror resolves tags; nil is true
	Insecure     bool   // plain http is meant
	CA           string // the endpoint's certificate authority, PEM, where the machine does not know it
	Accept       string // PlatformOnly, or ""

	RequireSignatures bool // what the source has signatures for counts only with them
}

// PlatformOnly accepts, in the place of an index, the image for the one platform of the nodes; its own digest is written then.
const PlatformOnly = "platform-only"

// Rules is the mirror map of one environment.
type Rules []Rule

// Target is where a reference is looked for at a mirror, and what it is called afterwards.
type Target struct {
	Ref        Ref      // the name after rewriting; for a transparent mirror the name stays
	Kind       string   // Transparent or Explicit
	Endpoint   Endpoint // what is asked
	Repository string   // the repository there
	Tags       bool     // whether tags are resolved there

	PlatformOnly bool // an image of the nodes' one platform counts, where the source has an index

	RequireSignatures bool // the mirror is held to have the source's signatures
}

// Key names the place in a lock: what is asked, whichever environment asks. A transparent mirror's key begins with "~".
func (t Target) Key() string {
	if t.Kind == Transparent {
		return "~" + t.Endpoint.String() + "/" + t.Repository
	}
	return t.Ref.Repository()
}

// Map returns the first place that the map names for ref. It reports false where no rule covers ref, and where ref lies at an explicit
// mirror already: one hop only, so that rewriting its own output changes nothing.
func (rules Rules) Map(ref Ref) (Target, bool) {
	targets := rules.Candidates(ref)
	if len(targets) == 0 {
		return Target{}, false
	}
	return targets[0], true
}

// Candidates returns every place that the longest matching source names for ref, in the order of the rules.
func (rules Rules) Candidates(ref Ref) []Target {
	if rules.AtMirror(ref) {
		return nil
	}
	longest, out := "", []Target(nil)
	for _, rule := range rules {
		source := canonicalPrefix(rule.Source)
		if !under(ref.Repository(), source) || len(source) < len(longest) {
			continue
		}
		if source != longest {
			longest, out = source, nil
		}
		if target, err := rule.target(ref); err == nil {
			out = append(out, target)
		}
	}
	return out
}

// AtMirror reports whether ref's name lies at an explicit mirror of the map.
func (rules Rules) AtMirror(ref Ref) bool {
	for _, rule := range rules {
		if rule.Kind != Explicit {
			continue
		}
		endpoint, err := ParseEndpoint(rule.Endpoint, false)
		if err == nil && under(ref.Repository(), join(endpoint.Host, rule.Path)) {
			return true
		}
	}
	return false
}

// Covered reports whether a rule's source covers ref.
func (rules Rules) Covered(ref Ref) bool { return len(rules.Candidates(ref)) > 0 }

// Hosts returns the source hosts of the map as written in references, in the order of the rules, each once.
func (rules Rules) Hosts() []string {
	var out []string
	seen := map[string]bool{}
	for _, rule := range rules {
		host, _, _ := strings.Cut(canonicalPrefix(rule.Source), "/")
		if !seen[host] {
			seen[host] = true
			out = append(out, host)
		}
	}
	return out
}

// CAs returns the certificate authorities of the endpoints, PEM by host, for Options.
func (rules Rules) CAs() map[string]string {
	out := map[string]string{}
	for _, rule := range rules {
		if endpoint, err := ParseEndpoint(rule.Endpoint, false); err == nil && rule.CA != "" {
			out[endpoint.Host] += rule.CA + "\n"
		}
	}
	return out
}

// Check returns every mistake of the map, in the order of the rules.
func (rules Rules) Check() []error {
	var out []error
	for i, rule := range rules {
		at := fmt.Sprintf("mirrors[%d] (source %s)", i, rule.Source)
		if rule.Kind != Transparent && rule.Kind != Explicit {
			out = append(out, fmt.Errorf("%s: kind: %q is neither %s nor %s", at, rule.Kind, Transparent, Explicit))
		}
		endpoint, err := ParseEndpoint(rule.Endpoint, rule.OverridePath)
		if err != nil {
			out = append(out, fmt.Errorf("%s: endpoint: %w", at, err))
		} else if endpoint.Scheme == "http" && !rule.Insecure {
			out = append(out, fmt.Errorf("%s: endpoint: %s is plain http; say `insecure: true` if that is meant", at, rule.Endpoint))
		}
		if rule.Accept != "" && rule.Accept != PlatformOnly {
			out = append(out, fmt.Errorf("%s: accept: %q is not %s", at, rule.Accept, PlatformOnly))
		}
		if rule.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(rule.CA)) {
			out = append(out, fmt.Errorf("%s: ca: it holds no certificate in PEM", at))
		}
		if host, _, _ := strings.Cut(rule.Source, "/"); !isHost(host) {
			out = append(out, fmt.Errorf("%s: source: %q names no registry; write host or host/prefix, such as docker.io or ghcr.io/org", at, rule.Source))
		}
	}
	return out
}

func (rule Rule) target(ref Ref) (Target, error) {
	endpoint, err := ParseEndpoint(rule.Endpoint, rule.OverridePath)
	if err != nil {
		return Target{}, err
	}
	endpoint.Insecure = rule.Insecure
	target := Target{Ref: ref, Kind: rule.Kind, Endpoint: endpoint, Repository: join(endpoint.repositoryPrefix, rule.Path, ref.Path)}
	target.Tags = rule.Tags == nil || *rule.Tags
	target.PlatformOnly, target.RequireSignatures = rule.Accept == PlatformOnly, rule.RequireSignatures
	if rule.Kind == Explicit {
		target.Ref.Host, target.Ref.Path = endpoint.Host, join(rule.Path, ref.Path)
	} else {
		target.Endpoint.Namespace = ref.Host
	}
	return target, nil
}

// Endpoint is the place of a registry's API.
type Endpoint struct {
	Scheme    string
	Host      string // host[:port]
	API       string // the path of the API: "/v2"
	Namespace string // the upstream's host, which containerd sends to a transparent mirror as ?ns=
	Insecure  bool   // plain http was asked for

	repositoryPrefix string // what an overriding path holds after /v2
}

// ParseEndpoint reads an endpoint's URL. With override the path is used as it is; without, /v2 is added to it, as containerd does.
func ParseEndpoint(raw string, override bool) (Endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Endpoint{}, fmt.Errorf("reading the URL %q: %w", raw, err)
	}
	if (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return Endpoint{}, fmt.Errorf("%q is no registry URL; write https://host[:port], without user, password or query", raw)
	}
	path := strings.TrimRight(u.Path, "/")
	endpoint := Endpoint{Scheme: u.Scheme, Host: canonicalHost(u.Host), API: path + "/v2"}
	if override {
		endpoint.API = path
		if before, after, ok := strings.Cut(path+"/", "/v2/"); ok {
			endpoint.API, endpoint.repositoryPrefix = before+"/v2", strings.Trim(after, "/")
		}
	}
	return endpoint, nil
}

// sourceEndpoint is where a reference's own registry answers.
func sourceEndpoint(ref Ref, insecure bool) Endpoint {
	endpoint := Endpoint{Scheme: "https", Host: ref.Host, API: "/v2"}
	if ref.Host == DockerHub {
		endpoint.Host = "index.docker.io"
	}
	if insecure {
		endpoint.Scheme, endpoint.Insecure = "http", true
	}
	return endpoint
}

// String returns the URL of the API.
func (e Endpoint) String() string { return e.Scheme + "://" + e.Host + e.API }

// canonicalPrefix brings a rule's source into the form of Ref.Repository.
func canonicalPrefix(source string) string {
	host, path, ok := strings.Cut(strings.TrimRight(source, "/"), "/")
	if !ok {
		return canonicalHost(host)
	}
	return canonicalHost(host) + "/" + path
}

// under reports whether repository is prefix or lies below it: ghcr.io/foobar is not under ghcr.io/foo.
func under(repository, prefix string) bool {
	return prefix != "" && (repository == prefix || strings.HasPrefix(repository, prefix+"/"))
}

// join joins the parts that are not empty with slashes.
func join(parts ...string) string {
	var out []string
	for _, part := range parts {
		if part = strings.Trim(part, "/"); part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, "/")
}
