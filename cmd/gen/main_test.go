package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gen": main})
}

// TestScript runs testdata/script/*.txtar with the real main; go test ./cmd/gen -update mends what they expect.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"charts": cmdCharts, "envfile": cmdEnvFile},
	})
}

var update = flag.Bool("update", false, "mend expected output in testdata/script")

// setup gives every script a cache and a git identity of its own.
func setup(env *testscript.Env) error {
	env.Setenv("GEN_CACHE", env.WorkDir+"/.cache")
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("HOME", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Ada")
		env.Setenv("GIT_"+who+"_EMAIL", "ada@example.com")
	}
	return nil
}
