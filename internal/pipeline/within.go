package pipeline

import (
	"errors"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
)

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

// fromRoot names the files of a model's mistakes as they are named from the root, where people and terminals open them.
func fromRoot(err error) error {
	var mistakes environment.Mistakes
	if !errors.As(err, &mistakes) {
		return err
	}
	out := make(environment.Mistakes, len(mistakes))
	for i, m := range mistakes {
		if m.Origin.File != "" && !strings.HasPrefix(m.Origin.File, ModelDir+"/") { // a loader that knows its folder says so itself
			m.Origin.File = ModelDir + "/" + m.Origin.File
		}
		out[i] = m
	}
	return out
}
