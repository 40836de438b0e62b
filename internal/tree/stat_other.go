//go:build !linux && !darwin

package tree

import "io/fs"

// stampOf knows size and time alone: enough for editors and git, which set the time, not for a program that resets it.
func stampOf(info fs.FileInfo) stamp {
	return stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
}
