package coldstart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/argocd"
	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/needs"
)

// misnamed says why no API server takes an object under its name. An object that leaves its name to the server is another matter.
func (w *world) misnamed(n *node) string {
	o := n.task.Object
	name := o.Get("metadata", "name")
	_, isText := name.(string)
	switch {
	case name != nil && !isText:
		return fmt.Sprintf("has a name that is no string: %v", name)
	case n.id.Name == "" && o.String("metadata", "generateName") == "":
		return "has no name"
	case n.id.Name == "":
		return ""
	}
	if problems := manifest.NameProblems(n.id, w.definitions[n.key(dotted(n.id))] != nil); len(problems) > 0 {
		return "has a name that the API server refuses: " + strings.Join(problems, "; ")
	}
	return ""
}

// misshapen says why no API server decodes an object of one of Kubernetes' own kinds: a field which people write by hand, or a template
// without quotes, is of another type (k8s.io/api; an API server refuses the whole object).
func misshapen(o manifest.Object) string {
	id := o.ID()
	switch {
	case id.Group == "" && (id.Kind == "ConfigMap" || id.Kind == "Secret"):
		for _, field := range []string{"data", "stringData", "binaryData"} {
			if why := allText(o.Get(field), field); why != "" {
				return why
			}
		}
	case needs.PodSpec(o) != nil:
		if why := whole(o.Get("spec", "replicas"), "spec.replicas"); why != "" {
			return why
		}
		for _, c := range containers(needs.PodSpec(o)) {
			if why := misshapenContainer(c); why != "" {
				return why
			}
		}
	}
	return ""
}

func misshapenContainer(c any) string {
	name := textAt(c, "name")
	for _, field := range []string{"name", "image"} {
		if why := text(valueAt(c, field), "containers."+field); why != "" {
			return why
		}
	}
	for _, item := range listOf(c, "env") {
		variable := textAt(item, "name")
		if why := text(valueAt(item, "value"), "the variable "+variable+" of container "+name); why != "" {
			return why
		}
	}
	for _, item := range listOf(c, "ports") {
		if why := whole(valueAt(item, "containerPort"), "containerPort of container "+name); why != "" {
			return why
		}
	}
	for _, field := range []string{"command", "args"} {
		for _, item := range listOf(c, field) {
			if why := text(item, field+" of container "+name); why != "" {
				return why
			}
		}
	}
	return ""
}

func allText(value any, field string) string {
	fields, ok := value.(map[string]any)
	if value != nil && !ok {
		return fmt.Sprintf("is refused: %s is no map", field)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if why := text(fields[key], field+"."+key); why != "" {
			return why
		}
	}
	return ""
}

func text(value any, field string) string {
	if _, ok := value.(string); value == nil || ok {
		return ""
	}
	return fmt.Sprintf("is refused: %s is %v, and must be a string", field, value)
}

func whole(value any, field string) string {
	number, isFloat := value.(float64)
	if _, ok := value.(int64); value == nil || ok || isFloat && number == float64(int64(number)) {
		return ""
	}
	return fmt.Sprintf("is refused: %s is %v, and must be a whole number", field, value)
}

// unfit says why the API server refuses an object whatever else there is.
func (w *world) unfit(n *node) []string {
	if len(argocd.Phases(n.task.Object)) == 0 || n == n.app.maker {
		return nil
	}
	return []string{w.misnamed(n), misshapen(n.task.Object)}
}
