package environment

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// titles are the headings of the model's page, in its order, with what the heading's table describes.
var titles = []struct {
	title string
	typ   reflect.Type
}{
	{"fleet.yaml", reflect.TypeFor[fleetFile]()},
	{"groups/NAME.yaml", reflect.TypeFor[groupFile]()},
	{"sites/NAME.yaml", reflect.TypeFor[siteFile]()},
	{"NAME.yaml, an environment", reflect.TypeFor[environmentFile]()},
	{"A component", reflect.TypeFor[componentFile]()},
	{"A chart", reflect.TypeFor[Chart]()},
	{"A chart's git repository", reflect.TypeFor[GitRepo]()},
	{"A patch", reflect.TypeFor[patchFile]()},
	{"A target, and an object to remove", reflect.TypeFor[selectorFile]()},
	{"An ignored difference", reflect.TypeFor[ignoreFile]()},
	{"An allowed Secret", reflect.TypeFor[allowSecretFile]()},
	{"imageFields", reflect.TypeFor[ImageFields]()},
	{"imageFields.splits", reflect.TypeFor[ImageSplit]()},
	{"gen", reflect.TypeFor[toolFile]()},
	{"git", reflect.TypeFor[Git]()},
	{"argocd", reflect.TypeFor[ArgoCD]()},
	{"versions", reflect.TypeFor[Versions]()},
	{"facts", reflect.TypeFor[Facts]()},
	{"facts.network", reflect.TypeFor[Network]()},
	{"facts.controlPlane", reflect.TypeFor[ControlPlane]()},
	{"facts.nodes", reflect.TypeFor[Node]()},
	{"facts.loadBalancer", reflect.TypeFor[LoadBalancer]()},
	{"facts.loadBalancer.announce", reflect.TypeFor[Announce]()},
	{"facts.loadBalancer.announce.l2", reflect.TypeFor[L2]()},
	{"facts.loadBalancer.announce.bgp", reflect.TypeFor[BGP]()},
	{"facts.loadBalancer.announce.bgp.peers", reflect.TypeFor[Peer]()},
	{"facts.frontProxy", reflect.TypeFor[FrontProxy]()},
	{"facts.mirrors", reflect.TypeFor[Mirror]()},
	{"facts.vault", reflect.TypeFor[Vault]()},
	{"facts.acme", reflect.TypeFor[ACME]()},
	{"given", reflect.TypeFor[Given]()},
}

const modelPage = "../../docs/model.md"

const modelIntro = `# The model

Every key of every file. This page is made from the types that files are decoded into
(` + "`go test ./internal/environment -update`" + `); ` + "`gen schema`" + ` prints the same as JSON Schema, which editors complete from. How layers
meet, what references are and what is refused: [decision 5](decisions/0005-the-model-is-read-strictly.md).

**needed** keys are required where their table applies. Keys that say what they decide are facts: they are required too, and may come
from the environment's own file or from the site that it names. Two clusters never share a domain, an endpoint, an auth mount at one
Vault, or an address of a node, a control plane or a load balancer: a copied environment is refused.
`

// TestModelPageIsCurrent holds docs/model.md against the types.
func TestModelPageIsCurrent(t *testing.T) {
	var page strings.Builder
	page.WriteString(modelIntro)
	described := map[reflect.Type]string{}
	for _, each := range titles {
		described[each.typ] = each.title
	}
	for _, each := range titles {
		fmt.Fprintf(&page, "\n## %s\n\n| key | value | meaning |\n|---|---|---|\n", each.title)
		for _, f := range fieldsOf(each.typ) {
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", f.name, valueOf(t, f, described), meaningOf(f))
		}
	}
	if *update {
		if err := os.WriteFile(modelPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(modelPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page.String(), string(got)); diff != "" {
		t.Errorf("docs/model.md is not what the types say; run go test ./internal/environment -update (-want +got):\n%s", diff)
	}
}

// meaningOf is what the page says of a key.
func meaningOf(f field) string {
	text := strings.ReplaceAll(f.doc, "|", `\|`)
	if f.required {
		text = "**needed.** " + text
	}
	if f.decides != "" {
		text += " It decides " + f.decides + "."
	}
	return text
}

// valueOf is what the page says of a key's value. Every struct has its heading.
func valueOf(t *testing.T, f field, described map[reflect.Type]string) string {
	t.Helper()
	typ, list := f.typ, ""
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice && !freeform[typ] {
		typ, list = typ.Elem(), "list of "
	}
	switch {
	case len(f.enum) > 0:
		return list + "`" + strings.Join(f.enum, "`, `") + "`"
	case freeform[typ]:
		return list + "anything"
	case typ.Kind() == reflect.Map:
		typ, list = typ.Elem(), "by name: "
	}
	if title, ok := described[typ]; ok {
		anchor := strings.NewReplacer(" ", "-", ".", "", ",", "", "'", "", "/", "").Replace(strings.ToLower(title))
		return fmt.Sprintf("%s[%s](#%s)", list, title, anchor)
	}
	if typ.Kind() == reflect.Struct && strings.Contains(typ.PkgPath(), "internal/environment") {
		t.Errorf("%s has no heading", typ)
	}
	return list + wantedForm(typ)
}
