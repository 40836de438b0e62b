package imagefield_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/imagefield"
)

// everything moves each reference to a mirror, once: what lies there stays.
func everything(reference string) (string, bool) {
	name, _, _ := strings.Cut(reference, "@")
	if strings.HasPrefix(reference, "m.example/") {
		return reference, true
	}
	return "m.example/all/" + strings.ToLower(name) + pinned, true
}

// streams are all texts at hand: the sample's output, the corpus of rendered public charts and the real charts, where they are there.
func streams(t *testing.T) map[string][]byte {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../../output/*/*/*.yaml", "../../output/*/*/*/*.yaml", os.Getenv("GEN_REAL_CHARTS") + "/rendered/*.yaml", "../../../../shared/corpus/*.yaml", os.Getenv("GEN_CORPUS") + "/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	out := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[file] = data
	}
	if len(out) < 300 {
		t.Fatalf("only %d files: the sample's output holds more", len(out))
	}
	return out
}

// TestTwice: a second run over its own output changes no byte and no object, and finds what the first has written.
func TestTwice(t *testing.T) {
	options := imagefield.Options{Hosts: []string{"m.example"}}
	places := 0
	for file, data := range streams(t) {
		once, changes := imagefield.ParseText(data).Rewrite(imagefield.Options{}, everything)
		places += len(changes)
		twice, more := imagefield.ParseText(once).Rewrite(options, everything)
		if len(more) > 0 || string(twice) != string(once) {
			t.Errorf("%s: the second run changes %d places: %+v", file, len(more), more)
		}
		written := map[string]int{}
		for _, hit := range imagefield.ParseText(once).Find(options) {
			written[hit.Object.String()+hit.Path+hit.Reference]++
		}
		for _, c := range changes {
			if written[c.Hit.Object.String()+c.Hit.Path+c.New] == 0 {
				t.Errorf("%s: %s %s: what was written, %s, is not found again", file, c.Hit.Object, c.Hit.Path, c.New)
			}
		}
		objectsTwice(t, file, data, options)
	}
	if places < 50 {
		t.Errorf("only %d places were rewritten", places)
	}
}

func objectsTwice(t *testing.T, file string, data []byte, options imagefield.Options) {
	t.Helper()
	for _, o := range imagefield.ParseText(data).Objects() {
		once, _, err := imagefield.Rewrite(o, imagefield.Options{}, everything)
		if err != nil {
			t.Fatal(err)
		}
		twice, more, err := imagefield.Rewrite(once, options, everything)
		if err != nil || len(more) > 0 || !cmp.Equal(once.Fields(), twice.Fields()) {
			t.Errorf("%s: %s: the second run changes %d places, %v", file, o.ID(), len(more), err)
		}
	}
}

// TestHuge: a stream of many megabytes on one line, and one of as many lines; what is edited is found in one pass over it.
func TestHuge(t *testing.T) {
	const pods = 3000
	for name, separator := range map[string]string{"one line": "", "many lines": "\n"} {
		t.Run(name, func(t *testing.T) {
			var in strings.Builder
			in.WriteString(`{"kind":"List","apiVersion":"v1","items":[` + separator)
			for i := range pods {
				fmt.Fprintf(&in, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","annotations":{"a":"%s"}},%s"spec":{"containers":[{"name":"a","image":"quay.io/a/b%d:1"}]}},%s`, i, strings.Repeat("ä", 300), separator, i%7, separator)
			}
			text := strings.TrimSuffix(strings.TrimSpace(in.String()), ",") + "]}"
			out, changes := imagefield.ParseText([]byte(text)).Rewrite(imagefield.Options{}, toMirror)
			want := text
			for i := range 7 {
				want = strings.ReplaceAll(want, fmt.Sprintf("quay.io/a/b%d:1", i), fmt.Sprintf("m.example/quay/a/b%d:1", i)+pinned)
			}
			if len(changes) != pods || string(out) != want {
				t.Errorf("%d of %d places changed, %d bytes, want %d", len(changes), pods, len(out), len(want))
			}
		})
	}
}
