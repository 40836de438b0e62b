package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"gen": main})
}

// tidy gives all tests one temporary folder, which goes with them: runs that are killed on purpose leave theirs in it, and testscript does
// where not every script runs.
type tidy struct{ *testing.M }

func (m tidy) Run() int {
	dir, err := os.MkdirTemp("", "gen-test-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "making a folder for the tests: %v\n", err)
		return 1
	}
	defer func() {
		if f := flag.Lookup("testwork"); f == nil || f.Value.String() != "true" { // testscript's flag to keep what scripts leave
			_ = os.RemoveAll(dir)
		}
	}()
	return m.M.Run()
}

// TestScript runs testdata/script/*.txtar with the real main; go test ./cmd/gen -update mends what they expect.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"charts": cmdCharts, "envfile": cmdEnvFile, "exits": cmdExits, "faults": cmdFaults,
			"registries": cmdRegistries, "push": cmdPush, "weather": cmdWeather, "asked": cmdAsked, "shown": cmdShown,
			"json": cmdJSON,
		},
	})
}

var update = flag.Bool("update", false, "mend expected output in testdata/script")

// cmdExits is the script command `exits CODE program…`: a run that must end with just this exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program…")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// setup gives every script a cache and a git identity of its own, and BIN, a folder that holds no program but gen.
func setup(env *testscript.Env) error {
	env.Values[networkKey{}] = &scriptNetwork{}
	program, err := exec.LookPath("gen")
	if err != nil {
		return err
	}
	env.Setenv("BIN", filepath.Dir(program))
	shapes, err := filepath.Abs(shapesFile)
	if err != nil {
		return err
	}
	env.Setenv("SHAPES", shapes)
	env.Setenv("GEN_CACHE", env.WorkDir+"/.cache")
	env.Setenv("GEN_ON", "2026-11-30") // assumptions of the samples end some day
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("HOME", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Ada")
		env.Setenv("GIT_"+who+"_EMAIL", "ada@example.com")
	}
	return nil
}
