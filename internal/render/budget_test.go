package render

import (
	"errors"
	"math"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

func fill(text string, functions template.FuncMap) (string, error) {
	t, err := template.New("").Funcs(sprig.TxtFuncMap()).Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, map[string]any{"least": math.MinInt, "most": math.MaxInt})
	return out.String(), err
}

// TestBoundedSame states that the stand-ins answer as the functions that they stand for.
func TestBoundedSame(t *testing.T) {
	for _, text := range []string{
		"{{ until 5 }}{{ until -3 }}{{ until 0 }}", "{{ untilStep 1 10 3 }}{{ untilStep 10 1 -4 }}{{ untilStep 1 5 -1 }}{{ untilStep 5 1 1 }}{{ untilStep 1 5 0 }}",
		"{{ seq }}|{{ seq 5 }}|{{ seq -3 }}|{{ seq 2 5 }}|{{ seq 5 2 }}|{{ seq 0 2 10 }}|{{ seq 10 -3 0 }}|{{ seq 5 1 2 }}|{{ seq 1 }}|{{ seq 1 2 3 4 }}",
		`{{ repeat 3 "ab" }}{{ repeat 0 "x" }}{{ indent 2 "a\nb" }}{{ nindent 4 "a\n\nb" }}{{ indent 0 "a" }}`,
	} {
		want, err := fill(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fill(text, Bounded()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestBoundedEnds states that none of them makes more than the limit, alone or in loops.
func TestBoundedEnds(t *testing.T) {
	for text, want := range map[string]error{
		"{{ range until 100000000 }}{{ end }}":                                                         errItems,
		"{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}":                         errItems,
		"{{ range until 100000 }}{{ range until 1000 }}{{ range until 1 }}{{ end }}{{ end }}{{ end }}": errItems,
		"{{ until .least }}": errItems, "{{ until .most }}": errItems, "{{ untilStep .least .most 1 }}": errItems, "{{ seq 2000000000 }}": errItems,
		`{{ repeat 2000000000 "x" }}`:                                   errBytes,
		`{{ repeat .most "xx" }}`:                                       errBytes,
		`{{ range until 1000 }}{{ $x := repeat 1000000 "x" }}{{ end }}`: errBytes,
		`{{ indent 2000000000 "x" }}`:                                   errBytes,
		`{{ "x" | nindent 2000000000 }}`:                                errBytes,
	} {
		if _, err := fill(text, Bounded()); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}
