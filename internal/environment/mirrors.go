package environment

import (
	"crypto/x509"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// LoadMirrors reads a mirror map that stands by itself: a list of mirrors, as facts.mirrors has them. name is the file's name
// for messages. All mistakes are returned at once, as Mistakes.
func LoadMirrors(data []byte, name string) ([]Mirror, error) {
	var c collector
	var mirrors []Mirror
	doc := parse(name, "mirrors", data, &c)
	if doc == nil {
		return nil, c.err()
	}
	if _, isList := doc.tree.([]any); !isList {
		c.add(doc.top(), "", "is no list: a mirror map is a list of {source, endpoint, kind}; write one")
		return nil, c.err()
	}
	decoder{doc, &c}.decode(input{doc.root, doc.tree, ""}, reflect.ValueOf(&mirrors).Elem())
	check := mirrorChecker{func(path, format string, args ...any) { c.add(doc.find(path), path, format, args...) }}
	check.all(mirrors, "")
	if err := c.err(); err != nil {
		return nil, err
	}
	return mirrors, nil
}

// mirrorChecker checks a mirror map, wherever it stands.
type mirrorChecker struct {
	add func(path, format string, args ...any)
}

// mirrorSource is a registry's host with its port, and the beginning of a repository.
var mirrorSource = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)

// all checks every mirror of the list under path.
func (m mirrorChecker) all(mirrors []Mirror, path string) {
	for i, mirror := range mirrors {
		at := itemPath(path, i)
		m.one(mirror, at)
		same := func(before Mirror) bool {
			return before.Source == mirror.Source && before.Endpoint == mirror.Endpoint && before.Path == mirror.Path
		}
		if mirror.Source != "" && slices.ContainsFunc(mirrors[:i], same) {
			m.add(at, "%s at %s stands there twice; keep one", mirror.Source, mirror.Endpoint)
		}
	}
}

// one checks one mirror.
func (m mirrorChecker) one(mirror Mirror, at string) {
	host, _, _ := strings.Cut(mirror.Source, "/")
	switch {
	case mirror.Source == "":
	case !mirrorSource.MatchString(mirror.Source):
		m.add(at+".source", "%q is no registry: it is written as in an image reference, without https:// and without a tag; write docker.io or ghcr.io/org", mirror.Source)
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		m.add(at+".source", "%q begins with no host: in an image reference %s/… is a repository of docker.io; write docker.io/%s", mirror.Source, host, mirror.Source)
	}
	m.endpoint(mirror, at)
	if mirror.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(mirror.CA)) {
		m.add(at+".ca", "holds no certificate; write it as PEM, from -----BEGIN CERTIFICATE----- on")
	}
	if strings.Trim(mirror.Path, "/") != mirror.Path {
		m.add(at+".path", "%q begins or ends with a slash; write %s", mirror.Path, strings.Trim(mirror.Path, "/"))
	}
	if mirror.OverridePath && mirror.Kind == "explicit" {
		m.add(at+".overridePath", "is a setting of the nodes, and an explicit mirror is not theirs; take it out, or write kind: transparent")
	}
}

// endpoint checks the address of a mirror.
func (m mirrorChecker) endpoint(mirror Mirror, at string) {
	u, err := url.Parse(mirror.Endpoint)
	switch insecure := strings.HasPrefix(mirror.Endpoint, "http://"); {
	case mirror.Endpoint == "":
	case err == nil && u.User != nil:
		m.add(at+".endpoint", "holds a login: credentials stand in the configuration of docker or podman on the machine that asks, never in the model; take it out")
	case err != nil || !isURL(mirror.Endpoint, "http", "https"):
		m.add(at+".endpoint", "%q is no address; write https://registry.example.com", mirror.Endpoint)
	case u.RawQuery != "" || u.Fragment != "":
		m.add(at+".endpoint", "%q holds more than host and path; write https://registry.example.com", mirror.Endpoint)
	case mirror.Kind == "explicit" && strings.Trim(u.Path, "/") != "":
		m.add(at+".endpoint", "%q has a path, which an image's name has no place for: an explicit mirror is asked at its host; write path: %s", mirror.Endpoint, strings.Trim(u.Path, "/"))
	case insecure && !mirror.Insecure:
		m.add(at+".endpoint", "%s is plain http, which anybody on the way can change; write https, or insecure: true where it is meant", mirror.Endpoint)
	case !insecure && mirror.Insecure:
		m.add(at+".insecure", "says plain http, and the endpoint is https; take it out")
	}
}
