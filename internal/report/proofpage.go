package report

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/coldstart-gitops/gen/internal/pipeline"
)

//go:embed proofpage.html
var proofPage string

// WriteProofPage writes proofs as one self-contained page: no script, nothing that is loaded from elsewhere, every text escaped.
func WriteProofPage(out io.Writer, list []pipeline.Proved) error {
	page, err := template.New("proof").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse(proofPage)
	if err != nil {
		return err
	}
	var views []proofView
	for _, p := range list {
		views = append(views, newProofView(p))
	}
	return page.Execute(out, views)
}
