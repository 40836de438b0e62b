package git

import (
	"fmt"
	"os"
	"path/filepath"
)

// scratchPrefix begins the names of the folders for indexes and clones that live as long as one act.
const scratchPrefix = "gen-scratch-"

// scratch makes a folder for one act, and removes those that runs which were killed left behind. The caller calls done.
func scratch() (dir string, done func(), err error) {
	sweep()
	for {
		dir, err := os.MkdirTemp("", scratchPrefix)
		if err != nil {
			return "", nil, fmt.Errorf("making a folder for git to work in: %w", err)
		}
		held := claim(dir)
		done := func() {
			_ = os.RemoveAll(dir)
			_ = held.Close() // of a nil file that is an error, and no more
		}
		if _, err := os.Lstat(dir); err == nil {
			return dir, done, nil
		}
		done() // another run has swept it between the two
	}
}

// sweep removes the folders that nobody holds. What cannot be removed is left: it is in nobody's way.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*"))
	for _, dir := range dirs {
		if held := abandoned(dir); held != nil {
			_ = os.RemoveAll(dir)
			_ = held.Close()
		}
	}
}
