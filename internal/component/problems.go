package component

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// problems gathers mistakes, so that one run shows them all.
type problems []error

// add notes a mistake in a field of a component: what is wrong, why, and what to do.
func (p *problems) add(at environment.Origin, field, format string, args ...any) {
	*p = append(*p, environment.Mistake{Origin: at, Field: field, Message: fmt.Sprintf(format, args...)})
}

// addAll notes each error that err joins.
func (p *problems) addAll(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			p.addAll(each)
		}
		return
	}
	*p = append(*p, err)
}

// join returns all mistakes as one error, each once, ordered by place and then by text, or nil. What is no mistake of the
// model has no place, and comes first.
func (p problems) join() error {
	slices.SortStableFunc(p, compare)
	return errors.Join(slices.CompactFunc(p, func(a, b error) bool { return compare(a, b) == 0 })...)
}

func compare(a, b error) int {
	var x, y environment.Mistake
	errors.As(a, &x)
	errors.As(b, &y)
	return cmp.Or(x.Origin.Compare(y.Origin), cmp.Compare(a.Error(), b.Error()))
}
