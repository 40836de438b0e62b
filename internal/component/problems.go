package component

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/coldstart-gitops/gen/internal/environment"
)

// problem is one mistake and where in the model it stands.
type problem struct {
	at  environment.Origin
	err error
}

// problems gathers mistakes, so that one run shows them all.
type problems []problem

// add notes a mistake in a field of a component: what is wrong, why, and what to do.
func (p *problems) add(at environment.Origin, field, format string, args ...any) {
	*p = append(*p, problem{at, fmt.Errorf("%s: %s: %s", at, field, fmt.Sprintf(format, args...))})
}

// addAll notes each error that err joins, at the same place.
func (p *problems) addAll(at environment.Origin, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			p.addAll(at, each)
		}
		return
	}
	*p = append(*p, problem{at, err})
}

// join returns all mistakes as one error, ordered by place and then by text, or nil.
func (p problems) join() error {
	slices.SortStableFunc(p, func(a, b problem) int {
		return cmp.Or(
			cmp.Compare(a.at.File, b.at.File),
			cmp.Compare(a.at.Line, b.at.Line),
			cmp.Compare(a.at.Column, b.at.Column),
			cmp.Compare(a.err.Error(), b.err.Error()),
		)
	})
	errs := make([]error, len(p))
	for i, each := range p {
		errs[i] = each.err
	}
	return errors.Join(errs...)
}
