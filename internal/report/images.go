package report

import (
	"fmt"
	"io"

	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/pipeline"
)

// imageRow is one image of one environment, for programs.
type imageRow struct {
	Environment string       `json:"environment"`
	Reference   string       `json:"reference"`
	Written     string       `json:"written"`
	Status      image.Status `json:"status"`
	Places      []placeRow   `json:"places"`
}

// ImageList is all that `gen images list` says, for programs.
type ImageList struct {
	Images   []imageRow   `json:"images"`
	Machine  []machineRow `json:"machine"` // what the machines pull by themselves
	Unseen   []unseenRow  `json:"unseen"`  // what operators are known to pull, although no manifest names it
	Warnings []warningRow `json:"warnings"`
	Unused   []string     `json:"unused"` // entries of imageFields that find nothing
}

type machineRow struct {
	Environment string `json:"environment"`
	Reference   string `json:"reference"`
	What        string `json:"what"`
	Mirror      string `json:"mirror"`
	Source      string `json:"source"`
}

type unseenRow struct {
	Environment string `json:"environment"`
	Component   string `json:"component"`
	Object      string `json:"object"`
	Images      string `json:"images"`
	Remedy      string `json:"remedy"`
	Source      string `json:"source"`
}

type warningRow struct {
	Environment string `json:"environment"`
	Component   string `json:"component"`
	Object      string `json:"object"`
	Path        string `json:"path"`
	Message     string `json:"message"`
}

// NewImageList puts a list of images into the shape for programs.
func NewImageList(list pipeline.ImageList) ImageList {
	out := ImageList{imageRows(list.Uses), []machineRow{}, []unseenRow{}, []warningRow{}, []string{}}
	for _, m := range list.Machine {
		out.Machine = append(out.Machine, machineRow{m.Environment, m.Reference, m.What, m.Mirror, m.Source})
	}
	for _, u := range list.Unseen {
		out.Unseen = append(out.Unseen, unseenRow{u.Environment, u.Component, u.Object.String(), u.Images, u.Remedy, u.Source})
	}
	for _, m := range list.Warnings {
		out.Warnings = append(out.Warnings, warningRow{m.Environment, m.Component, m.Object.String(), m.Path, m.Message})
	}
	for _, u := range list.Unused {
		out.Unused = append(out.Unused, u.Error())
	}
	return out
}

type placeRow struct {
	Component string `json:"component"`
	Object    string `json:"object"`
	Path      string `json:"path"`
	Tier      string `json:"tier"`
	Note      string `json:"note,omitempty"`
}

// Style says how results are printed.
type Style struct {
	Format  string // "json", or text
	Verbose bool   // what is as it was, too
	Brief   bool   // no summary
}

// Images prints a list of images: text names places with verbose, and always where a place cannot be rewritten.
func Images(w io.Writer, list pipeline.ImageList, style Style) error {
	if style.Format == "json" {
		return WriteJSON(w, NewImageList(list))
	}
	for _, use := range list.Uses {
		line := fmt.Sprintf("%s  %-11s  %s", use.Environment, use.Status, use.Reference)
		if use.Written != use.Reference {
			line += " → " + use.Written
		}
		Print(w, "%s\n", line)
		for _, at := range use.Places {
			if style.Verbose || !at.Hit.Rewritable {
				Print(w, "    %s\n", place(at))
			}
		}
	}
	for _, m := range list.Machine {
		Print(w, "%s  %-11s  %s: %s; %s (%s)\n", m.Environment, "machine", m.Reference, m.What, m.Mirror, m.Source)
	}
	for _, u := range list.Unseen {
		Print(w, "%s  not seen     %s: %s pulls %s; to see them: %s (%s)\n", u.Environment, u.Component, u.Object, u.Images, u.Remedy, u.Source)
	}
	for _, m := range list.Warnings {
		Print(w, "%s  mind         %s: %s: %s: %s\n", m.Environment, m.Component, m.Object, m.Path, m.Message)
	}
	for _, u := range list.Unused {
		Print(w, "%s\n", u)
	}
	return nil
}

func place(at pipeline.ImagePlace) string {
	line := fmt.Sprintf("%s: %s: %s (%s)", at.Component, at.Hit.Object, at.Hit.Path, at.Hit.Tier)
	if at.Hit.Note != "" {
		line += ": " + at.Hit.Note
	}
	return line
}

func imageRows(uses []pipeline.ImageUse) []imageRow {
	rows := []imageRow{}
	for _, use := range uses {
		row := imageRow{use.Environment, use.Reference, use.Written, use.Status, []placeRow{}}
		for _, at := range use.Places {
			row.Places = append(row.Places, placeRow{at.Component, at.Hit.Object.String(), at.Hit.Path, string(at.Hit.Tier), at.Hit.Note})
		}
		rows = append(rows, row)
	}
	return rows
}

// Suggestions prints where a mirror holds images that none covers.
func Suggestions(w io.Writer, suggestions []pipeline.Suggested, format string) error {
	if format == "json" {
		return WriteJSON(w, append([]pipeline.Suggested{}, suggestions...))
	}
	for _, s := range suggestions {
		Print(w, "%s  %s\n    %s\n", s.Environment, s.Reference, s.Message)
		if s.Line != "" {
			Print(w, "    %s\n", s.Line)
		}
	}
	return nil
}
