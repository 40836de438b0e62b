package environment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadMirrors(t *testing.T) {
	no := false
	for name, c := range map[string]struct {
		data string
		want []Mirror
		err  string
	}{
		"list": {
			"- {source: docker.io, endpoint: \"https://r.example.internal\", path: hub, kind: transparent, tags: false}\n- {source: \"ghcr.io/org\", endpoint: \"http://r.example.internal:5000\", kind: explicit, insecure: true}",
			[]Mirror{{Source: "docker.io", Endpoint: "https://r.example.internal", Path: "hub", Kind: "transparent", Tags: &no}, {Source: "ghcr.io/org", Endpoint: "http://r.example.internal:5000", Kind: "explicit", Insecure: true}},
			"",
		},
		"no list":  {"mirrors: []", nil, "mirrors.yaml:1:1: is no list: a mirror map is a list of {source, endpoint, kind}; write one"},
		"empty":    {"[]", []Mirror{}, ""},
		"no bytes": {"", nil, "mirrors.yaml:1:1: is empty: it states nothing; fill it or delete it"},
		"mistakes": {
			"- {source: docker.io:hub/x:1, endpoint: \"https://r\", kind: other}\n- {sorce: a}", nil,
			`mirrors.yaml:1:12: [0].source: "docker.io:hub/x:1" is no registry: it is written as in an image reference, without https:// and without a tag; write docker.io or ghcr.io/org
mirrors.yaml:1:60: [0].kind: "other" is not known; write transparent or explicit
mirrors.yaml:2:3: [1].endpoint: missing: the mirror, https://registry.example.internal; state it
mirrors.yaml:2:3: [1].kind: missing: transparent: the node redirects; explicit: the name in manifests is rewritten; state it
mirrors.yaml:2:3: [1].source: missing: the registry that is mirrored, or a registry and the beginning of a repository: docker.io, ghcr.io/org; state it
mirrors.yaml:2:4: [1].sorce: unknown key; did you mean "source"?; known here: source, endpoint, path, kind, overridePath, tags, insecure, ca, accept, requireSignatures`,
		},
		"more mistakes, all at once": {
			`- source: dockerhub
  endpoint: "https://ada:secret@r.example"
  kind: explicit
- {source: library/nginx, endpoint: "https://r.example/?a=b", kind: explicit}
- {source: docker.io, endpoint: "https://r.example/v2/hub", kind: explicit}
- {source: quay.io, endpoint: "r.example", kind: transparent, path: /quay, ca: "-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----"}
- {source: "localhost/a", endpoint: "http://localhost:5000", kind: explicit, overridePath: true}
- {source: ghcr.io, endpoint: "https://r.example/v2/hub", kind: transparent, overridePath: true, insecure: true}
- {source: ghcr.io, endpoint: "https://r.example/v2/hub", kind: transparent, overridePath: yes, tags: "no"}
`, nil,
			`mirrors.yaml:1:11: [0].source: "dockerhub" begins with no host: in an image reference dockerhub/… is a repository of docker.io; write docker.io/dockerhub
mirrors.yaml:2:13: [0].endpoint: holds a login: credentials stand in the configuration of docker or podman on the machine that asks, never in the model; take it out
mirrors.yaml:4:12: [1].source: "library/nginx" begins with no host: in an image reference library/… is a repository of docker.io; write docker.io/library/nginx
mirrors.yaml:4:37: [1].endpoint: "https://r.example/?a=b" holds more than host and path; write https://registry.example.com
mirrors.yaml:5:33: [2].endpoint: "https://r.example/v2/hub" has a path, which an image's name has no place for: an explicit mirror is asked at its host; write path: v2/hub
mirrors.yaml:6:31: [3].endpoint: "r.example" is no address; write https://registry.example.com
mirrors.yaml:6:69: [3].path: "/quay" begins or ends with a slash; write quay
mirrors.yaml:6:80: [3].ca: holds no certificate; write it as PEM, from -----BEGIN CERTIFICATE----- on
mirrors.yaml:7:37: [4].endpoint: http://localhost:5000 is plain http, which anybody on the way can change; write https, or insecure: true where it is meant
mirrors.yaml:7:92: [4].overridePath: is a setting of the nodes, and an explicit mirror is not theirs; take it out, or write kind: transparent
mirrors.yaml:8:108: [5].insecure: says plain http, and the endpoint is https; take it out
mirrors.yaml:9:3: [6]: ghcr.io at https://r.example/v2/hub stands there twice; keep one
mirrors.yaml:9:103: [6].tags: "no" is text, not true or false; write true or false`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := LoadMirrors([]byte(c.data), "mirrors.yaml")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("mirrors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.err, errorText(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
