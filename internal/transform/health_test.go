package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func TestHealth(t *testing.T) {
	settings := func(data string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: ` + data + `}`
	}
	tests := map[string]struct {
		object string
		script string // what stands under the key of one kind afterwards
		placed bool
	}{
		"added":                    {settings(`{url: "https://argocd.example.com"}`), argocd.ApplicationHealth(), true},
		"added to no data":         {settings(`null`), argocd.ApplicationHealth(), true},
		"stated by the user":       {settings(`{resource.customizations.health.argoproj.io_Application: "return {}"}`), "return {}", true},
		"stated under the old key": {settings(`{resource.customizations: "argoproj.io/Application: {health.lua: x}"}`), "", true},
		"old key of other kinds":   {settings(`{resource.customizations: "example.com/Widget: {health.lua: x}"}`), argocd.ApplicationHealth(), true},
		"another namespace":        {`{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: other}}`, "", false},
		"another object":           {`{apiVersion: v1, kind: Secret, metadata: {name: argocd-cm, namespace: argocd}}`, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := bundles(t, "x", inTeam, "argo-cd", tt.object)
			before := emit(t, in)
			out, placed := Health("argocd", argocd.Version{Major: 2, Minor: 14}, in)
			if placed != tt.placed {
				t.Errorf("placed: %v, want %v", placed, tt.placed)
			}
			diff(t, "script", tt.script, out[1].Objects[0].String("data", argocd.ApplicationHealthKey))
			diff(t, "input, which must stay as it was", before, emit(t, in))
		})
	}
}

// TestHealthOfDefinitions states which release lines get a script for CRDs, and when the user's own stays.
func TestHealthOfDefinitions(t *testing.T) {
	settings := func(data string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: ` + data + `}`
	}
	const old = "apiextensions.k8s.io/CustomResourceDefinition: {health.lua: x}"
	tests := map[string]struct{ version, object, want string }{
		"3.2":                      {"3.2", settings(`{}`), argocd.DefinitionHealth()},
		"2.14 has no such check":   {"2.14", settings(`{}`), ""},
		"3.5 waits by itself":      {"3.5", settings(`{}`), ""},
		"stated by the user":       {"3.2", settings(`{resource.customizations.health.apiextensions.k8s.io_CustomResourceDefinition: "return {}"}`), "return {}"},
		"stated under the old key": {"3.2", settings(`{resource.customizations: "` + old + `"}`), ""},
		"another is the user's":    {"3.2", settings(`{resource.customizations.health.argoproj.io_Application: "return {}"}`), argocd.DefinitionHealth()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			version, err := argocd.ParseVersion(tt.version)
			if err != nil {
				t.Fatal(err)
			}
			out, placed := Health("argocd", version, bundles(t, "argo-cd", tt.object))
			if !placed {
				t.Error("not placed")
			}
			diff(t, "script", tt.want, out[0].Objects[0].String("data", argocd.DefinitionHealthKey))
		})
	}
}

func TestHealthFragment(t *testing.T) {
	version := argocd.Version{Major: 3, Minor: 2}
	fragment := HealthFragment("argocd", version)
	out, placed := Health("argocd", version, []manifest.Bundle{{Name: "x", Objects: []manifest.Object{fragment}}})
	if !placed || out[0].Objects[0].String("data", argocd.ApplicationHealthKey) != argocd.ApplicationHealth() {
		t.Error("the fragment is not what Health looks for")
	}
	diff(t, "script for CRDs", argocd.DefinitionHealth(), fragment.String("data", argocd.DefinitionHealthKey))
}

func TestExcluded(t *testing.T) {
	const (
		slice = `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s, namespace: a}}`
		lease = `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, namespace: a}}`
		named = "a: EndpointSlice.discovery.k8s.io a/s: is never applied: resource.exclusions of argocd-cm names its kind (argo-cd#24030); take the kind out of that list, or the object out with `remove`"
	)
	settings := func(exclusions string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: {resource.exclusions: ` + exclusions + `}}`
	}
	tests := map[string]struct {
		version, in string
		objects     []string
		want        []string
		err         string
	}{
		"shipped from 3.0":            {version: "3.0", objects: []string{slice}, want: []string{named}},
		"not before":                  {version: "2.14", objects: []string{slice}},
		"compiled in":                 {version: "2.14", objects: []string{lease}, want: []string{"a: Lease.coordination.k8s.io a/l: is never applied: Argo CD overlooks every Lease, whatever its settings; take it out with `remove`"}},
		"no Argo CD":                  {in: "none", objects: []string{lease}},
		"settings that name it":       {version: "2.14", objects: []string{slice, settings(`"- apiGroups: [discovery.*]\n  kinds:\n  - EndpointSlice\n"`)}, want: []string{named}},
		"settings that name no kinds": {version: "2.14", objects: []string{slice, settings(`"- {apiGroups: [discovery.k8s.io]}"`)}, want: []string{named}},
		"settings that name others":   {version: "3.2", objects: []string{slice, settings(`"- {apiGroups: [discovery.k8s.io], kinds: [Other]}"`)}},
		"settings for one cluster":    {version: "3.2", objects: []string{slice, settings(`"- {apiGroups: [discovery.k8s.io], clusters: [other]}"`)}},
		"settings without any":        {version: "3.2", objects: []string{slice, settings(`""`)}},
		"settings that are no list":   {version: "3.2", objects: []string{slice, settings(`"a: b"`)}, err: "component a: reading resource.exclusions of ConfigMap argocd/argocd-cm: it must be a list"},
		"settings that are no YAML":   {version: "3.2", objects: []string{slice, settings(`"- {"`)}, err: "component a: reading resource.exclusions of ConfigMap argocd/argocd-cm: reading YAML"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			target := lab
			target.Version = tt.version
			if tt.in != "" {
				target.In = tt.in
			}
			notices, err := Excluded(target, bundles(t, "a", docs(tt.objects...)))
			if got := text(err); !strings.HasPrefix(got, tt.err) || (tt.err == "") != (got == "") {
				t.Errorf("error: got %q, want %q", got, tt.err)
			}
			var got []string
			for _, n := range notices {
				got = append(got, n.String())
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
