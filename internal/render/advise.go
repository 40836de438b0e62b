package render

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// maxAdvice is how many values of a chart an error names.
const maxAdvice = 3

// advise guesses which values of the chart take an existing Secret instead of a generated one: those that the template reads and
// that are named like a way out, the likeliest alone. It names none where the template reads none.
func advise(values map[string]any, read []string, certificates bool) string {
	best := 0
	var names []string
	walkKeys(values, "", func(path string) {
		rank := adviceRank(strings.ToLower(path), certificates)
		if rank > 0 && certificates && (strings.Contains(path, "tls") || strings.Contains(path, "cert")) {
			rank += 2 // expose.tls.secret.secretName before core.existingSecret
		}
		if rank == 0 || rank < best || !isRead(read, path) {
			return
		}
		if rank > best {
			best, names = rank, nil
		}
		names = append(names, path)
	})
	switch len(names) {
	case 0:
		return "look in the chart's values for one that names an existing Secret, or patch the object"
	case 1:
		return "the chart's value " + names[0] + " looks as if it took an existing Secret or another way"
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")) })
	return "the chart's values " + strings.Join(names[:min(len(names), maxAdvice)], ", ") + " look as if they took an existing Secret or another way"
}

// isRead reports whether a template that reads the paths reads this value: itself, the table that it is in, or something in it.
func isRead(read []string, path string) bool {
	return slices.ContainsFunc(read, func(one string) bool {
		return one == path || strings.HasPrefix(path, one+".") || strings.HasPrefix(one, path+".")
	})
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
