package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// WriteProofMermaid writes proofs as a flowchart: for each lane its waves from left to right, and below them the chains that hang.
func WriteProofMermaid(out io.Writer, list []pipeline.Proved) error {
	c := &chart{}
	c.line("flowchart TB")
	for _, p := range list {
		c.proof(newProofView(p))
	}
	c.classes()
	_, err := io.WriteString(out, manifest.VisibleLines(c.text.String()))
	return err
}

// chart is a flowchart that is being written.
type chart struct {
	text   strings.Builder
	nodes  int
	groups int
	toned  map[string][]string // class to nodes
}

func (c *chart) line(format string, args ...any) { fmt.Fprintf(&c.text, format+"\n", args...) }

// node writes a box and returns its name.
func (c *chart) node(tone string, lines ...string) string {
	c.nodes++
	name := fmt.Sprintf("n%d", c.nodes)
	for i, line := range lines {
		lines[i] = mermaidText(line)
	}
	c.line("    %s[\"%s\"]", name, strings.Join(lines, "<br/>"))
	if c.toned == nil {
		c.toned = map[string][]string{}
	}
	c.toned[tone] = append(c.toned[tone], name)
	return name
}

// group opens a subgraph; a line "end" closes it.
func (c *chart) group(title, direction string) {
	c.groups++
	c.line("  subgraph g%d[\"%s\"]", c.groups, mermaidText(title))
	c.line("    direction %s", direction)
}

func (c *chart) proof(v proofView) {
	c.group(v.Name+": "+v.Verdict, "TB")
	for i, h := range append(slices.Clone(v.Hangs), v.Unknown...) {
		if i < maxChains {
			c.hang(h)
		}
	}
	for _, l := range v.Lanes {
		c.lane(l)
	}
	c.line("  end")
}

// maxChains bounds the chains of a flowchart: a picture with more is not read.
const maxChains = 8

func (c *chart) lane(l laneView) {
	c.group("Application "+l.Name+" over time", "LR")
	var before string
	var gate gateView
	for _, column := range l.Columns {
		lines := []string{column.Title + map[string]string{"passed": ": passes", "stopped": ": hangs here", "not-reached": ": never reached"}[column.State]}
		for _, card := range column.Cards {
			lines = append(lines, card.Name+" "+card.Verdict)
		}
		if column.More > 0 {
			lines = append(lines, fmt.Sprintf("other objects: %d", column.More))
		}
		tone := map[string]string{"passed": "good", "stopped": "bad", "not-reached": "dim"}[column.State]
		name := c.node(tone, lines...)
		if before != "" {
			c.line("    %s %s %s", before, gateArrow(gate), name)
		}
		before, gate = name, column.Gate
	}
	c.line("  end")
}

// gateArrow is the arrow from one wave to the next: dotted where nothing is waited for, crossed where it never goes on.
func gateArrow(g gateView) string {
	switch {
	case len(g.Never) > 0:
		return "--x|\"" + mermaidText(g.Never[0]+" never gets there") + "\"|"
	case g.Waits == 0:
		return "-.->|\"waits for nothing\"|"
	}
	if g.Beyond {
		return fmt.Sprintf("-.->|\"would wait for %d healthy\"|", g.Waits)
	}
	return fmt.Sprintf("-->|\"waits for %d healthy\"|", g.Waits)
}

func (c *chart) hang(h hangView) {
	c.group(h.Verdict+": "+few(h.Apps), "LR")
	var names []string
	for _, l := range h.Links {
		lines := []string{l.Text}
		if l.Name != "" {
			lines = []string{l.Place, l.Kind + " " + l.Name, l.Text}
		}
		names = append(names, c.node(h.Tone, lines...))
	}
	for i := 1; i < len(names); i++ {
		c.line("    %s ==> %s", names[i-1], names[i])
	}
	if h.Cure != "" {
		c.line("    %s -.-> %s", names[len(names)-1], c.node("good", "cure: "+h.Cure))
	}
	c.line("  end")
}

func (c *chart) classes() {
	for _, class := range []struct{ name, style string }{
		{"good", "fill:#e6f5ec,stroke:#1a7f4b,color:#1c2430"},
		{"warn", "fill:#fff6dd,stroke:#9a6700,color:#1c2430"},
		{"bad", "fill:#fdebec,stroke:#c0272d,color:#1c2430,stroke-width:2px"},
		{"unknown", "fill:#eeebfb,stroke:#5b4bb7,color:#1c2430"},
		{"dim", "fill:#f4f6f9,stroke:#9aa7b8,color:#5d6878,stroke-dasharray:4 3"},
	} {
		if nodes := c.toned[class.name]; len(nodes) > 0 {
			c.line("  classDef %s %s", class.name, class.style)
			c.line("  class %s %s", strings.Join(slices.Clone(nodes), ","), class.name)
		}
	}
}

// mermaidText writes a text that no flowchart takes for its own signs, or for markup (mermaid docs, entity codes).
func mermaidText(text string) string {
	return strings.NewReplacer("#", "#35;", "&", "#amp;", "\"", "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ", "\r", " ", "[", "#91;", "]", "#93;",
		"{", "#123;", "}", "#125;", "|", "#124;", "\\", "#92;", "%%", "#37;#37;").Replace(text)
}

// few names the first of many.
func few(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
