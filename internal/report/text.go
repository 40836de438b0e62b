package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// WriteSummary prints the summary of a diff, for people.
func WriteSummary(w io.Writer, s Summary) {
	if len(s.Differences) == 0 {
		fmt.Fprintln(w, "no change")
		return
	}
	for _, c := range s.Counts {
		Print(w, "%s: %d added, %d changed, %d removed\n", c.Environment, c.Added, c.Changed, c.Removed)
	}
	section(w, "left behind", s.LeftBehind)
	section(w, "removed objects", s.Deletions)
	section(w, "fields that cannot change", s.Refused)
	section(w, "images", s.Images)
	section(w, "CRDs", s.CRDs)
	section(w, "RBAC", s.RBAC)
	section(w, "sync waves", s.Waves)
	section(w, "restarts", s.Restarts)
}

func section(w io.Writer, title string, lines []Line) {
	if len(lines) == 0 {
		return
	}
	Print(w, "\n%s\n", title)
	for _, line := range lines {
		mark := "  "
		if line.Mark {
			mark = "! "
		}
		Print(w, "%s%s  (%s)\n", mark, line.Text, strings.Join(line.Environments, ", "))
	}
}

// WriteDiff prints every difference as unified text, equal ones of many environments once.
func WriteDiff(w io.Writer, s Summary) {
	for _, d := range s.Differences {
		from, to := "a/"+d.Path, "b/"+d.Path
		if d.Before == nil {
			from = "/dev/null"
		}
		if d.After == nil {
			to = "/dev/null"
		}
		Print(w, "\n== %s: %s %s\n", strings.Join(d.Environments, ", "), d.Path, d.Kind)
		fmt.Fprint(w, manifest.VisibleLines(udiff.Unified(manifest.Visible(from), manifest.Visible(to), string(d.Before), string(d.After))))
	}
}
