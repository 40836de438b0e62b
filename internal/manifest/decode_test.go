package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	for name, tt := range map[string]struct {
		in       string
		want     []map[string]any
		warnings []string
		err      string
	}{
		"YAML 1.1 as kubectl reads it": {
			in:   "kind: K\na: on\nb: 0o17\nc: 017\nd: 1e3\ne: 9007199254740993\nf: 1.5\n1: x\ntrue: why\n",
			want: []map[string]any{{"kind": "K", "a": true, "b": int64(15), "c": int64(15), "d": int64(1000), "e": int64(9007199254740993), "f": 1.5, "1": "x", "true": "why"}},
		},
		"JSON":              {in: `{"kind":"K","a":[1,{"b":null}]}`, want: []map[string]any{{"kind": "K", "a": []any{int64(1), map[string]any{"b": nil}}}}},
		"nothing":           {in: "# only a comment\n"},
		"anchors":           {in: "kind: K\na: &x {b: c}\nd: *x\n", want: []map[string]any{{"kind": "K", "a": map[string]any{"b": "c"}, "d": map[string]any{"b": "c"}}}},
		"merge key":         {in: "kind: K\na: &x {b: c}\nd:\n  <<: *x\n  b: e\n", want: []map[string]any{{"kind": "K", "a": map[string]any{"b": "c"}, "d": map[string]any{"b": "e"}}}},
		"repeated key":      {in: "kind: K\na: 1\na: 2\n", want: []map[string]any{{"kind": "K", "a": int64(2)}}, warnings: []string{"key \"a\" already set"}},
		"list":              {in: "kind: List\napiVersion: v1\nitems:\n- kind: A\n- kind: List\n  items: [{kind: B}]\n", want: []map[string]any{{"kind": "A"}, {"kind": "B"}}},
		"empty list":        {in: "kind: List\napiVersion: v1\n"},
		"typed list":        {in: "kind: RoleList\napiVersion: r/v1\nitems: [{metadata: {name: x}}]\n", want: []map[string]any{{"kind": "Role", "apiVersion": "r/v1", "metadata": map[string]any{"name": "x"}}}},
		"no list":           {in: "kind: AllowList\nspec: {}\n", want: []map[string]any{{"kind": "AllowList", "spec": map[string]any{}}}},
		"list of no object": {in: "kind: List\nitems: [3]\n", err: "items.0: not an object"},
		"a list document":   {in: "- a\n", err: "the document is a list, not a map"},
		"a string document": {in: "hello\n", err: "the document is a string, not a map"},
		"big integer":       {in: "kind: K\nspec: {a: 18446744073709551616}\n", err: "spec.a: number 1.8446744073709552e+19 is beyond 64 bits"},
		"uint64":            {in: "kind: K\nspec: {a: 9223372036854775808}\n", err: "spec.a: number"},
		"infinity":          {in: "kind: K\na: .inf\n", err: "reading YAML"},
		"cut off":           {in: "kind: \"K\na: [", err: "reading YAML"},
		"bomb": {
			in:  "kind: K\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
			err: "excessive aliasing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects, warnings, err := Decode([]byte(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []map[string]any
			for _, o := range objects {
				got = append(got, o.Fields())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(warnings) != len(tt.warnings) || len(warnings) > 0 && !strings.Contains(warnings[0], tt.warnings[0]) {
				t.Errorf("warnings %q, want %q", warnings, tt.warnings)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("kind: K\na: [1, 2.5, x]\n"))
	f.Add([]byte("kind: List\nitems: [{kind: A}]\n"))
	f.Add([]byte("a: 1e21\n"))
	f.Fuzz(func(t *testing.T, document []byte) {
		objects, _, err := Decode(document)
		if err != nil {
			return
		}
		for _, o := range objects {
			out, err := Emit(o)
			if err != nil {
				t.Fatalf("emitting what was decoded: %v", err)
			}
			again, _, err := Decode(out)
			if err != nil || len(again) != 1 {
				if len(again) != 1 && strings.HasSuffix(o.String("kind"), "List") {
					continue // an object named like a list, once more flattened
				}
				t.Fatalf("decoding what was emitted: %d objects, %v\n%s", len(again), err, out)
			}
			if diff := cmp.Diff(o.Fields(), again[0].Fields()); diff != "" {
				t.Fatalf("(-want +got)\n%s\n%s", diff, out)
			}
		}
	})
}
