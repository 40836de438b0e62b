//go:build unix

package tree

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock takes the kernel's lock on the folder itself: no lock file is left over by whoever is killed.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("locking the output folder: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK) {
		return nil, nil // a network file system without locks
	}
	return nil, fmt.Errorf("locking the output folder: %w", err)
}
