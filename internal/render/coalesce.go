package render

import (
	"fmt"
	"maps"
	"slices"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// coalescer lays values over a chart's own as Helm 3.18.4 does (pkg/chartutil/coalesce.go), because Helm 4 treats null otherwise:
// it drops the nulls of a chart's own values, which Helm 3 and so Argo CD show to `toYaml` and `hasKey`. It collects Helm's
// warnings instead of printing them to the process-wide log.
type coalescer struct{ warnings []string }

const globals = "global"

func (c *coalescer) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// chart fills over, which it changes, with the values of ch and of its dependencies. A null in over removes the chart's value.
func (c *coalescer) chart(ch *chart.Chart, over map[string]any, prefix string) error {
	c.values(ch, over, join(prefix, ch.Name()))
	for _, dependency := range ch.Dependencies() {
		name := dependency.Name()
		if _, ok := over[name]; !ok {
			over[name] = map[string]any{}
		}
		table, ok := over[name].(map[string]any)
		if !ok {
			return fmt.Errorf("values: %s: must be a map, because the chart has a dependency of this name; it is %T", join(prefix, name), over[name])
		}
		c.globals(table, over, join(prefix, ch.Name()))
		if err := c.chart(dependency, table, join(prefix, ch.Name())); err != nil {
			return err
		}
	}
	return nil
}

// values lays over over the chart's own values.
func (c *coalescer) values(ch *chart.Chart, over map[string]any, prefix string) {
	for _, key := range slices.Sorted(maps.Keys(ch.Values)) {
		own := manifest.Copy(ch.Values[key])
		value, set := over[key]
		table, isTable := value.(map[string]any)
		ownTable, ownIsTable := own.(map[string]any)
		switch {
		case !set:
			over[key] = own
		case value == nil:
			delete(over, key)
		case isTable && ownIsTable:
			c.tables(table, ownTable, join(prefix, key), isDependency(ch, key))
		case isTable && own != nil:
			c.warn("%s: the chart has no map here, so that its %v is dropped", join(prefix, key), own)
		}
	}
}

// tables fills over with what it lacks of own. With keepNulls, nulls of over stay for the dependency that they are meant for.
func (c *coalescer) tables(over, own map[string]any, prefix string, keepNulls bool) {
	for _, key := range slices.Sorted(maps.Keys(own)) {
		value, set := over[key]
		table, isTable := value.(map[string]any)
		ownTable, ownIsTable := own[key].(map[string]any)
		switch {
		case !set:
			over[key] = own[key]
		case value == nil && !keepNulls:
			delete(over, key)
		case isTable && ownIsTable:
			c.tables(table, ownTable, join(prefix, key), keepNulls)
		case ownIsTable && value != nil:
			c.warn("%s: the chart has a map here, which %v replaces", join(prefix, key), value)
		case isTable && own[key] != nil:
			c.warn("%s: the chart has no map here, so that its %v is dropped", join(prefix, key), own[key])
		}
	}
}

// globals copies the globals of a chart's values into those of a dependency.
func (c *coalescer) globals(into, from map[string]any, prefix string) {
	target, ok := tableOf(into)
	if !ok {
		c.warn("%s: no map, so that it is skipped", join(prefix, globals))
		return
	}
	source, ok := tableOf(from)
	if !ok {
		c.warn("%s: no map, so that it is skipped", join(prefix, globals))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(source)) {
		c.global(target, key, source[key], prefix)
	}
	into[globals] = target
}

// global copies one global: a map is merged over the dependency's own, anything else replaces what is no map.
func (c *coalescer) global(target map[string]any, key string, value any, prefix string) {
	table, isTable := value.(map[string]any)
	own, set := target[key]
	ownTable, ownIsTable := own.(map[string]any)
	switch {
	case isTable && !set:
		target[key] = maps.Clone(table)
	case isTable && ownIsTable:
		merged := maps.Clone(table)
		c.tables(merged, ownTable, join(prefix, key), true)
		target[key] = merged
	case isTable || ownIsTable:
		c.warn("%s.%s: a map and a plain value meet, so that it is skipped", join(prefix, globals), key)
	default:
		target[key] = value
	}
}

// tableOf returns the globals of values; ok is false where they are no map.
func tableOf(values map[string]any) (table map[string]any, ok bool) {
	value, set := values[globals]
	if !set {
		return map[string]any{}, true
	}
	table, ok = value.(map[string]any)
	return table, ok
}

func isDependency(ch *chart.Chart, name string) bool {
	return slices.ContainsFunc(ch.Dependencies(), func(d *chart.Chart) bool { return d.Name() == name })
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}
