package pipeline

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

func TestDecodeFields(t *testing.T) {
	deep := any("x")
	for range 400 {
		deep = []any{map[string]any{"k": deep}}
	}
	list := make([]any, 70_000)
	for i := range list {
		list[i] = int64(i) - 100
	}
	want := map[string]any{
		"": nil, "bool": true, "no": false, "float": 1.5, "zero": 0.0, "text": "ä\n", "long": strings.Repeat("x", 1<<17), "empty": map[string]any{},
		"none": []any{}, "list": list, "deep": deep, "ints": []any{int64(math.MinInt64), int64(math.MaxInt64), int64(0), int64(-1), int64(23), int64(24), int64(-25), int64(1 << 40)},
	}
	encoded, err := encodeMode.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeFields(string(encoded))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, got) { // cmp takes for ever over values that lie deep in each other
		t.Errorf("got %.2000v", got)
	}
	for i := range min(len(encoded), 2000) {
		if _, err := decodeFields(string(encoded[:i])); err == nil {
			t.Errorf("%d of %d bytes were read as a whole", i, len(encoded))
		}
	}
}

// What the decoder takes for fields, the general one takes for the same.
func FuzzDecodeFields(f *testing.F) {
	general, err := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any](), IntDec: cbor.IntDecConvertSigned, MaxNestedLevels: deepest, UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		f.Fatal(err)
	}
	for _, fields := range []map[string]any{large().Fields(), {"a": []any{int64(-1), 1e300, nil, true, "x", map[string]any{}}}} {
		encoded, err := encodeMode.Marshal(fields)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(encoded))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeFields(text)
		if err != nil {
			return
		}
		want := map[string]any{}
		if err := general.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q: the general decoder: %v", text, err)
		}
		if !equalNaN(want, got) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}

func equalNaN(a, b any) bool {
	return cmp.Equal(a, b, cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }))
}
