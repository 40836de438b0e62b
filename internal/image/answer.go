package image

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	digest "github.com/opencontainers/go-digest"
)

// understand judges an answer.
func understand(p place, resp *http.Response) look {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return doubtful("%s", explain(p, err))
	}
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusFound, http.StatusSeeOther, http.StatusPermanentRedirect:
		if p.kind == blobs {
			return look{state: found, digest: p.identifier}
		}
	case http.StatusOK:
		if p.kind == blobs {
			return look{state: found, digest: p.identifier}
		}
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
	silent := doubtful("%s does not name the digest in its answer to HEAD", p.endpoint.Host)
	silent.retryGet = true
	return silent
}

func understandBody(p place, resp *http.Response, body []byte) look {
	var stated shape
	isJSON := json.Unmarshal(body, &stated) == nil
	answer := look{state: found, digest: hash(p.identifier, body), mediaType: mediaTypeOf(resp), body: body}
	if answer.mediaType == "" || answer.mediaType == "application/json" {
		answer.mediaType = stated.MediaType
	}
	if !isJSON || !isManifest(answer.mediaType) {
		answer.state, answer.foreign = doubt, true
		answer.why = fmt.Sprintf("%s answers with the media type %q, which is no image manifest (a login page or another kind of registry?)", p.endpoint.Host, answer.mediaType)
		answer.cause = answer.why
		return answer
	}
	if problem := stated.contradicts(answer.mediaType); problem != "" {
		answer.state, answer.foreign = doubt, true
		answer.why = fmt.Sprintf("%s serves a manifest that %s as %s, which runtimes refuse", p.endpoint.Host, problem, answer.mediaType)
		answer.cause = answer.why
	}
	return answer
}

// shape is what tells the kinds of manifests apart.
type shape struct {
	MediaType string          `json:"mediaType"`
	Config    json.RawMessage `json:"config"`
	Layers    json.RawMessage `json:"layers"`
	Manifests json.RawMessage `json:"manifests"`
	FSLayers  json.RawMessage `json:"fsLayers"`
}

// contradicts says what about a manifest does not fit the media type that it is served as. One text that is an image to some and an index
// to others could be proven as the one and run as the other (GHSA-mc8v-mgrf-8f4m, GHSA-5j5w-g665-5m35); runtimes refuse it too.
func (s shape) contradicts(mediaType string) string {
	switch {
	case s.MediaType != "" && s.MediaType != mediaType:
		return "calls itself " + s.MediaType
	case s.FSLayers != nil:
		return "is one of schema 1 (fsLayers)"
	case isIndex(mediaType) && (s.Config != nil || s.Layers != nil):
		return "is an image (config, layers)"
	case !isIndex(mediaType) && s.Manifests != nil:
		return "is an index (manifests)"
	}
	return ""
}

// understandNotFound believes a 404 only where a registry speaks: a gateway's page says nothing about an image.
func understandNotFound(p place, resp *http.Response, body []byte) look {
	var stated struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	if resp.Request.Method == http.MethodHead { // no body to judge by; a source that lacks its own image is doubt to the caller
		return lacking(p)
	}
	isRegistry := json.Unmarshal(body, &stated) == nil && len(stated.Errors) > 0
	for _, e := range stated.Errors {
		if e.Code == "UNAUTHORIZED" || e.Code == "DENIED" || e.Code == "TOOMANYREQUESTS" || e.Code == "UNAVAILABLE" {
			answer := doubtful("%s answers 404 with the code %s", p.endpoint.Host, e.Code)
			answer.why += " for " + p.repository
			return answer
		}
	}
	if isRegistry || resp.Header.Get("Docker-Distribution-Api-Version") != "" {
		return lacking(p)
	}
	return doubtful("%s answers 404, but not as a registry does: is this the right address?", p.endpoint.Host)
}

func lacking(p place) look {
	return look{state: absent, why: fmt.Sprintf("%s does not have %s:%s", p.endpoint.Host, p.repository, p.identifier), cause: p.endpoint.Host + " does not have it"}
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
