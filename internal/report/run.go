package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/coldstart-gitops/gen/internal/pipeline"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Run is what one run rendered and did, for people and for programs.
type Run struct {
	Environments []Environment `json:"environments"`
	Gone         []Gone        `json:"gone,omitempty"`
}

// Gone is an environment whose output went as a whole, since the model has it no longer.
type Gone struct {
	Name  string     `json:"name"`
	Files FileCounts `json:"files"`
}

// Environment is one environment of a run.
type Environment struct {
	Name    string      `json:"name"`
	Skipped bool        `json:"skipped,omitempty"` // no input changed: nothing was rendered
	Waves   []Wave      `json:"waves"`
	Objects int         `json:"objects"`
	Images  ImageCounts `json:"images"`
	Outside []string    `json:"outside,omitempty"` // the references outside every mirror, sorted
	Files   FileCounts  `json:"files"`
}

// Wave is one sync wave and the components that start in it, sorted.
type Wave struct {
	Wave       int         `json:"wave"`
	Components []Component `json:"components"`
}

// Component is one component of a wave.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // of its chart
	Objects int    `json:"objects"`
}

// FileCounts says what changed below output/<env>, ownership records left out.
type FileCounts struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

// NewRun counts what a run did.
func NewRun(run pipeline.Run) Run {
	out := Run{Environments: []Environment{}}
	for _, result := range run.Results {
		e := Environment{Name: result.Environment.Name, Skipped: result.Skipped, Images: countImages(result.Images), Outside: outside(result)}
		e.Waves = waves(result)
		for _, w := range e.Waves {
			for _, c := range w.Components {
				e.Objects += c.Objects
			}
		}
		e.Files = countFiles(run.Changes, e.Name)
		out.Environments = append(out.Environments, e)
	}
	for _, g := range run.Gone() {
		out.Gone = append(out.Gone, Gone{Name: g.Environment, Files: FileCounts{Removed: g.Files}})
	}
	return out
}

func waves(result pipeline.Result) []Wave {
	objects, versions := map[string]int{}, map[string]string{}
	for _, b := range result.Bundles {
		objects[b.Name] = len(b.Objects)
	}
	for _, r := range result.Rendered {
		if r.Component.Source.Chart != nil {
			versions[r.Component.Name] = r.Component.Source.Chart.Version
		}
	}
	out := []Wave{}
	for _, name := range result.Order.Names() {
		wave := result.Order.Waves[name]
		if len(out) == 0 || out[len(out)-1].Wave != wave {
			out = append(out, Wave{Wave: wave})
		}
		last := &out[len(out)-1]
		last.Components = append(last.Components, Component{name, versions[name], objects[name]})
	}
	return out
}

func countFiles(changes []tree.Change, env string) FileCounts {
	var c FileCounts
	for _, change := range changes {
		if !strings.HasPrefix(change.Path, env+"/") || change.IsRecord() {
			continue
		}
		switch change.Kind {
		case tree.Added:
			c.Added++
		case tree.Changed:
			c.Changed++
		case tree.Removed:
			c.Removed++
		}
	}
	return c
}

// WriteRun prints a run for people: per environment its waves from the first to the last, its images, and what changed on disk.
func WriteRun(w io.Writer, run Run) {
	for i, e := range run.Environments {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if e.Skipped {
			Print(w, "%s: no input changed since the last run, nothing rendered\n", e.Name)
			continue
		}
		Print(w, "%s: %d objects, %d images%s\n", e.Name, e.Objects, e.Images.Total, images(e.Images))
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, wave := range e.Waves {
			for j, c := range wave.Components {
				label := ""
				if j == 0 {
					label = fmt.Sprintf("wave %d", wave.Wave)
				}
				Print(table, "  %s\t%s\t%s\t%d objects\n", label, c.Name, c.Version, c.Objects)
			}
		}
		_ = table.Flush()
		writeOutside(w, e.Outside)
		Print(w, "  %s: %s\n", path.Join(pipeline.OutputDir, e.Name), files(e.Files))
	}
	for _, g := range run.Gone {
		Print(w, "%s: %d files removed (%s is no longer in the model)\n", path.Join(pipeline.OutputDir, g.Name), g.Files.Removed, g.Name)
	}
}

func files(c FileCounts) string {
	if c == (FileCounts{}) {
		return "nothing changed"
	}
	return fmt.Sprintf("%d files added, %d changed, %d removed", c.Added, c.Changed, c.Removed)
}

// WriteJSON prints any result for programs.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
