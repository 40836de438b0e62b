package image

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	digest "github.com/opencontainers/go-digest"
)

// sourceKey is where an image states the address of its code: an annotation of its manifest, or a label of its configuration
// (OCI image specification, annotations).
const sourceKey = "org.opencontainers.image.source"

// sourceManifest is what a manifest or an index says that leads to that address.
type sourceManifest struct {
	Annotations map[string]string `json:"annotations"`
	Config      struct {
		Digest string `json:"digest"`
	} `json:"config"`
	Manifests []struct {
		Digest   string `json:"digest"`
		Platform struct {
			OS string `json:"os"`
		} `json:"platform"`
	} `json:"manifests"`
}

// sourceCode returns the address of an image's code as the image itself states it, or "".
func (c *Client) sourceCode(ctx context.Context, source place) string {
	m, ok := c.sourceManifest(ctx, source)
	if !ok || m.Annotations[sourceKey] != "" {
		return m.Annotations[sourceKey]
	}
	for _, child := range m.Manifests {
		if child.Platform.OS == "unknown" { // an attestation
			continue
		}
		if m, ok = c.sourceManifest(ctx, source.at(child.Digest)); !ok || m.Annotations[sourceKey] != "" {
			return m.Annotations[sourceKey]
		}
		break
	}
	if m.Config.Digest == "" {
		return ""
	}
	var config struct {
		Config struct {
			Labels map[string]string `json:"Labels"`
		} `json:"config"`
	}
	if json.Unmarshal(c.content(ctx, place{source.endpoint, source.repository, m.Config.Digest, blobs}), &config) != nil {
		return ""
	}
	return config.Config.Labels[sourceKey]
}

func (c *Client) sourceManifest(ctx context.Context, p place) (sourceManifest, bool) {
	var m sourceManifest
	answer := c.get(ctx, p)
	return m, answer.state == found && json.Unmarshal(answer.body, &m) == nil
}

// content fetches a small blob, or returns nil: what hashes to something else is none.
func (c *Client) content(ctx context.Context, p place) []byte {
	r := c.registry(ctx, p.endpoint, p.repository)
	header, err := r.authorization(ctx, p.repository, "\x00")
	if err != nil || !validDigest(p.identifier) {
		return nil
	}
	resp, err := c.manifest(ctx, r, manifestRequest{http.MethodGet, p.url(), header, false})
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	const limit = 4 << 20
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	if err != nil || digest.Digest(p.identifier).Algorithm().FromBytes(data).String() != p.identifier {
		return nil
	}
	return data
}

// codeNames are the names under which a project usually publishes its images, made from the address of its code and the image's own name. They
// are guesses: only bytes at a mirror make one a suggestion.
func codeNames(address string, ref Ref) []second {
	u, err := url.Parse(strings.TrimSuffix(address, ".git"))
	if err != nil {
		return nil
	}
	owner, rest, _ := strings.Cut(strings.Trim(strings.ToLower(u.Path), "/"), "/")
	repository, _, _ := strings.Cut(rest, "/")
	if owner == "" || repository == "" {
		return nil
	}
	last := ref.Path[strings.LastIndexByte(ref.Path, '/')+1:]
	names := []string{
		"ghcr.io/" + owner + "/" + repository, "ghcr.io/" + owner + "/" + repository + "/" + last, "ghcr.io/" + owner + "/" + last,
		"quay.io/" + owner + "/" + repository, "quay.io/" + owner + "/" + last, "docker.io/" + owner + "/" + repository, "docker.io/" + owner + "/" + last,
	}
	if u.Host == "gitlab.com" {
		names = []string{"registry.gitlab.com/" + owner + "/" + rest, "registry.gitlab.com/" + owner + "/" + rest + "/" + last}
	} else if u.Host != "github.com" {
		return nil
	}
	var out []second
	for _, name := range sortedSet(names) {
		guess, err := Parse(name)
		if err == nil && guess.Repository() != ref.Repository() {
			guess.Tag = ref.Tag
			out = append(out, second{guess, "the image's own " + sourceKey + " is " + address})
		}
	}
	return out
}
