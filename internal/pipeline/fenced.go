package pipeline

import (
	"context"
	"fmt"
	"io/fs"
)

// maxFile is how large a file of a folder that is proven may be: a manifest, a chart's file or values.
const maxFile = 100 << 20

// fenced is a folder of which nothing is opened but folders and files of a sensible size: reading a pipe or a device never ends.
// Once the context ends, nothing is opened any more.
type fenced struct {
	ctx context.Context
	fs.FS
}

// Open opens a file or a folder.
func (g fenced) Open(name string) (fs.File, error) {
	info, err := fs.Stat(g.FS, name)
	switch {
	case g.ctx.Err() != nil:
		return nil, context.Cause(g.ctx)
	case err != nil:
		return nil, err
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is no regular file (%s)", info.Mode().Type())}
	case info.Size() > maxFile && !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is larger than %d MiB", maxFile>>20)}
	}
	return g.FS.Open(name)
}

// Stat follows links, as far as they lead inside the folder. It opens nothing.
func (g fenced) Stat(name string) (fs.FileInfo, error) { return fs.Stat(g.FS, name) }
