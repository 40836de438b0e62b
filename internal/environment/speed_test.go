package environment

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
)

// counting counts how often each file is read.
type counting struct {
	fs.FS
	mu    sync.Mutex
	reads map[string]int
}

func (c *counting) Open(name string) (fs.File, error) {
	c.mu.Lock()
	c.reads[name]++
	c.mu.Unlock()
	return c.FS.Open(name)
}

// fleetOf is the sample with n environments and a values file that all share.
func fleetOf(n int) *counting {
	fsys := folder(strings.Replace(sample, "    namespace: podinfo\n", "    namespace: podinfo\n    valuesFiles: [values.txt]\n", 1) + "-- values.txt --\nhost: ${facts.domain}\n")
	lab := string(fsys["lab.yaml"].Data)
	for i := range n - 1 {
		name := fmt.Sprintf("lab%03d", i)
		copied := *fsys["lab.yaml"]
		copied.Data = []byte(strings.NewReplacer("name: lab", "name: "+name, "lab.example.com", name+".example.com").Replace(lab))
		fsys[name+".yaml"] = &copied
	}
	return &counting{FS: fsys, reads: map[string]int{}}
}

// TestEachFileIsReadOnce holds that loading grows with the files, not with files times environments.
func TestEachFileIsReadOnce(t *testing.T) {
	fsys := fleetOf(100)
	envs, err := Load(fsys, Options{Known: known})
	if err != nil || len(envs) != 100 {
		t.Fatalf("%d environments, %v", len(envs), err)
	}
	for _, name := range keys(fsys.reads) {
		if strings.Contains(name, ".") && name != "." && fsys.reads[name] > 2 { // values files are looked at before they are read
			t.Errorf("%s was opened %d times", name, fsys.reads[name])
		}
	}
}

// TestAllocations holds the cost of one environment more.
func TestAllocations(t *testing.T) {
	cost := func(n int) float64 {
		fsys := fleetOf(n)
		return testing.AllocsPerRun(3, func() {
			if _, err := Load(fsys, Options{Known: known}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if each := (cost(40) - cost(20)) / 20; each > 4000 {
		t.Errorf("an environment costs %.0f allocations, want at most 4000", each)
	}
}

func BenchmarkLoad100(b *testing.B) {
	fsys := fleetOf(100)
	for b.Loop() {
		if _, err := Load(fsys, Options{Known: known}); err != nil {
			b.Fatal(err)
		}
	}
}
