package pipeline

import "strings"

// within is an error of one component of an environment. Each of its lines names them, so that no line of a joined error has to be
// read together with the one before; lines that are indented belong to the line above.
type within struct {
	where string // "lab/cilium"
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
