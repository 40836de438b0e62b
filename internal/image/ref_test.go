package image

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var hex64 = strings.Repeat("ab", 32)

// TestParse: normalisation of references; "" is a refusal.
func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"busybox":                                   "docker.io/library/busybox:latest",
		"docker.io/busybox:1.37":                    "docker.io/library/busybox:1.37",
		"index.docker.io/library/busybox:1.37":      "docker.io/library/busybox:1.37",
		"registry-1.docker.io/library/nginx":        "docker.io/library/nginx:latest",
		"registry.hub.docker.com/library/nginx:1":   "docker.io/library/nginx:1",
		"bitnami/kubectl:1.32.3":                    "docker.io/bitnami/kubectl:1.32.3",
		"localhost/x":                               "localhost/x:latest",
		"localhost:5000/x":                          "localhost:5000/x:latest",
		"host.tld/x":                                "host.tld/x:latest",
		"host:5000/x":                               "host:5000/x:latest",
		"foo:5000":                                  "docker.io/library/foo:5000",
		"myhost/foo":                                "docker.io/myhost/foo:latest",
		"ecr-public.aws.com/docker/library/redis:8": "ecr-public.aws.com/docker/library/redis:8",
		"m.example/busybox":                         "m.example/busybox:latest",
		"busybox@sha256:" + hex64:                   "docker.io/library/busybox@sha256:" + hex64,
		"r.example/a:1@sha256:" + hex64:             "r.example/a:1@sha256:" + hex64,
		"r.example/a@sha512:" + hex64 + hex64:       "r.example/a@sha512:" + hex64 + hex64,
		"GHCR.IO/a/b:1":                             "ghcr.io/a/b:1",
		"ghcr.io:443/a:1":                           "ghcr.io/a:1",
		"ghcr.io./a:1":                              "ghcr.io/a:1",
		"[2001:db8::1]:5000/a:1":                    "[2001:db8::1]:5000/a:1",
		"ghcr.io/A/b":                               "",
		"MyHost/foo":                                "",
		"oci://ghcr.io/a/b:1":                       "",
		"https://ghcr.io/a/b:1":                     "",
		"ghcr.io/../a:1":                            "",
		"ghcr.io//a//b":                             "",
		"ghcr.io/a/-b":                              "",
		"ghcr.io/a/b-":                              "",
		"ghcr.io/a:.1":                              "",
		"ghcr.io/a:-1":                              "",
		" ghcr.io/a:1":                              "",
		"ghcr.io/a:1 ":                              "",
		"ghcr.io/a:{{ .tag }}":                      "",
		"$(IMAGE)":                                  "",
		"*":                                         "",
		"eu.foo.io/*":                               "",
		"ghcr.io/a:v1+b":                            "",
		"ghcr.io/a@sha256:" + hex64 + "@sha256:" + hex64: "",
		"sha256:" + hex64: "",
		hex64:             "",
		"":                "",
	} {
		ref, err := Parse(in)
		got := ""
		if err == nil {
			got = ref.String()
		}
		if got != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

// FuzzParse: what Parse accepts, it reads again as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"nginx", "GHCR.IO/a/b:1", "ghcr.io:443/a", "[::1]:5000/a@sha256:" + hex64, "localhost/x", "a.b:443:443/c", "x../y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		ref, err := Parse(in)
		if err != nil {
			return
		}
		again, err := Parse(ref.String())
		if err != nil || again != ref {
			t.Fatalf("Parse(%q) = %+v, read again: %+v, %v", in, ref, again, err)
		}
	})
}

// TestMap: one rule map against references and what they become; "" is not covered.
func TestMap(t *testing.T) {
	rules := Rules{
		{Source: "docker.io", Endpoint: "https://m.example", Path: "hub", Kind: Explicit},
		{Source: "docker.io/library", Endpoint: "https://m.example", Path: "official", Kind: Explicit},
		{Source: "ghcr.io/foo", Endpoint: "https://m.example", Path: "ghcr", Kind: Explicit},
		{Source: "a.example", Endpoint: "https://b.example", Kind: Explicit},
		{Source: "b.example", Endpoint: "https://c.example", Kind: Explicit},
		{Source: "quay.io", Endpoint: "https://m.example/v2/quay", Kind: Transparent, OverridePath: true},
		{Source: "registry.k8s.io", Endpoint: "https://m.example", Path: "k8s", Kind: Transparent},
	}
	for in, want := range map[string][2]string{
		"busybox":                     {"m.example/official/library/busybox:latest", "m.example/official/library/busybox"},
		"bitnami/redis:7":             {"m.example/hub/bitnami/redis:7", "m.example/hub/bitnami/redis"},
		"ghcr.io/foo/x:1":             {"m.example/ghcr/foo/x:1", "m.example/ghcr/foo/x"},
		"GHCR.IO/foo/x:1":             {"m.example/ghcr/foo/x:1", "m.example/ghcr/foo/x"},
		"ghcr.io:443/foo/x:1":         {"m.example/ghcr/foo/x:1", "m.example/ghcr/foo/x"},
		"ghcr.io/foobar/x:1":          {},
		"ghcr.io.evil.io/foo/x:1":     {},
		"m.example/hub/library/nginx": {},
		"a.example/x:1":               {"b.example/x:1", "b.example/x"},
		"b.example/x:1":               {},
		"quay.io/cilium/cilium:v1":    {"quay.io/cilium/cilium:v1", "~https://m.example/v2/quay/cilium/cilium"},
		"registry.k8s.io/pause:3":     {"registry.k8s.io/pause:3", "~https://m.example/v2/k8s/pause"},
	} {
		ref, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := rules.Map(ref)
		got := [2]string{}
		if ok {
			got = [2]string{target.Ref.String(), target.Key()}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Map(%q) (-want +got):\n%s", in, diff)
		}
	}
}
