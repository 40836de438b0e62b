package main

import (
	"bytes"
	"testing"

	"github.com/coldstart-gitops/gen"
	"github.com/coldstart-gitops/gen/internal/environment"
)

// The schema that editors read beside the sample is the one that gen prints.
func TestSampleSchemaIsCurrent(t *testing.T) {
	want, err := environment.Schema("")
	if err != nil {
		t.Fatal(err)
	}
	got, err := gen.Samples.ReadFile("environments/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("environments/schema.json is not what the types say: run `make update`")
	}
}
