package main

import (
	"errors"
	"fmt"
)

// Exit codes, as the README and `gen help` list them.
const (
	exitDone    = 0
	exitError   = 1 // something is wrong with the input or the machine
	exitDiffers = 2 // check, diff --exit-code: the output is not what the model renders
	exitRefused = 3 // a guard refused: an image not proven, the deletion budget, a plain Secret
	exitNoStart = 4 // prove: the cluster cannot be built from nothing
	exitUnknown = 5 // prove, images verify: could not tell
)

// exitCodes is the table that the README and help print.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitDone, "done"},
	{exitError, "error: the message says what to do next"},
	{exitDiffers, "the output differs (check, diff --exit-code)"},
	{exitRefused, "a guard refused (image not proven, deletion budget, plain Secret)"},
	{exitNoStart, "no cold start (prove)"},
	{exitUnknown, "could not tell: the proof (prove), or a registry that did not answer (images verify)"},
}

// exit is an error with an exit code of its own. A nil err says that all has been printed.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// codeOf returns the exit code of a command's error, and what is left to print.
func codeOf(err error) (int, error) {
	if err == nil {
		return exitDone, nil
	}
	var e exit
	if errors.As(err, &e) {
		return e.code, e.err
	}
	return exitError, err
}
