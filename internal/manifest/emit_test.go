package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

func TestEmit(t *testing.T) {
	for name, tt := range map[string]struct {
		fields map[string]any
		want   string
	}{
		"sorted keys, two spaces": {
			map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "data": map[string]any{"b": "x", "a": "y"}},
			"apiVersion: v1\ndata:\n  a: \"y\"\n  b: x\nkind: ConfigMap\n",
		},
		"lists": {
			map[string]any{"a": []any{"x", map[string]any{"k": "v", "l": []any{int64(1)}}, []any{"p", []any{"q"}}, []any{}, map[string]any{}}},
			"a:\n- x\n- k: v\n  l:\n  - 1\n- - p\n  - - q\n- []\n- {}\n",
		},
		"scalars": {
			map[string]any{"a": nil, "b": true, "c": int64(-9007199254740993), "d": 1.5, "e": 1e21, "f": float64(2)},
			"a: null\nb: true\nc: -9007199254740993\nd: 1.5\ne: 1.0e+21\nf: 2.0\n",
		},
		"strings that are no strings unquoted": {
			map[string]any{"a": "on", "b": "1.10", "c": "0x1f", "d": "12:30:45", "e": "2001-01-01", "f": "1_000", "g": "~", "h": "", "i": "1e3", "j": "No"},
			"a: \"on\"\nb: \"1.10\"\nc: \"0x1f\"\nd: \"12:30:45\"\ne: \"2001-01-01\"\nf: \"1_000\"\ng: \"~\"\nh: \"\"\ni: \"1e3\"\nj: \"No\"\n",
		},
		"plain strings": {
			map[string]any{"a": "--flag=x:y", "b": "quay.io/a/b:v1", "c": "12h", "d": "/bin/sh", "e": "two words", "f": "-x"},
			"a: --flag=x:y\nb: quay.io/a/b:v1\nc: 12h\nd: /bin/sh\ne: two words\nf: \"-x\"\n",
		},
		"blocks": {
			map[string]any{"a": "x\ny\n", "b": "x\ny", "c": "x\n\n", "d": "\nx\n", "e": "  x\ny\n", "f": "x\r\ny\n"},
			"a: |\n  x\n  y\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: \"\\nx\\n\"\ne: |2\n    x\n  y\nf: \"x\\r\\ny\\n\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Emit(New(tt.fields))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestEmitRefusesWhatNoDecoderMakes(t *testing.T) {
	_, err := Emit(New(map[string]any{"spec": map[string]any{"replicas": 3}}))
	if err == nil || !strings.Contains(err.Error(), "spec: replicas: a int is no decoded value") {
		t.Errorf("got %v", err)
	}
}

// roundTrip holds the promise of Emit against two readers of different YAML versions.
func roundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, fields map[string]any,
) {
	t.Helper()
	out, err := Emit(New(fields))
	if err != nil {
		t.Fatalf("emit: %v", err)
	}
	objects, warnings, err := Decode(out)
	if err != nil || len(objects) != 1 || len(warnings) > 0 {
		t.Fatalf("decode: %d objects, %v, %v\n%s", len(objects), warnings, err, out)
	}
	if diff := cmp.Diff(fields, objects[0].Fields()); diff != "" {
		t.Fatalf("sigs.k8s.io/yaml (-want +got)\n%s\n%s", diff, out)
	}
	var v3 map[string]any
	if err := yamlv3.Unmarshal(out, &v3); err != nil {
		t.Fatalf("yaml.v3: %v\n%s", err, out)
	}
	if diff := cmp.Diff(fields, int64s(v3)); diff != "" {
		t.Fatalf("yaml.v3 (-want +got)\n%s\n%s", diff, out)
	}
}

func int64s(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = int64s(v[key])
		}
	case []any:
		for i := range v {
			v[i] = int64s(v[i])
		}
	case int:
		return int64(v)
	}
	return value
}

func FuzzEmitString(f *testing.F) {
	for _, s := range []string{"on", "a: b", "x #y", "\n", " \n x", "x\n \n", "\u0085", "\u2028", "\ufeff", "- x", "---", "...", "1:2", "0o7", "<<", "=", "\t", "x\ty\nz", "é\n", strings.Repeat("k", 2000), "x\n\n\n", "'", "`", "|", ">", "%a", "@", "null\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		roundTrip(t, map[string]any{"kind": "K", "key " + s: s, "list": []any{s, []any{s}, map[string]any{s: s, "z": s}}})
	})
}

func TestEmitRoundTripRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := map[string]any{"kind": "K"}
		fields["v"] = value(3).Draw(t, "v")
		roundTrip(t, fields)
	})
}

func value(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+.:0-9exoab _\n#]{0,9}`))
	scalar := rapid.OneOf(text.AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		rapid.Float64Range(-1e6, 1e6).Filter(func(f float64) bool { return f != float64(int64(f)) }).AsAny())
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar,
		rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(v []any) any { return append([]any{}, v...) }),
		rapid.MapOfN(text, value(depth-1), 0, 4).AsAny())
}

// Parts that objects share are emitted as if each object had its own.
func TestEmitterEmitsTheSame(t *testing.T) {
	emitter := NewEmitter()
	spec := map[string]any{"text": strings.Repeat("word ", worthKeeping), "list": []any{int64(1)}}
	inner := map[string]any{"deep": spec}
	for _, fields := range []map[string]any{
		{},
		{"kind": "K", "metadata": map[string]any{"name": "a"}, "spec": spec, "status": nil},
		{"kind": "K", "metadata": map[string]any{"name": "b"}, "spec": spec},
		{"kind": "K", "other": spec, "spec": inner, "a: b": spec, "list": []any{spec}},
		{"a": spec, "a:b": spec, "spec": spec},
	} {
		want, err := Emit(New(fields))
		if err != nil {
			t.Fatal(err)
		}
		got, err := emitter.Append(nil, New(fields))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("got\n%.200s\nwant\n%.200s", got, want)
		}
	}
	if len(emitter.texts) != 2 {
		t.Errorf("%d parts are kept, want 2", len(emitter.texts))
	}
	if _, err := emitter.Append(nil, New(map[string]any{"spec": map[string]any{"x": 1}})); err == nil {
		t.Error("a Go int was emitted")
	}
}

// What many environments have alike is held once; what is kept does not change with the buffer that it came from.
func TestEmitterKeepsEqualTextsOnce(t *testing.T) {
	emitter := NewEmitter()
	text := strings.Repeat("x", worthKeeping)
	buffer := []byte(text)
	first := emitter.Keep(buffer)
	second := emitter.Keep(buffer)
	buffer[0] = 'y'
	third := emitter.Keep(buffer)
	if &first[0] != &second[0] {
		t.Error("two copies of equal bytes")
	}
	if string(first) != text || string(third) != "y"+text[1:] {
		t.Error("other bytes than were to be kept")
	}
	var none *Emitter
	if kept := none.Keep(buffer); &kept[0] == &buffer[0] || string(kept) != string(buffer) {
		t.Error("no copy without an Emitter")
	}
}

func BenchmarkEmit(b *testing.B) {
	object := New(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "b"}, "data": map[string]any{"x": strings.Repeat("line of text\n", 50)}})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Emit(object); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sigs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := yaml.Marshal(object.Fields()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
