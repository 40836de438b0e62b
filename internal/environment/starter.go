package environment

import (
	"embed"
	"io/fs"
)

//go:embed all:starter
var starterFiles embed.FS

// Starter returns the files that a new model begins with: commented, with the charts as their projects publish them, and
// schema.json, which the files name for editors.
func Starter() fs.FS {
	sub, err := fs.Sub(starterFiles, "starter")
	if err != nil {
		panic("the starter is embedded: " + err.Error())
	}
	return sub
}
