package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nameRule says what is wrong with a name, as Kubernetes words it; nothing where it is right.
type nameRule func(name string) []string

// nameRules are the kinds whose names Kubernetes judges in another way than it judges most: a DNS subdomain. The source is each
// kind's validation in k8s.io/kubernetes/pkg/apis/*/validation (1.34) and pkg/registry; "*" stands for every kind of a group.
// Custom resources are DNS subdomains: apiextensions-apiserver, pkg/registry/customresource/validator.go.
var nameRules = map[groupKind]nameRule{
	{"", "ComponentStatus"}: path.IsValidPathSegmentName,
	{"", "Namespace"}:       validation.IsDNS1123Label,
	// Since 1.34 a Service may begin with a digit (RelaxedServiceNameValidation); before, it may not.
	{"", "Service"}:                    validation.IsDNS1123Label,
	{"apiregistration.k8s.io", "*"}:    path.IsValidPathSegmentName,
	{"apps", "StatefulSet"}:            validation.IsDNS1123Label,
	{"batch", "CronJob"}:               cronJobName,
	{"certificates.k8s.io", "*"}:       path.IsValidPathSegmentName,
	{"coordination.k8s.io", "*"}:       path.IsValidPathSegmentName,
	{"internal.apiserver.k8s.io", "*"}: path.IsValidPathSegmentName,
	{"networking.k8s.io", "IPAddress"}: path.IsValidPathSegmentName, // fd00::1
	{"policy", "PodDisruptionBudget"}:  path.IsValidPathSegmentName,
	{"rbac.authorization.k8s.io", "*"}: path.IsValidPathSegmentName, // system:node
	{"authentication.k8s.io", "*"}:     path.IsValidPathSegmentName,
	{"authorization.k8s.io", "*"}:      path.IsValidPathSegmentName,
}

// longestCronJob leaves room for what the controller appends to the names of its Jobs.
const longestCronJob = 52

func cronJobName(name string) []string {
	problems := validation.IsDNS1123Subdomain(name)
	if len(name) > longestCronJob {
		problems = append(problems, fmt.Sprintf("must be no more than %d characters", longestCronJob))
	}
	return problems
}

// NameProblems says why the API server would refuse the object's name and namespace, in its own words; nothing where it would
// not. What serves the kind decides: Kubernetes itself, a CustomResourceDefinition (custom), or, where neither is known to, an
// API server of somebody's own, which may have any rule beyond that a name is one segment of a URL's path.
func NameProblems(id ID, custom bool) []string {
	var problems []string
	for _, problem := range ruleOf(id, custom)(id.Name) {
		problems = append(problems, fmt.Sprintf("metadata.name: %.80q: %s", id.Name, problem))
	}
	if id.Namespace != "" {
		for _, problem := range validation.IsDNS1123Label(id.Namespace) {
			problems = append(problems, fmt.Sprintf("metadata.namespace: %.80q: %s", id.Namespace, problem))
		}
	}
	return problems
}

func ruleOf(id ID, custom bool) nameRule {
	if rule, ok := nameRules[groupKind{id.Group, id.Kind}]; ok {
		return rule
	}
	if rule, ok := nameRules[groupKind{id.Group, "*"}]; ok && !custom {
		return rule
	}
	if custom || Builtin(id.Group, id.Kind) {
		return validation.IsDNS1123Subdomain
	}
	return path.IsValidPathSegmentName
}
