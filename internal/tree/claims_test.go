package tree

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What a record names and the folder does not hold, or holds otherwise, is broken; a foreign file is not.
func TestBroken(t *testing.T) {
	tree := New()
	owner := Owner{Environment: "lab", Component: "web"}
	for _, err := range []error{tree.Own(owner, ""), tree.Add(owner, "a.yaml", []byte("a")), tree.Add(owner, "b.yaml", []byte("b"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		change func(fstest.MapFS)
		want   []string
	}{
		"whole":   {func(fstest.MapFS) {}, nil},
		"edited":  {func(f fstest.MapFS) { f["lab/a.yaml"] = &fstest.MapFile{Data: []byte("z")} }, []string{"lab/a.yaml"}},
		"missing": {func(f fstest.MapFS) { delete(f, "lab/b.yaml"); delete(f, "lab/a.yaml") }, []string{"lab/a.yaml", "lab/b.yaml"}},
		"foreign": {func(f fstest.MapFS) { f["lab/mine.yaml"] = &fstest.MapFile{Data: []byte("z")} }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for path, data := range tree.Files() {
				folder[path] = &fstest.MapFile{Data: data}
			}
			tt.change(folder)
			s, err := Scan(folder, Scope{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Broken()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
