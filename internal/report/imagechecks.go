package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// ImageCheck is what was seen of one image, for programs.
type ImageCheck struct {
	Reference    string          `json:"reference"`
	Mirror       string          `json:"mirror"`
	Verdict      image.Verdict   `json:"verdict,omitempty"`
	Outcome      image.Outcome   `json:"outcome"`
	Message      string          `json:"message"`
	Environments []string        `json:"environments,omitempty"`
	Evidence     *image.Evidence `json:"evidence,omitempty"`
	Fix          []string        `json:"fix,omitempty"`
	Notes        []string        `json:"notes,omitempty"`
}

// removed is the outcome of an entry that no environment names any more.
const removed image.Outcome = "removed"

// ImageChecks prints what was seen of each image, and the entries that nobody names any more. Text groups many images of one cause into
// one line, unless it is to be verbose.
func ImageChecks(w io.Writer, checks []pipeline.ImageCheck, gone []image.Entry, style Style) error {
	if style.Format == "json" {
		return WriteJSON(w, NewImageChecks(checks, gone))
	}
	counts := map[image.Outcome]int{}
	var shown []pipeline.ImageCheck
	for _, c := range checks {
		counts[c.Outcome]++
		if c.Outcome != image.Unchanged || c.Result.Verdict != image.Same || style.Verbose {
			shown = append(shown, c)
		}
	}
	for _, group := range causes(shown, style) {
		if len(group) > pipeline.Few {
			writeCause(w, group)
			continue
		}
		for _, c := range group {
			writeCheck(w, c)
		}
	}
	for _, entry := range gone {
		Print(w, "%-9s  %s at %s: no environment names it\n", removed, entry.Source, entry.Place)
	}
	if style.Brief {
		return nil
	}
	counts[removed] = len(gone)
	var parts []string
	for _, outcome := range []image.Outcome{image.Added, image.Renewed, image.Unchanged, image.Kept, image.Refused, image.Unproven, removed} {
		if counts[outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[outcome], outcome))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no mirror covers any")
	}
	Print(w, "%d images: %s\n", len(checks), strings.Join(parts, ", "))
	return nil
}

// NewImageChecks is what was seen of each image, and the entries that nobody names any more.
func NewImageChecks(checks []pipeline.ImageCheck, gone []image.Entry) []ImageCheck {
	rows := []ImageCheck{}
	for _, c := range checks {
		r := c.Result
		rows = append(rows, ImageCheck{r.Request.Ref.String(), r.Request.Target.Key(), r.Verdict, c.Outcome, c.Message, c.Environments, &r.Evidence, r.Fix, r.Notes})
	}
	for _, entry := range gone {
		rows = append(rows, ImageCheck{Reference: entry.Source.String(), Mirror: entry.Place, Outcome: removed, Message: "no environment names it"})
	}
	return rows
}

// cause is what many images may share.
type cause struct {
	outcome image.Outcome
	verdict image.Verdict
	why     string
}

// causes puts checks of one cause together, in the order of their first; a check whose reason is its own stands alone.
func causes(checks []pipeline.ImageCheck, style Style) [][]pipeline.ImageCheck {
	var out [][]pipeline.ImageCheck
	at := map[cause]int{}
	for _, c := range checks {
		key := cause{c.Outcome, c.Result.Verdict, c.Result.Cause}
		i, ok := at[key]
		if key.why == "" || style.Verbose || !ok {
			at[key] = len(out)
			out = append(out, []pipeline.ImageCheck{c})
			continue
		}
		out[i] = append(out[i], c)
	}
	return out
}

// writeCause prints many images of one cause.
func writeCause(w io.Writer, group []pipeline.ImageCheck) {
	first := group[0]
	Print(w, "%-9s  %-10s  %d images: %s\n", first.Outcome, first.Result.Verdict, len(group), first.Result.Cause)
	names := make([]string, len(group))
	var environments []string
	for i, c := range group {
		names[i] = c.Result.Request.Ref.String()
		environments = append(environments, c.Environments...)
	}
	Print(w, "    %s", pipeline.SomeOf(names))
	slices.Sort(environments)
	if environments = slices.Compact(environments); len(environments) > 0 {
		Print(w, " (%s)", pipeline.SomeOf(environments))
	}
	fmt.Fprint(w, "; --verbose prints each")
	if len(first.Result.Fix) > 0 {
		fmt.Fprint(w, " with the command that copies it")
	}
	fmt.Fprintln(w)
}

// writeCheck prints one image.
func writeCheck(w io.Writer, c pipeline.ImageCheck) {
	r := c.Result
	Print(w, "%-9s  %-10s  %s at %s", c.Outcome, r.Verdict, r.Request.Ref, r.Request.Target.Key())
	if len(c.Environments) > 0 {
		Print(w, " (%s)", pipeline.SomeOf(c.Environments))
	}
	fmt.Fprintln(w)
	if c.Outcome != image.Unchanged && c.Outcome != image.Added || r.Verdict != image.Same {
		Print(w, "    %s\n", c.Message)
	}
	for _, note := range r.Notes {
		Print(w, "    note: %s\n", note)
	}
	for i, fix := range r.Fix {
		if lead := "    copy it with all that belongs to it, and its digest: "; i == 0 {
			Print(w, "%s%s\n", lead, fix)
		} else {
			Print(w, "    or: %s\n", fix)
		}
	}
}
