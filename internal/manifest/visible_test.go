package manifest_test

import (
	"testing"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// TestVisible states which characters reach no terminal.
func TestVisible(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain ▸ ünïcode": {"plain ▸ ünïcode", "plain ▸ ünïcode"},
		"a\x1b[31m\a\x7f": {`a\x1b[31m\a\x7f`, `a\x1b[31m\a\x7f`},
		"a\r\n\tb":        {`a\r\n\tb`, `a\r` + "\n\tb"},
		"\u009b31m":       {`\u009b31m`, `\u009b31m`},
		"\u202eevil":      {`\u202eevil`, `\u202eevil`},
	} {
		if got := [2]string{manifest.Visible(text), manifest.VisibleLines(text)}; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
