package manifest

import "slices"

// Bundle is what one component adds to one environment: its name and its objects.
type Bundle struct {
	Name    string
	Objects []Object
}

// Filter turns one bundle into another and changes neither the bundle nor its objects.
type Filter func(Bundle) (Bundle, error)

// Sort orders objects by identity, in place; objects of one identity keep their order.
func Sort(objects []Object) {
	slices.SortStableFunc(objects, func(a, b Object) int { return a.ID().Compare(b.ID()) })
}
