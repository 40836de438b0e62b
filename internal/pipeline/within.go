package pipeline

import (
	"fmt"
	"strings"
)

// maxNamed is how many environments an error names.
const maxNamed = 6

// met is an error and where it was met: in a component of an environment, or, without a component, in the environment.
type met struct {
	environment, component string
	err                    error // nil where all went well
}

// placed says of each error where it was met: what is wrong in many environments alike is one error.
func placed(all []met) []error {
	type wrong struct{ component, text string }
	var order []wrong
	first := map[wrong]error{}
	environments := map[wrong][]string{}
	for _, m := range all {
		if m.err == nil {
			continue
		}
		w := wrong{m.component, m.err.Error()}
		if first[w] == nil {
			order, first[w] = append(order, w), m.err
		}
		environments[w] = append(environments[w], m.environment)
	}
	var errs []error
	for _, w := range order {
		where := named(environments[w])
		if w.component != "" {
			where += "/" + w.component
		}
		errs = append(errs, within{where, first[w]})
	}
	return errs
}

// named joins names, and counts those that are too many.
func named(names []string) string {
	if more := len(names) - maxNamed; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ","), more)
	}
	return strings.Join(names, ",")
}

// within is an error of an environment or of a component in it. Each of its lines names them, so that no line of a joined error has
// to be read together with the one before; lines that are indented belong to the line above, and some name the place themselves.
type within struct {
	where string // "lab", "lab/cilium", "lab,prod/cilium"
	err   error
}

func (w within) Error() string {
	lines := strings.Split(w.err.Error(), "\n")
	for i, line := range lines {
		named := strings.HasPrefix(line, w.where+"/") || strings.HasPrefix(line, w.where+": ")
		if !named && (i == 0 || line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t")) {
			lines[i] = w.where + ": " + line
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the error without its place.
func (w within) Unwrap() error { return w.err }
