package report

import (
	"strings"
	"testing"
)

// A model whose images no mirror covers has nothing to prove, and hears so.
func TestImageChecksOfNothing(t *testing.T) {
	var b strings.Builder
	if err := ImageChecks(&b, nil, nil, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "0 images: no mirror covers any\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
