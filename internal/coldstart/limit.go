package coldstart

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// bounds are what one item of a LimitRange says of one resource.
type bounds struct{ least, most, ratio *resource.Quantity }

func boundsOf(item any, name string) bounds {
	return bounds{quantity(valueAt(item, "min", name)), quantity(valueAt(item, "max", name)), quantity(valueAt(item, "maxLimitRequestRatio", name))}
}

// outOfRange returns what pods state beyond what a LimitRange allows: each container, and all of a pod together, which must then state
// it (Kubernetes plugin/pkg/admission/limitranger).
func outOfRange(spec map[string]any, limits *node) []need {
	for _, item := range limits.task.Object.List("spec", "limits") {
		for _, name := range []string{"cpu", "memory"} {
			b, out := boundsOf(item, name), false
			switch valueAt(item, "type") {
			case "Container":
				for _, c := range containers(spec) {
					out = out || b.excludes(amount(c, [2]string{"requests", name}), quantity(valueAt(c, "resources", "limits", name)))
				}
			case "Pod":
				asked, limit := sums(spec, name)
				out = b.least != nil && asked == nil || b.most != nil && limit == nil || b.excludes(asked, limit)
			}
			if out {
				return []need{refuses("runs pods whose " + name + " is outside of what the LimitRange " + limits.id.Name + " allows")}
			}
		}
	}
	return nil
}

// excludes reports whether a request or a limit lies outside; what is not stated lies inside.
func (b bounds) excludes(asked, limit *resource.Quantity) bool {
	switch {
	case b.least != nil && asked != nil && asked.Cmp(*b.least) < 0, b.least != nil && limit != nil && limit.Cmp(*b.least) < 0:
		return true
	case b.most != nil && limit != nil && limit.Cmp(*b.most) > 0, b.most != nil && asked != nil && asked.Cmp(*b.most) > 0:
		return true
	}
	return b.ratio != nil && asked != nil && limit != nil && asked.MilliValue() > 0 &&
		limit.AsApproximateFloat64()/asked.AsApproximateFloat64() > b.ratio.AsApproximateFloat64()
}

// sums adds up what the containers of a pod request, and their limits; nil where one of them states nothing.
func sums(spec map[string]any, name string) (asked, limit *resource.Quantity) {
	asked, limit = &resource.Quantity{}, &resource.Quantity{}
	for _, c := range listOf(spec, "containers") {
		if one := amount(c, [2]string{"requests", name}); asked != nil && one != nil {
			asked.Add(*one)
		} else {
			asked = nil
		}
		if one := quantity(valueAt(c, "resources", "limits", name)); limit != nil && one != nil {
			limit.Add(*one)
		} else {
			limit = nil
		}
	}
	return asked, limit
}

// claimed returns why a LimitRange refuses a claim that asks for too much or too little.
func (w *world) claimed(n *node) []need {
	if n.id.Group != "" || n.id.Kind != "PersistentVolumeClaim" {
		return nil
	}
	asked := quantity(n.task.Object.Get("spec", "resources", "requests", "storage"))
	for _, limits := range w.limits[n.key(n.id.Namespace)] {
		if !w.stands(limits, n) {
			continue
		}
		for _, item := range limits.task.Object.List("spec", "limits") {
			if valueAt(item, "type") == "PersistentVolumeClaim" && boundsOf(item, "storage").excludes(asked, nil) {
				return []need{refuses("asks for storage outside of what the LimitRange " + limits.id.Name + " allows")}
			}
		}
	}
	return nil
}
