package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// application fills the template of an ApplicationSet, the generator's own laid over it, with the parameters of one element.
func (s *set) application(generator map[string]any, p params) (manifest.Object, error) {
	whole := mapOf(merged(s.object.Map("spec", "template"), mapOf(templateOf(generator))))
	filled, err := s.fill(whole, p)
	if err != nil {
		return manifest.Object{}, err
	}
	fields := mapOf(filled)
	if patch := s.object.String("spec", "templatePatch"); patch != "" {
		text, err := s.fill(patch, p)
		if err != nil {
			return manifest.Object{}, err
		}
		objects, _, err := manifest.Decode([]byte(text.(string)))
		if err != nil {
			return manifest.Object{}, fmt.Errorf("its templatePatch: %w", err)
		}
		for _, o := range objects {
			fields = mapOf(merged(fields, o.Fields()))
		}
	}
	o := manifest.New(fields).Set("argoproj.io/v1alpha1", "apiVersion").Set("Application", "kind")
	if o.ID().Name == "" {
		return manifest.Object{}, fmt.Errorf("an element gives its Application no name")
	}
	o = o.Set(s.object.ID().Namespace, "metadata", "namespace")
	if wrong := argocd.Mistakes(o); len(wrong) > 0 {
		return o, fmt.Errorf("it makes an Application %s that the API server refuses: %s", o.ID().Name, wrong[0])
	}
	return o, nil
}

// templateOf finds a generator's own template, which stands inside its one kind.
func templateOf(generator map[string]any) any {
	for _, spec := range generator {
		if own := mapOf(spec)["template"]; own != nil {
			return own
		}
	}
	return nil
}

// merged returns base with over laid on it: maps key by key, all else whole.
func merged(base, over any) any {
	a, okA := base.(map[string]any)
	b, okB := over.(map[string]any)
	if !okA || !okB {
		if over == nil {
			return base
		}
		return over
	}
	out := maps.Clone(a)
	for key, value := range b {
		out[key] = merged(a[key], value)
	}
	return out
}

// fill fills every string of a value with parameters.
func (s *set) fill(value any, p params) (any, error) {
	switch v := value.(type) {
	case string:
		return s.fillText(v, p)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			filled, err := s.fill(item, p)
			if err != nil {
				return nil, err
			}
			out[i] = filled
		}
		return out, nil
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			name, err := s.fillText(key, p)
			if err != nil {
				return nil, err
			}
			if out[name], err = s.fill(item, p); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}

// placeholder is what the plain templates replace; keys that they do not know they leave alone.
var placeholder = regexp.MustCompile(`\{\{\s*([^{}]+?)\s*\}\}`)

func (s *set) fillText(text string, p params) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	if !s.goText {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
			if value, ok := p[placeholder.FindStringSubmatch(found)[1]]; ok {
				return scalar(value)
			}
			return found
		}), nil
	}
	t, err := s.parse(text)
	if err != nil {
		return "", fmt.Errorf("reading its template: %w", err)
	}
	var out strings.Builder
	if err := t.Execute(&out, map[string]any(p)); err != nil {
		return "", fmt.Errorf("filling its template: %w", err)
	}
	return out.String(), nil
}

// parse reads a Go template, once for all elements that fill it.
func (s *set) parse(text string) (*template.Template, error) {
	if t := s.parsed[text]; t != nil {
		return t, nil
	}
	t := template.New("").Funcs(functions()).Funcs(s.bounded)
	for _, option := range s.object.List("spec", "goTemplateOptions") {
		if option == "missingkey=error" || option == "missingkey=zero" || option == "missingkey=default" || option == "missingkey=invalid" {
			t = t.Option(option.(string))
		}
	}
	t, err := t.Parse(text)
	if err == nil && len(s.parsed) < 64 { // what an inner generator names may differ with every element
		s.parsed[text] = t
	}
	return t, err
}

// functions are those of ApplicationSet templates: sprig's without those that read the machine (argo-cd applicationset/utils).
func functions() template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	all["normalize"], all["slugify"] = normalize, func(args ...any) string { return normalize(scalar(args[len(args)-1])) }
	all["toYaml"] = func(v any) (string, error) {
		data, err := json.Marshal(v) // JSON is YAML
		return string(data), err
	}
	all["fromYaml"] = func(text string) (map[string]any, error) {
		objects, _, err := manifest.Decode([]byte(text))
		if err != nil || len(objects) == 0 {
			return nil, err
		}
		return objects[0].Fields(), nil
	}
	return all
}

// indent moves a YAML text two spaces to the right.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}
