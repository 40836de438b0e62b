package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"
)

// counting is a folder that counts what is opened, and stops whoever reads it after so many.
type counting struct {
	fs.FS
	opened, most int
	stop         context.CancelFunc
}

func (c *counting) Open(name string) (fs.File, error) {
	if c.opened++; c.opened == c.most {
		c.stop()
	}
	return c.FS.Open(name)
}

// TestLoadStops states that nothing more is read once nobody waits.
func TestLoadStops(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 200 {
		files[fmt.Sprintf("app%d.yaml", i)] = &fstest.MapFile{Data: []byte(application(fmt.Sprintf("a%d", i), fmt.Sprintf("{path: m%d}", i)))}
		files[fmt.Sprintf("m%d/c.yaml", i)] = &fstest.MapFile{Data: []byte(configMap("c"))}
	}
	for _, most := range []int{0, 40, 900} { // in the walk, and while sources are read
		ctx, stop := context.WithCancel(t.Context())
		if most == 0 {
			stop()
		}
		folder := &counting{FS: files, most: most, stop: stop}
		if _, err := Load(ctx, folder, "", Tools{}); !errors.Is(err, context.Canceled) || folder.opened > most+20 {
			t.Errorf("stopped at %d: %d opened, %v", most, folder.opened, err)
		}
		stop()
	}
	whole := &counting{FS: files}
	if _, err := Load(t.Context(), whole, "", Tools{}); err != nil || whole.opened < 1000 {
		t.Errorf("%d opened, %v", whole.opened, err)
	}
}

// TestSetParsesOnce counts what 500 elements of an ApplicationSet cost beyond their Applications: templates are read once.
func TestSetParsesOnce(t *testing.T) {
	set := func(n int) map[string]string {
		text := "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  goTemplate: true\n  generators: [{list: {elements: ["
		for i := range n {
			text += fmt.Sprintf("{name: e%d}, ", i)
		}
		return map[string]string{"s.yaml": text + "]}}]\n  template: {metadata: {name: '{{.name}}'}, spec: {project: default, source: {repoURL: 'https://x', path: m}, destination: {name: in-cluster}}}\n"}
	}
	bytes := func(n int) uint64 {
		files := filesOf(set(n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if folder, err := Load(t.Context(), files, "", Tools{}); err != nil || len(folder.Applications) != n {
			t.Fatal(len(folder.Applications), err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if each := (bytes(510) - bytes(10)) / 500; each > 64<<10 {
		t.Errorf("%d bytes for each element", each)
	} else {
		t.Logf("%d bytes for each element", each)
	}
}
