package imagefield_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
)

const pinned = "@sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"

// toMirror rewrites quay.io/… but for the names with "unproven" in them, and leaves all other hosts.
func toMirror(reference string) (string, bool) {
	if !strings.HasPrefix(reference, "quay.io/") {
		return reference, true
	}
	name, _, _ := strings.Cut(reference, "@")
	return strings.Replace(name, "quay.io/", "m.example/quay/", 1) + pinned, !strings.Contains(reference, "unproven")
}

// TestTextRewrite: a stream and what becomes of it. Q and M stand for a reference and what it becomes.
func TestTextRewrite(t *testing.T) {
	for name, in := range map[string]string{
		"comments, order, quotes, odd spacing": `# Q is a comment
---   # Source: chart/templates/x.yaml

kind:   Pod      # z before a
apiVersion: v1
metadata: {name: 'x'}
spec:
    containers:
    - name: a
      image:   Q   # Q
    -   {name: b, image: "Q", args: ['--solver=Q', "--x"]}
    - name: c
      image: 'Q'
...
`,
		"CRLF":                  "apiVersion: v1\r\nkind: Pod\r\nspec:\r\n  containers:\r\n  - name: a\r\n    image: Q\r\n---\r\nkind: Pod\r\napiVersion: v1\r\nspec: {containers: [{name: b, image: Q}]}\r\n",
		"no newline at the end": "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: b, image: Q}]}",
		"JSON":                  `{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"a","image":"Q"}]}}]}`,
		"block scalars": `kind: ConfigMap
apiVersion: v1
data:
  a: |-
    # keep
    one=Q
    two=Q
  b: >
    Q
  c: "Q\nx"
`,
		"anchors and aliases": `kind: Pod
apiVersion: v1
spec:
  initContainers:
  - &c
    name: a
    image: &i Q
  containers:
  - name: b
    image: *i
  - <<: *c
    name: d
`,
		"repeated keys": `kind: Pod
apiVersion: v1
spec: {containers: [{name: a, image: quay.io/first:1, image: Q}]}
`,
		"a prefix of another": `kind: ConfigMap
apiVersion: v1
data: {a: "Q,Q0,Q"}
`,
		"not ASCII before it":            "kind: Pod\napiVersion: v1\nspec: {containers: [{name: 'ä€😀', image: Q}]}\n",
		"separator with content":         "--- {kind: Pod, apiVersion: v1, spec: {containers: [{name: a, image: Q}]}}\n---\n# nothing\n---\nnull\n",
		"a document that cannot be read": "kind: Pod\napiVersion: v1\nspec: {containers: [{name: a, image: Q}]}\n---\nimage: {{ .Values.image }}quay.io/x:1\n",
	} {
		t.Run(name, func(t *testing.T) {
			before := strings.ReplaceAll(in, "Q", "quay.io/a/b:1")
			want := before
			if name != "comments, order, quotes, odd spacing" && name != "a prefix of another" {
				want = strings.ReplaceAll(in, "Q", "m.example/quay/a/b:1"+pinned)
			}
			switch name {
			case "comments, order, quotes, odd spacing":
				want = strings.ReplaceAll(in, "Q", "m.example/quay/a/b:1"+pinned)
				want = strings.ReplaceAll(want, "# m.example/quay/a/b:1"+pinned, "# quay.io/a/b:1")
			case "a prefix of another":
				want = strings.ReplaceAll(strings.ReplaceAll(in, "Q0", "m.example/quay/a/b:10"+pinned), "Q", "m.example/quay/a/b:1"+pinned)
			}
			out, changes := imagefield.ParseText([]byte(before)).Rewrite(imagefield.Options{}, toMirror)
			if diff := cmp.Diff(want, string(out)); diff != "" {
				t.Errorf("%d changes (-want +got):\n%s", len(changes), diff)
			}
			again, changes := imagefield.ParseText(out).Rewrite(imagefield.Options{Hosts: []string{"m.example"}}, toMirror)
			if len(changes) != 0 || string(again) != string(out) {
				t.Errorf("the second run changes %d places", len(changes))
			}
		})
	}
}

