package main

import (
	"errors"
	"fmt"
	"io"
)

// results is where results are printed. It keeps its first error, so that a full disk is no success although most prints are not
// looked at one by one. A stdout that is closed (`>&-`) is none of them: before main, Go opens /dev/null in its place, and who sends
// results there may.
type results struct {
	to  io.Writer
	err error
}

func (r *results) Write(data []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.to.Write(data)
	r.err = err
	return n, err
}

// outcome is how a command ended: what could not be printed is an error, whatever else came of it.
func (r *results) outcome(code int, err error) (int, error) {
	if r.err == nil {
		return code, err
	}
	wrote := fmt.Errorf("writing the results: %w", r.err)
	if err == nil || errors.Is(err, r.err) {
		return exitError, wrote
	}
	return exitError, errors.Join(err, wrote)
}
