package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestRealSplit runs the scripts of testdata/real over the charts of GEN_REAL_CHARTS, a folder of packed charts.
func TestRealSplit(t *testing.T) {
	folder := os.Getenv("GEN_REAL_CHARTS")
	if folder == "" {
		t.Skip("skipped: GEN_REAL_CHARTS names no folder of packed charts")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/real",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"argo-cd", "cert-manager", "external-secrets", "metallb", "ingress-nginx"} {
				if err := copyChart(folder, name, filepath.Join(env.WorkDir, "environments", "charts")); err != nil {
					return err
				}
			}
			return setup(env)
		},
	})
}

// copyChart copies a packed chart, whatever its version, to NAME.tgz.
func copyChart(folder, name, to string) error {
	found, err := filepath.Glob(filepath.Join(folder, name+"-[v0-9]*.tgz"))
	if err != nil || len(found) == 0 {
		return os.ErrNotExist
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, name+".tgz"), data, 0o644)
}
