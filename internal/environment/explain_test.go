package environment

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	archive := changed(t, "values: {a: 1, keep: fleet}", `values: {a: 1, keep: fleet, tls: {mode: x, "c.d": {e: 1}}, list: [1, 2], gone: {b: 1}}`,
		"values: {a: 2}", "values: {a: 2, tls: {mode: null}, list: [3], gone: text}",
		"values: {a: 3}", `values: {a: 3, tls: {"c.d": {f: "${facts.domain}"}}}`)
	own := Values{Origin: Origin{Layer: "component cilium"}, Tree: map[string]any{"a": int64(0), "kubeProxyReplacement": true, "tls": map[string]any{"mode": "own"}}}
	layers := append([]Values{own}, component(t, archive, "cilium").Values...)
	for path, want := range map[string][]string{
		"a": {
			"a: 0 (component cilium at component cilium)", "a: 1 (fleet at fleet.yaml:6:80)",
			"a: 2 (group test at groups/test.yaml:5:50)", "a: 3 (environment lab at lab.yaml:11:24) wins",
		},
		"kubeProxyReplacement": {"kubeProxyReplacement: true (component cilium at component cilium) wins"},
		"tls.mode":             {"tls.mode: own (component cilium at component cilium)", "tls.mode: x (fleet at fleet.yaml:6:108)", "tls.mode: <nil> (group test at groups/test.yaml:5:65) wins"},
		`tls["c.d"]`: {
			`tls["c.d"].e: 1 (fleet at fleet.yaml:6:122) wins`,
			`tls["c.d"].f: lab.example.com (environment lab at lab.yaml:11:44) wins`,
		},
		"list[0]": {"list: [1 2] (fleet at fleet.yaml:6:127)", "list: [3] (group test at groups/test.yaml:5:72) wins"},
		"gone":    {"gone: map[b:1] (fleet at fleet.yaml:6:141)", "gone: text (group test at groups/test.yaml:5:89) wins"},
	} {
		steps, err := Explain(layers, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for _, s := range steps {
			line := fmt.Sprintf("%s: %v (%s at %s)", s.Path, s.Value, s.Origin.Layer, s.Origin)
			if s.Wins {
				line += " wins"
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	steps, err := Explain(layers, "")
	if err != nil || len(steps) != 15 {
		t.Errorf("all of it: %d steps, %v", len(steps), err)
	}
}

func TestExplainUnknown(t *testing.T) {
	layers := component(t, sample, "cilium").Values
	for path, want := range map[string]string{
		"kep":    `explaining kep: no layer states it (the component has a, keep), so the chart's own default is used; did you mean "keep"?`,
		"keep.x": "explaining keep.x: no layer states it, and keep holds nothing by name; the chart's own default is used",
		"a..b":   `reading path "a..b" at ".b": a key is missing; write it as a.b["c.d"][0]`,
		"a[b]":   `reading path "a[b]" at "[b]": "b" is no list index; write it as a.b["c.d"][0]`,
		`a["b`:   `reading path "a[\"b" at "[\"b": the quoted key does not end in "]; write it as a.b["c.d"][0]`,
		"a[":     `reading path "a[" at "[": a bracket is not closed; write it as a.b["c.d"][0]`,
	} {
		if _, err := Explain(layers, path); errorText(err) != want {
			t.Errorf("%s gives\n%v, want\n%s", path, err, want)
		}
	}
	if _, err := Explain(nil, "a"); errorText(err) != "explaining a: no layer states it, and the component holds nothing by name; the chart's own default is used" {
		t.Errorf("nothing at all gives %v", err)
	}
	for name, layers := range map[string][]Values{"no layer": nil, "layers that state nothing": {{}, {Tree: map[string]any{}}}} {
		if _, err := Explain(layers, ""); errorText(err) != "explaining the values: no layer states any; the chart's own defaults are used" {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string][]any{
		"":                        nil,
		".a":                      {"a"},
		"a.b":                     {"a", "b"},
		"a[0].b":                  {"a", 0, "b"},
		`a["b.c/d"][2]["e\"f"].g`: {"a", "b.c/d", 2, `e"f`, "g"},
		"a-b.c_d.e/f":             {"a-b", "c_d", "e/f"},
		"[1][2]":                  {1, 2},
	} {
		got, err := ParsePath(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", text, diff, err)
		}
		if again, err := ParsePath(PathString(got...)); cmp.Diff(got, again) != "" || err != nil {
			t.Errorf("%s is written as %s and read as %v, %v", text, PathString(got...), again, err)
		}
	}
}
