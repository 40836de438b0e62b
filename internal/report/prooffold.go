package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/coldstart"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// tally counts the verdicts of a proof of several Applications, the worst first.
func tally(outcomes []coldstart.Outcome) string {
	count := map[coldstart.Verdict]int{}
	for _, o := range outcomes {
		count[o.Verdict]++
	}
	var parts []string
	for _, v := range []coldstart.Verdict{coldstart.Fails, coldstart.Deadlock, coldstart.Unhealthy, coldstart.Unknown, coldstart.Retry, coldstart.Proven} {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(parts, ", ")
}

// lack is what Applications have in common that lack one thing which nobody known brings; "" where that is not all there is to say.
func lack(o coldstart.Outcome) string {
	if o.Verdict != coldstart.Unknown || len(o.Chain) != 2 || o.Axiom == "" || o.Cure != "" {
		return ""
	}
	return o.Axiom + "\n" + o.Chain[1].Text
}

// likeness is what one paragraph is about: the cause, told in full, or what is lacking.
func likeness(o coldstart.Outcome, verbose bool) string {
	if text := lack(o); text != "" && !verbose {
		return text
	}
	if verbose || len(o.Chain) == 0 && o.Axiom == "" {
		return o.Application + "\n" + causeText(o) // of its own
	}
	return causeText(o)
}

// alikeText tells the cause of a paragraph by its first Application, and how many others want the same in another place.
func alikeText(group []coldstart.Outcome) string {
	text := causeText(group[0])
	others := 0
	for _, o := range group[1:] {
		if causeText(o) != text {
			others++
		}
	}
	if others > 0 {
		first, rest, _ := strings.Cut(text[len("UNKNOWN\n"):], "\n")
		text = fmt.Sprintf("UNKNOWN\n%s (and the like in %d more; -v shows all)\n%s", first, others, rest)
	}
	return text
}

// folded returns notes that say the same of many objects as one, which names the first.
func folded(notes []string) []string {
	var out []string
	for i, note := range notes {
		object, says := subject(note)
		same := func(other string) bool { _, text := subject(other); return object != "" && text == says }
		switch first := slices.IndexFunc(notes, same); {
		case object == "":
			out = append(out, note)
		case first == i:
			if n := howMany(notes, same); n > 1 {
				object += fmt.Sprintf(" (and %d more)", n-1)
			}
			out = append(out, object+" "+says)
		}
	}
	return out
}

func howMany(list []string, same func(string) bool) int {
	n := 0
	for _, item := range list {
		if same(item) {
			n++
		}
	}
	return n
}

// subject cuts the object off a note that begins with one: its kind and its name.
func subject(note string) (object, says string) {
	kind, rest, _ := strings.Cut(note, " ")
	name, says, ok := strings.Cut(rest, " ")
	if !ok || kind == "" || kind[0] < 'A' || kind[0] > 'Z' || !strings.ContainsAny(kind+name, "./") || strings.HasSuffix(kind, ":") {
		return "", note
	}
	return kind + " " + name, says
}

// nextStep says how to come to know what is UNKNOWN, where more than one thing is.
func nextStep(proof coldstart.Proof) string {
	if n := len(proof.Drafts); n > 1 {
		return fmt.Sprintf("  next: --write-given drafts the list `given:` of what would settle it (%d facts); what is not in the folder can be rendered into it\n", n)
	}
	return ""
}

// writeOutcomes writes how Applications end. Those which one cause stops alike, or which lack the same, are written as one.
func writeOutcomes(b *strings.Builder, outcomes []coldstart.Outcome, verbose bool) {
	alike := map[string][]coldstart.Outcome{}
	for _, o := range outcomes {
		alike[likeness(o, verbose)] = append(alike[likeness(o, verbose)], o)
	}
	for _, o := range outcomes {
		group := alike[likeness(o, verbose)]
		if group[0].Application != o.Application || o.Verdict == coldstart.Proven && len(o.Notes) == 0 && !verbose {
			continue // written with the first of its group, or nothing to say
		}
		var names []string
		for _, other := range group {
			names = append(names, other.Application)
		}
		fmt.Fprintf(b, "  %s: %s", manifest.Visible(strings.Join(names, ", ")), alikeText(group))
		writeNotes(b, group, verbose)
	}
}

// writeNotes writes the notes of Applications, each under its own name where there are several.
func writeNotes(b *strings.Builder, group []coldstart.Outcome, verbose bool) {
	for _, o := range group {
		whose, notes := "", o.Notes
		if len(group) > 1 {
			whose = o.Application + ": "
		}
		if !verbose {
			notes = folded(notes)
		}
		for _, note := range notes {
			fmt.Fprintf(b, "    note: %s\n", manifest.Visible(whose+note))
		}
	}
}
