package coldstart

import (
	"slices"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// scoped reports whether a quota counts the pods of a workload: all of its scopes must match (Kubernetes docs, resource quotas, Quota
// scopes; pkg/quota/v1/evaluator/core/pods.go).
func scoped(quota, n *node) bool {
	spec := needs.PodSpec(n.task.Object)
	for _, scope := range textsOf(quota.task.Object.Fields(), "spec", "scopes") {
		if !inScope(spec, scope, "Exists", nil) {
			return false
		}
	}
	for _, expression := range quota.task.Object.List("spec", "scopeSelector", "matchExpressions") {
		scope := textAt(expression, "scopeName")
		operator := textAt(expression, "operator")
		if !inScope(spec, scope, operator, textsOf(expression, "values")) {
			return false
		}
	}
	return true
}

// inScope evaluates one scope for a pod.
func inScope(spec map[string]any, scope, operator string, values []string) bool {
	switch scope {
	case "Terminating":
		return spec["activeDeadlineSeconds"] != nil
	case "NotTerminating":
		return spec["activeDeadlineSeconds"] == nil
	case "BestEffort":
		return bestEffort(spec)
	case "NotBestEffort":
		return !bestEffort(spec)
	case "CrossNamespacePodAffinity":
		return crossesNamespaces(spec["affinity"])
	case "PriorityClass":
		class, _ := spec["priorityClassName"].(string)
		switch operator {
		case "In":
			return slices.Contains(values, class)
		case "NotIn":
			return !slices.Contains(values, class)
		case "DoesNotExist":
			return class == ""
		}
		return class != ""
	}
	return false // a scope that is not about pods
}

// bestEffort reports whether no container of a pod asks for anything.
func bestEffort(spec map[string]any) bool {
	return !slices.ContainsFunc(containers(spec), func(c any) bool {
		for _, field := range []string{"requests", "limits"} {
			for _, name := range []string{"cpu", "memory"} {
				if valueAt(c, "resources", field, name) != nil {
					return true
				}
			}
		}
		return false
	})
}

// crossesNamespaces reports whether a term of pod affinity names other namespaces.
func crossesNamespaces(at any) bool {
	switch v := at.(type) {
	case []any:
		return slices.ContainsFunc(v, crossesNamespaces)
	case map[string]any:
		if len(listOf(v, "namespaces")) > 0 || v["namespaceSelector"] != nil {
			return true
		}
		for _, value := range v {
			if crossesNamespaces(value) {
				return true
			}
		}
	}
	return false
}
