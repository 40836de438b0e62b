package coldstart

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/coldstart-gitops/gen/internal/needs"
)

// podsRefused returns why the API server refuses the pods of a workload: a level of Pod Security, a quota, a limit. The workload
// itself is applied all the same.
func (w *world) podsRefused(n *node) []need {
	spec := needs.PodSpec(n.task.Object)
	if spec == nil || n.id.Kind == "CronJob" {
		return nil
	}
	list := w.insecure(n)
	for _, quota := range w.quotas[n.key(n.id.Namespace)] {
		if scoped(quota, n) && w.mayHold(quota, n) {
			list = append(list, w.unstated(n, spec, quota)...)
			list = append(list, w.exceeded(n, quota)...)
		}
	}
	for _, limits := range w.limits[n.key(n.id.Namespace)] {
		if w.mayHold(limits, n) {
			list = append(list, outOfRange(spec, limits)...)
		}
	}
	return list
}

// computed are the resources of a quota that every container must state (Kubernetes docs, resource quotas), with where.
var computed = map[string][2]string{
	"cpu": {"requests", "cpu"}, "requests.cpu": {"requests", "cpu"}, "limits.cpu": {"limits", "cpu"},
	"memory": {"requests", "memory"}, "requests.memory": {"requests", "memory"}, "limits.memory": {"limits", "memory"},
}

// unstated returns what the containers of a pod must state and do not, and which no LimitRange fills in. One that does may be
// late: then it is waited for.
func (w *world) unstated(n *node, spec map[string]any, quota *node) []need {
	for _, key := range slices.Sorted(maps.Keys(quota.task.Object.Map("spec", "hard"))) {
		at, ok := computed[key]
		if !ok || !slices.ContainsFunc(containers(spec), func(c any) bool { return amount(c, at) == nil }) {
			continue
		}
		why := "runs pods without " + at[0] + "." + at[1] + ", which the ResourceQuota " + quota.id.Name + " demands"
		for _, limits := range w.limits[n.key(n.id.Namespace)] {
			if fills(limits, at) {
				fact := needs.Fact{Type: needs.Exists, Kind: "LimitRange", Namespace: n.id.Namespace, Name: limits.id.Name}
				return []need{wants(fact, why)}
			}
		}
		return []need{refuses(why)}
	}
	return nil
}

func containers(spec map[string]any) []any {
	return append(slices.Clone(listOf(spec, "containers")), listOf(spec, "initContainers")...)
}

// amount returns what a container states of a resource; a limit stands for the request that is left out.
func amount(container any, at [2]string) *resource.Quantity {
	value := valueAt(container, "resources", at[0], at[1])
	if value == nil && at[0] == "requests" {
		value = valueAt(container, "resources", "limits", at[1])
	}
	return quantity(value)
}

func quantity(value any) *resource.Quantity {
	var q resource.Quantity
	switch v := value.(type) {
	case string:
		parsed, err := resource.ParseQuantity(v)
		if err != nil {
			return nil
		}
		q = parsed
	case int64:
		q = *resource.NewQuantity(v, resource.DecimalSI)
	case float64:
		q = *resource.NewMilliQuantity(int64(v*1000), resource.DecimalSI)
	default:
		return nil
	}
	return &q
}

// fills reports whether a LimitRange fills in what containers do not state.
func fills(limits *node, at [2]string) bool {
	for _, item := range limits.task.Object.List("spec", "limits") {
		fields := []string{"default", "max"}
		if at[0] == "requests" {
			fields = []string{"defaultRequest", "default", "max"}
		}
		for _, field := range fields {
			if valueAt(item, "type") == "Container" && valueAt(item, field, at[1]) != nil {
				return true
			}
		}
	}
	return false
}

// exceeded reports a quota that is used up before the pods of a workload are counted: workloads count in the order of Applications
// and steps, since nobody knows which comes first where they run side by side.
func (w *world) exceeded(n *node, quota *node) []need {
	hard := quota.task.Object.Map("spec", "hard")
	for _, key := range slices.Sorted(maps.Keys(hard)) {
		at, isComputed := computed[key]
		most := quantity(hard[key])
		if most == nil || !isComputed && key != "pods" && key != "count/pods" {
			continue
		}
		sum := resource.Quantity{}
		for _, other := range w.workloads[n.key(n.id.Namespace)] {
			if scoped(quota, other) {
				addPods(&sum, other, at, isComputed)
			}
			if other == n {
				break
			}
		}
		if sum.Cmp(*most) > 0 {
			return []need{refuses("runs pods for which the ResourceQuota " + quota.id.Name + " has no " + key + " left (" + most.String() + ")")}
		}
	}
	return nil
}

// addPods adds what the pods of a workload take.
func addPods(sum *resource.Quantity, n *node, at [2]string, isComputed bool) {
	pods := int64(1)
	if replicas, ok := n.task.Object.Get("spec", "replicas").(int64); ok {
		pods = max(replicas, 0)
	}
	if !isComputed {
		sum.Add(*resource.NewQuantity(pods, resource.DecimalSI))
		return
	}
	for _, c := range listOf(needs.PodSpec(n.task.Object), "containers") {
		if asked := amount(c, at); asked != nil {
			all := asked.DeepCopy()
			all.Mul(pods)
			sum.Add(all)
		}
	}
}

// counted returns why a quota on the number of objects refuses one more.
func (w *world) counted(n *node) []need {
	for _, quota := range w.quotas[n.key(n.id.Namespace)] {
		hard := quota.task.Object.Map("spec", "hard")
		for _, key := range slices.Sorted(maps.Keys(hard)) {
			most := quantity(hard[key])
			if most == nil || !counts(key, n) || !w.stands(quota, n) {
				continue
			}
			seen := int64(0)
			for _, other := range w.members[n.key(n.id.Namespace)] {
				if counts(key, other) {
					seen++
				}
				if other == n {
					break
				}
			}
			if most.CmpInt64(seen) < 0 {
				return []need{refuses("is one more than the ResourceQuota " + quota.id.Name + " allows of " + key + " (" + most.String() + ")")}
			}
		}
	}
	return nil
}

// counts reports whether a quota's key counts an object by number.
func counts(key string, n *node) bool {
	plural := needs.Plural(n.id.Kind)
	switch key {
	case "services", "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas":
		return n.id.Group == "" && plural == key
	case "services.loadbalancers":
		return n.id.Group == "" && n.id.Kind == "Service" && n.task.Object.String("spec", "type") == "LoadBalancer"
	}
	name, ok := strings.CutPrefix(key, "count/")
	if n.id.Group != "" {
		plural += "." + n.id.Group
	}
	return ok && name == plural
}
