package source

import (
	"io/fs"
	"path"
	"strings"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// Chart is a chart in the folder and what an Application sets in it.
type Chart struct {
	Dir         string
	Release     string
	Namespace   string
	ValueFiles  []string       // in the folder; later ones win
	Values      map[string]any // over those
	Parameters  []Parameter    // over these
	SkipCRDs    bool
	KubeVersion string
	APIVersions []string
}

// Parameter is one helm.parameters entry: --set, or --set-string where Text is true.
type Parameter struct {
	Name, Value string
	Text        bool
}

// Kustomization is a kustomization in the folder and what an Application changes in it.
type Kustomization struct {
	Dir     string
	Changes map[string]any // spec.source.kustomize
}

// helm renders a chart of the folder.
func (l *loader) helm(a *Application, spec manifest.Object, dir string) {
	l.charts = append(l.charts, dir)
	chart, unknown := l.chart(a, spec, dir)
	a.Unknown = append(a.Unknown, unknown...)
	if l.tools.Helm == nil {
		a.Unknown = append(a.Unknown, "its source "+dir+" is rendered by Helm")
		return
	}
	out, err := l.tools.Helm(chart)
	a.absent(dir, "Helm", out.Absent, err)
	l.asked(dir, out.Asks)
	a.Objects = append(a.Objects, out.Objects...)
}

// chart reads spec.source.helm (argo-cd reposerver/repository, helmTemplate).
func (l *loader) chart(a *Application, spec manifest.Object, dir string) (Chart, []string) {
	name := a.Object.ID().Name
	env := strings.NewReplacer("$ARGOCD_APP_NAMESPACE", a.Object.String("spec", "destination", "namespace"), "$ARGOCD_APP_NAME", name, "${ARGOCD_APP_NAME}", name)
	c := Chart{
		Dir: dir, Release: or(spec.String("helm", "releaseName"), name),
		Namespace:   or(spec.String("helm", "namespace"), or(a.Object.String("spec", "destination", "namespace"), "default")),
		SkipCRDs:    spec.Get("helm", "skipCrds") == true,
		KubeVersion: spec.String("helm", "kubeVersion"),
		Values:      spec.Map("helm", "valuesObject"),
	}
	var unknown []string
	for _, item := range spec.List("helm", "apiVersions") {
		c.APIVersions = append(c.APIVersions, text(item))
	}
	for _, item := range spec.List("helm", "valueFiles") {
		stated := env.Replace(text(item))
		at, ok := l.valueFile(dir, stated)
		switch {
		case ok:
			c.ValueFiles = append(c.ValueFiles, at)
		case spec.Get("helm", "ignoreMissingValueFiles") == true:
		case !strings.ContainsAny(stated, "$*?[{") && !strings.Contains(stated, "://"):
			l.lacking(a, "its source "+dir+" reads values from "+stated+", which is not there (ignoreMissingValueFiles lets that pass)")
		default:
			unknown = append(unknown, "its source "+dir+" reads values from "+stated+", which is not in the folder")
		}
	}
	if inline := spec.String("helm", "values"); c.Values == nil && inline != "" {
		objects, _, err := manifest.Decode([]byte(inline))
		if err != nil || len(objects) != 1 {
			unknown = append(unknown, "its helm.values are no YAML map")
		} else {
			c.Values = objects[0].Fields()
		}
	}
	for _, item := range spec.List("helm", "parameters") {
		p := manifest.New(mapOf(item))
		c.Parameters = append(c.Parameters, Parameter{text(p.Get("name")), env.Replace(scalar(p.Get("value"))), p.Get("forceString") == true})
	}
	if len(spec.List("helm", "fileParameters")) > 0 {
		unknown = append(unknown, "its helm.fileParameters are not read here")
	}
	return c, unknown
}

// valueFile finds a values file: relative to the chart, from the repository's root with a slash, or from another source's with $ref.
func (l *loader) valueFile(dir, stated string) (string, bool) {
	at := path.Join(dir, stated)
	if strings.HasPrefix(stated, "$") {
		_, rest, _ := strings.Cut(stated, "/")
		at = path.Clean(rest)
	} else if strings.HasPrefix(stated, "/") {
		at = clean(stated)
	}
	info, err := fs.Stat(l.fsys, at)
	return at, err == nil && info.Mode().IsRegular() && !strings.Contains(stated, "://")
}

// kustomize builds a kustomization of the folder.
func (l *loader) kustomize(a *Application, spec manifest.Object, dir string) {
	l.bases = append(l.bases, dir)
	if l.tools.Kustomize == nil {
		a.Unknown = append(a.Unknown, "its source "+dir+" is rendered by kustomize")
		return
	}
	out, err := l.tools.Kustomize(Kustomization{Dir: dir, Changes: spec.Map("kustomize")})
	l.bases = append(l.bases, out.Read...)
	a.absent(dir, "kustomize", out.Absent, err)
	for _, what := range out.Missing {
		l.lacking(a, "its source "+dir+" cannot be built by kustomize: "+what)
	}
	a.Objects = append(a.Objects, out.Objects...)
}

// lacking says that a file of the repository is not there, without which Argo CD generates no manifests: unless it is in a submodule, or the
// folder is a part of the repository only.
func (l *loader) lacking(a *Application, why string) {
	if _, err := fs.Stat(l.fsys, ".gitmodules"); err == nil || l.inside {
		a.Unknown = append(a.Unknown, why)
		return
	}
	a.Broken = append(a.Broken, why)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func text(v any) string { s, _ := v.(string); return s }

func mapOf(v any) map[string]any { m, _ := v.(map[string]any); return m }
