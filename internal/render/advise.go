package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxAdvice is how many values of a chart an error names.
const maxAdvice = 3

// advise guesses which value of the chart takes an existing Secret instead of a generated one.
func advise(values map[string]any, source string, leaf generatedLeaf) string {
	subchart := subchartOf(source)
	certificates := isKeyMaterial(leaf.value) || leaf.path[len(leaf.path)-1] == "caBundle"
	type candidate struct {
		path string
		rank int
	}
	var found []candidate
	walkKeys(values, "", func(path string) {
		rank := adviceRank(strings.ToLower(path), certificates)
		if rank == 0 {
			return
		}
		if strings.HasPrefix(path, subchart) {
			rank += 10
		}
		if certificates && (strings.Contains(path, "tls") || strings.Contains(path, "cert")) {
			rank += 2 // expose.tls.secret.secretName before core.existingSecret
		}
		if part, _, nested := strings.Cut(path, "."); nested && strings.Contains(source, "/"+part) {
			rank++ // hubble.… for templates/hubble/…
		}
		found = append(found, candidate{path, rank})
	})
	if len(found) == 0 {
		return "look in the chart's values for one that names an existing Secret, or patch the object"
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.path, b.path)) })
	var names []string
	for _, one := range found[:min(len(found), maxAdvice)] {
		names = append(names, one.path)
	}
	return fmt.Sprintf("the chart's values %s look as if they took an existing Secret or another way", strings.Join(names, ", "))
}

// subchartOf returns "postgresql." for a template of that dependency, or "".
func subchartOf(source string) string {
	prefix := ""
	parts := strings.Split(source, "/")
	for i := 1; i+1 < len(parts) && parts[i] == "charts"; i += 2 {
		prefix += parts[i+1] + "."
	}
	return prefix
}

// adviceRank says how much a value's path looks like a way out; 0 is not at all.
func adviceRank(path string, certificates bool) int {
	key := path[strings.LastIndexByte(path, '.')+1:]
	switch {
	case certificates && (strings.HasSuffix(path, "auto.method") || strings.Contains(path, "certmanager.") && key == "enabled"):
		return 4
	case strings.Contains(key, "existing") && strings.Contains(key, "secret"):
		return 3
	case strings.HasSuffix(key, "secretname") || strings.HasSuffix(key, "secretref") || strings.HasSuffix(key, "passwordsecret"):
		return 2
	case strings.HasSuffix(path, "secret.create") || strings.HasSuffix(path, "secret.enabled") || strings.HasSuffix(key, "createsecret"):
		return 1
	}
	return 0
}

// walkKeys calls visit with the dotted path of every value, sorted.
func walkKeys(values map[string]any, prefix string, visit func(path string)) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := join(prefix, key)
		visit(path)
		if table, ok := values[key].(map[string]any); ok {
			walkKeys(table, path, visit)
		}
	}
}
