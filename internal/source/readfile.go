package source

import (
	"fmt"
	"io/fs"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// maxFile is how large a file may be that is read here: Argo CD takes 100 MB of manifests for all of an Application
// (reposerver.max.combined.directory.manifests.size is 10 MB).
const maxFile = 100 << 20

// readFile reads a file of the folder. What is no file (a pipe, a device) and what is larger than any manifest is an error: reading it
// might never end.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	shown := manifest.Visible(name)
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading %s: it is no regular file", shown)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("reading %s: it has %d bytes, and %d is the limit", shown, info.Size(), maxFile)
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	return data, nil
}
