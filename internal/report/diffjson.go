package report

import (
	"encoding/json"

	"github.com/coldstart-gitops/gen/internal/tree"
)

// differenceRow is a Difference, for programs: the files are texts, and one that is not there is left out.
type differenceRow struct {
	Environments []string  `json:"environments"`
	Path         string    `json:"path"`
	Kind         tree.Kind `json:"kind"`
	Object       string    `json:"object,omitempty"`
	Before       *string   `json:"before,omitempty"`
	After        *string   `json:"after,omitempty"`
}

// MarshalJSON writes the files as text, which bytes would not be.
func (d Difference) MarshalJSON() ([]byte, error) {
	row := differenceRow{Environments: append([]string{}, d.Environments...), Path: d.Path, Kind: d.Kind, Before: text(d.Before), After: text(d.After)}
	if d.Object.Kind != "" {
		row.Object = d.Object.String()
	}
	return json.Marshal(row)
}

func text(data []byte) *string {
	if data == nil {
		return nil
	}
	s := string(data)
	return &s
}
