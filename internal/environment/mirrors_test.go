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
