package pipeline

import (
	"fmt"
	"strings"
)

// maxNamed is how many environments an error names.
const maxNamed = 6

// placed says of each component's error where it was met: what is wrong in many environments alike is one error.
func placed(plans []Plan, problems [][]error) []error {
	type wrong struct{ component, text string }
	var order []wrong
	first := map[wrong]error{}
	environments := map[wrong][]string{}
	for p, plan := range plans {
		for c, err := range problems[p] {
			if err == nil {
				continue
			}
			w := wrong{plan.Components[c].Name, err.Error()}
			if first[w] == nil {
				order, first[w] = append(order, w), err
			}
			environments[w] = append(environments[w], plan.Environment.Name)
		}
	}
	var all []error
	for _, w := range order {
		all = append(all, within{named(environments[w]) + "/" + w.component, first[w]})
	}
	return all
}

// named joins names, and counts those that are too many.
func named(names []string) string {
	if more := len(names) - maxNamed; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ","), more)
	}
	return strings.Join(names, ",")
}

// within is an error of one component of an environment. Each of its lines names them, so that no line of a joined error has to be
// read together with the one before; lines that are indented belong to the line above.
type within struct {
	where string // "lab/cilium", "lab,prod/cilium"
	err   error
}

func (w within) Error() string {
	lines := strings.Split(w.err.Error(), "\n")
	for i, line := range lines {
		if i == 0 || line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			lines[i] = w.where + ": " + line
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the error without its place.
func (w within) Unwrap() error { return w.err }
