package render

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

// chanceInput is a component that uses all kinds of functions which are replaced.
func chanceInput() Input {
	in := chartInput("", "")
	in.Chart = os.DirFS("testdata/chance")
	return in
}

// chanceHash renders it and returns a hash of its canonical documents and of the notices.
func chanceHash(ctx context.Context) (string, error) {
	got, err := New().Render(ctx, chanceInput())
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, object := range got.Bundle.Objects {
		document, err := manifest.Emit(object)
		if err != nil {
			return "", err
		}
		hash.Write(document)
	}
	fmt.Fprint(hash, got.Notices)
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// TestSameInputSameBytes renders in processes of other time zones, homes and numbers of threads, 20 times in all.
func TestSameInputSameBytes(t *testing.T) {
	if os.Getenv("GEN_PRINT_CHANCE") != "" {
		hash, err := chanceHash(t.Context())
		fmt.Println(hash, err)
		return
	}
	hash, err := chanceHash(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, environ := range [][]string{
		{"GOMAXPROCS=1", "TZ=Pacific/Auckland"}, {"GOMAXPROCS=2", "TZ=America/Los_Angeles", "LANG=tr_TR.UTF-8"}, {"GOMAXPROCS=8", "TZ=UTC"},
	} {
		command := exec.Command(program, "-test.run=^TestSameInputSameBytes$")
		command.Env = append(append(os.Environ(), environ...), "GEN_PRINT_CHANCE=1", "HOME="+t.TempDir())
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hash+" <nil>\nPASS\n", string(out)); diff != "" {
			t.Errorf("%v (-here +there):\n%s", environ, diff)
		}
	}
	for i := range 16 {
		if again, _ := chanceHash(t.Context()); again != hash {
			t.Errorf("run %d: hash %s, want %s", i, again, hash)
		}
	}
}

// TestChanceNeedsTheReplacements shows that the fixture is worth something: with the engine's own functions it differs.
func TestChanceNeedsTheReplacements(t *testing.T) {
	read, err := New().loadChart(os.DirFS("testdata/chance"), "")
	if err != nil {
		t.Fatal(err)
	}
	render := func(functions map[string]any) string {
		files, err := engine.Engine{CustomTemplateFuncs: functions}.Render(read.pristine, common.Values{"Values": read.pristine.Values})
		if err != nil {
			t.Fatal(err)
		}
		return files["chance/templates/all.yaml"]
	}
	first, second := newWorld("lab", "demo", false), newWorld("lab", "demo", false)
	if render(first.functions()) != render(second.functions()) {
		t.Error("with the replaced functions it differs")
	}
	if plain := render(nil); plain == render(nil) {
		t.Error("without the replaced functions it is the same twice")
	}
	for _, name := range []string{"keys", "values", "shuffle", "now", "randAlphaNum", "randInt", "uuidv4", "randBytes", "htpasswd", "encryptAES", "genPrivateKey"} {
		same := true
		for tries := 0; same && tries < 8; tries++ {
			functions := newWorld("lab", "demo", false).functions()
			delete(functions, name)
			again := newWorld("lab", "demo", false).functions()
			delete(again, name)
			same = same && render(functions) == render(again)
		}
		if same {
			t.Errorf("without the replacement of %s it is the same every time", name)
		}
	}
}
