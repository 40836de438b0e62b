package image

import (
	"errors"
	"fmt"
	"strings"

	"github.com/distribution/reference"
	_ "github.com/opencontainers/go-digest" // registers the digest algorithms that reference accepts
)

// DockerHub is the canonical name of Docker Hub's registry in references, as Kubernetes and containerd write it.
const DockerHub = "docker.io"

// Ref is a reference in canonical form: two references that name the same image at the same place are equal.
type Ref struct {
	Host   string // lower case, without a default port or trailing dot; docker.io for every alias of Docker Hub
	Path   string // with library/ for Docker Hub's official images
	Tag    string // "latest" where the reference names neither tag nor digest; "" where it names only a digest
	Digest string // "sha256:…", or ""
}

// Parse reads a reference as a container runtime does, and stricter: what breaks the distribution grammar is refused, although
// go-containerregistry lets some of it through (schemes, "..", empty path parts).
func Parse(s string) (Ref, error) {
	if scheme, _, ok := strings.Cut(s, "://"); ok {
		return Ref{}, fmt.Errorf("parsing the image reference %q: it begins with the scheme %s://, which no reference has", s, scheme)
	}
	named, err := reference.ParseNormalizedNamed(normalHost(s))
	if err != nil {
		return Ref{}, fmt.Errorf("parsing the image reference %q: %w", s, err)
	}
	ref := Ref{Host: reference.Domain(named), Path: reference.Path(named)}
	if tagged, ok := named.(reference.Tagged); ok {
		ref.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		ref.Digest = digested.Digest().String()
	}
	if ref.Tag == "" && ref.Digest == "" {
		ref.Tag = "latest"
	}
	if validDigest("sha256:"+ref.Tag) && strings.HasSuffix(ref.Path, "/sha256") {
		return Ref{}, fmt.Errorf("parsing the image reference %q: it is a digest alone; write name@digest", s)
	}
	if !isHost(ref.Host) {
		return Ref{}, fmt.Errorf("parsing the image reference %q: %w", s, errNoHost)
	}
	return ref, nil
}

// errNoHost is for "MyHost/foo": a capital letter makes the library take it for a host, a runtime does not.
var errNoHost = errors.New("its first part is neither a host (no dot, no port) nor a lower-case path")

// String returns the canonical reference: host/path[:tag][@digest]. Parse(r.String()) is r.
func (r Ref) String() string {
	out := r.Repository()
	if r.Tag != "" {
		out += ":" + r.Tag
	}
	if r.Digest != "" {
		out += "@" + r.Digest
	}
	return out
}

// Repository returns host/path.
func (r Ref) Repository() string { return r.Host + "/" + r.Path }

// Identifier is what a runtime pulls by: the digest where there is one, else the tag.
func (r Ref) Identifier() string {
	if r.Digest != "" {
		return r.Digest
	}
	return r.Tag
}

// normalHost returns s with the host part in canonical form, so that every alias of one registry meets the same rules.
func normalHost(s string) string {
	host, rest, ok := strings.Cut(s, "/")
	if !ok || !isHost(host) {
		return s
	}
	return canonicalHost(host) + "/" + rest
}

// isHost tells a registry from the first part of a Docker Hub path, as Docker's own rule does.
func isHost(part string) bool {
	return strings.ContainsAny(part, ".:") || strings.EqualFold(part, "localhost")
}

// canonicalHost lower-cases a host, takes off the trailing dot and https' own port, and resolves Docker Hub's aliases.
func canonicalHost(host string) string {
	host = strings.ToLower(host)
	name, port, ok := strings.Cut(host, ":")
	if ok && !strings.HasPrefix(host, "[") && port != "443" {
		return strings.TrimSuffix(name, ".") + ":" + port
	}
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ".")
	switch host {
	case "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com":
		return DockerHub
	}
	return host
}
