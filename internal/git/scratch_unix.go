//go:build unix

package git

import (
	"os"
	"syscall"
)

// claim holds a folder as long as this process lives: the kernel gives the lock back, however the process ends. It returns nil on a
// file system without locks, where nobody takes the folder for abandoned either.
func claim(dir string) *os.File { return lock(dir, syscall.LOCK_EX) }

// abandoned holds a folder of this user whose process is gone, for removing; else it returns nil.
func abandoned(dir string) *os.File {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Getuid() {
		return nil
	}
	return lock(dir, syscall.LOCK_EX|syscall.LOCK_NB)
}

func lock(dir string, how int) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		_ = f.Close()
		return nil
	}
	return f
}
