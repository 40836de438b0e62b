package environment

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// mistakeCase is one block of testdata/mistakes.txt: changes to the sample, and the messages that they bring.
//
//	# title
//	@ file            the file that the changes below are made in; @@ file replaces it whole, @- file removes it
//	- old text        a line without its new text is taken out; several lines of each are one change
//	+ new text
//	> message
type mistakeCase struct {
	title   string
	lines   []string // as read, without messages
	wanted  []string
	changes []change
}

// change replaces old by new in a file.
type change struct {
	file          string
	whole, remove bool
	old, new      []string
}

// parseMistakes reads the blocks of testdata/mistakes.txt.
func parseMistakes(t *testing.T, text string) []*mistakeCase {
	t.Helper()
	var cases []*mistakeCase
	var current *mistakeCase
	last := byte(0)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		kind, rest := line[0], strings.TrimPrefix(line[1:], " ")
		if kind == '#' {
			current = &mistakeCase{title: rest}
			cases = append(cases, current)
		}
		if kind == '>' {
			current.wanted = append(current.wanted, rest)
			continue
		}
		current.lines = append(current.lines, line)
		if kind == '@' {
			name := strings.TrimSpace(strings.TrimLeft(rest, "@- "))
			current.changes = append(current.changes, change{file: name, whole: rest[0] == '@', remove: rest[0] == '-'})
		}
		if kind == '-' && last == '+' {
			current.changes = append(current.changes, change{file: current.changes[len(current.changes)-1].file})
		}
		if kind == '-' || kind == '+' {
			c := &current.changes[len(current.changes)-1]
			if kind == '-' {
				c.old = append(c.old, rest)
			} else {
				c.new = append(c.new, rest)
			}
		}
		last = kind
	}
	return cases
}

// model is the sample with the changes made. Escapes for bytes that a text file should not hold are replaced.
func (m *mistakeCase) model(t *testing.T) fstest.MapFS {
	t.Helper()
	fsys := folder(sample)
	raw := strings.NewReplacer(`\t`, "\t", `\x00`, "\x00", `\xff`, "\xff")
	for _, c := range m.changes {
		oldText, newText := strings.Join(c.old, "\n"), raw.Replace(strings.Join(c.new, "\n"))
		switch {
		case c.remove:
			delete(fsys, c.file)
		case c.whole:
			if newText != "" {
				newText += "\n"
			}
			fsys[c.file] = &fstest.MapFile{Data: []byte(newText)}
		default:
			before := string(fsys[c.file].Data)
			if !strings.Contains(before, oldText) {
				t.Fatalf("%s does not hold %q", c.file, oldText)
			}
			fsys[c.file].Data = []byte(strings.Replace(before, oldText, newText, 1))
		}
	}
	return fsys
}

// TestMistakes holds every kind of mistake against its message.
func TestMistakes(t *testing.T) {
	const file = "testdata/mistakes.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := parseMistakes(t, string(text))
	var written strings.Builder
	for _, c := range cases {
		t.Run(c.title, func(t *testing.T) {
			got := mistakesOf(t, c.model(t), Options{Known: known, ToolVersion: "0.3.1"})
			if diff := cmp.Diff(c.wanted, got); diff != "" && !*update {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			written.WriteString(strings.Join(c.lines, "\n") + "\n> " + strings.Join(got, "\n> ") + "\n\n")
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
