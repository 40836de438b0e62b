package report

import (
	"fmt"
	"io"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Print writes a text for people, as fmt.Fprintf does, in which no argument moves a terminal or begins a line of its own: names, image
// references and messages come from other people's files and servers.
func Print(w io.Writer, format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			shown[i] = manifest.Visible(v)
		case error:
			shown[i] = manifest.Visible(v.Error())
		case fmt.Stringer:
			shown[i] = manifest.Visible(v.String())
		default:
			shown[i] = arg
		}
	}
	fmt.Fprintf(w, format, shown...)
}
