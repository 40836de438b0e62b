package main

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coldstart-gitops/gen/internal/report"
)

// version is set by the linker when a release is built.
var version = "dev"

// toolVersion is the release, the module's version where Go knows it, or "dev".
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != "dev" || !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return version
	}
	return info.Main.Version
}

// releaseVersion is what the model's gen.version is held against: nothing for a build from source.
func releaseVersion() string {
	if v := toolVersion(); v != "dev" {
		return strings.TrimPrefix(v, "v")
	}
	return ""
}

// buildID names this very build, for the keys of caches: Go's own build ID, else the size and time of the program.
func buildID() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	if file, err := elf.Open(name); err == nil {
		defer file.Close()
		if note := file.Section(".note.go.buildid"); note != nil {
			if data, err := note.Data(); err == nil && len(data) > 16 {
				return string(data[16:])
			}
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

func newVersion(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if g.output == "json" {
				return report.WriteJSON(g.out, map[string]string{"version": toolVersion()})
			}
			_, err := fmt.Fprintln(g.out, toolVersion())
			return err
		},
	}
}