// TestTextAllOrNone: what stays in one document stays in all, and so does what shares a string with it.
func TestTextAllOrNone(t *testing.T) {
	const in = `kind: Pod
apiVersion: v1
spec: {containers: [{name: a, image: "quay.io/a:1"}, {name: b, image: "quay.io/free:1"}]}
---
kind: ConfigMap
apiVersion: v1
data: {all: "quay.io/a:1 , quay.io/unproven:1", x: "quay.io/a:1,quay.io/unproven:1"}
`
	out, _ := imagefield.ParseText([]byte(in)).Rewrite(imagefield.Options{}, toMirror)
	if want := strings.Replace(in, "quay.io/free:1", "m.example/quay/free:1"+pinned, 1); string(out) != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, string(out)))
	}
}

// TestTextRefuses: where the bytes do not hold the reference as it reads, the document stays as it is.
func TestTextRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"escaped":         `{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"a","image":"quay.io\u002fa:1"},{"name":"b","image":"quay.io/a:1"}]}}`,
		"folded":          "kind: Pod\napiVersion: v1\nspec: {containers: [{name: a, image: \"quay.io/\\\n  a:1\"}]}\n",
		"anchor in text":  "kind: ConfigMap\napiVersion: v1\nmetadata: {labels: {a: &x quay.io/a:1}}\ndata: {a: *x}\n",
		"alias bomb":      "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f]\nimage: quay.io/a:1\n",
		"alias to itself": "a: &a [*a]\nimage: quay.io/a:1\n",
		"cut off":         "kind: Pod\nspec: {containers: [{name: a, image: quay.io/a:1",
	} {
		text := imagefield.ParseText([]byte(in))
		out, changes := text.Rewrite(imagefield.Options{}, toMirror)
		if string(out) != in || len(changes) != 0 {
			t.Errorf("%s: %d changes:\n%s", name, len(changes), cmp.Diff(in, string(out)))
		}
	}
	text := imagefield.ParseText([]byte("a: 1\n---\n# two\n---\nb: {{- x }\n"))
	if problems := text.Problems(); len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), "the document that begins at line 4 cannot be read: yaml: line 5: ") {
		t.Errorf("problems: %v", problems)
	}
}

// TestTextCorpus: every chart of the corpus as text: what is found is what is found in its objects, and only references change.
func TestTextCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus(t), "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := imagefield.ParseText(data)
		if problems := text.Problems(); len(problems) > 0 {
			t.Errorf("%s: %v", file, problems)
		}
		found := 0
		for _, o := range decodeAll(t, data) {
			found += len(imagefield.Find(o, imagefield.Options{}))
		}
		all := func(reference string) (string, bool) { return "m.example/x:1", true }
		out, changes := text.Rewrite(imagefield.Options{}, all)
		if len(changes) != found {
			t.Errorf("%s: %d of %d places changed", file, len(changes), found)
		}
		want := string(data)
		for _, c := range changes {
			want = strings.Replace(want, c.Hit.Reference, "m.example/x:1", 1)
		}
		if string(out) != want {
			t.Errorf("%s: more than references changed", file)
		}
	}
}

// FuzzTextRewrite: whatever the text, only references change, and a second run changes nothing.
func FuzzTextRewrite(f *testing.F) {
	for _, seed := range []string{
		"kind: Pod\napiVersion: v1\nspec: {containers: [{name: a, image: quay.io/a:1}]}\n", "a: &x quay.io/a:1\nimage: *x\n---\n- quay.io/b:1\n",
		"data: {a: |\n  quay.io/a:1\n, b: \"quay.io/a:1\"}", "\r\n--- # x\r\nimage: 'quay.io/a:1'\r\n", "{\"image\": \"quay.io/a:1\"}", "<<: [{image: quay.io/a:1}]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, changes := imagefield.ParseText([]byte(in)).Rewrite(imagefield.Options{}, toMirror)
		again, more := imagefield.ParseText(out).Rewrite(imagefield.Options{}, toMirror)
		if len(more) != 0 || string(again) != string(out) {
			t.Fatalf("a second run changes %d places of %q", len(more), out)
		}
		if len(changes) == 0 && string(out) != in {
			t.Fatalf("no change, but %q became %q", in, out)
		}
		back := string(out)
		for _, c := range changes {
			back = strings.ReplaceAll(back, c.New, c.Hit.Reference)
		}
		if back != in {
			t.Fatalf("more than references changed: %q became %q", in, out)
		}
	})
}
