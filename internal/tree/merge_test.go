package tree

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	dir := t.TempDir()
	git := func(args ...string) error {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.internal", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		t.Logf("git %v: %v %s", args, err, out)
		return err
	}
	must := func(args ...string) {
		t.Helper()
		if err := git(args...); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(branch string, m model) {
		t.Helper()
		must("switch", "--quiet", "--create", branch, "main")
		syncDisk(t, filepath.Join(dir, "output"), m)
		must("add", "--all")
		must("commit", "--quiet", "--message", branch)
	}
	must("init", "--quiet")
	must("commit", "--quiet", "--allow-empty", "--message", "base")
	commit("base", fleet())
	must("branch", "--quiet", "--force", "main", "base")
	cilium, podinfo, both := fleet(), fleet(), fleet()
	cilium["lab/cilium"]["components/cilium/new.yaml"] = "new"
	podinfo["lab/podinfo"]["components/podinfo/p.yaml"] = "P"
	commit("cilium", cilium)
	commit("podinfo", podinfo)
	must("merge", "--quiet", "--no-edit", "cilium")
	both["lab/cilium"], both["lab/podinfo"] = cilium["lab/cilium"], podinfo["lab/podinfo"]
	if changes := syncDiff(t, filepath.Join(dir, "output"), both); len(changes) > 0 {
		t.Errorf("after the merge of two components: %v", kinds(changes))
	}
	other := fleet()
	other["lab/cilium"]["components/cilium/other.yaml"] = "other"
	commit("other", other)
	if err := git("merge", "--quiet", "--no-edit", "cilium"); err == nil {
		t.Fatal("no conflict: the test shows nothing")
	}
	cilium["lab/cilium"]["components/cilium/other.yaml"] = "other"
	delete(cilium["lab/cilium"], "components/cilium/new.yaml") // the merged model is neither side's
	s := scan(t, os.DirFS(filepath.Join(dir, "output")), Scope{})
	if got := s.Interrupted(); len(got) != 1 || got[0].String() != "lab/cilium" {
		t.Errorf("interrupted: %v", got)
	}
	changes := syncDisk(t, filepath.Join(dir, "output"), cilium)
	if d := cmp.Diff([]string{"removed lab/components/cilium/new.yaml"}, kinds(changes)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff(diskText(t, fresh(t, cilium)), diskText(t, filepath.Join(dir, "output"))); d != "" {
		t.Errorf("(-fresh +got)\n%s", d)
	}
}

func TestBrokenRecords(t *testing.T) {
	m := newMemory()
	mustSync(t, m, Scope{}, fleet())
	for name, content := range map[string]string{"lab/.gen/cilium": "hello\n", "prod/.gen/_environment": "../../x\n"} {
		if err := m.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Scan(m, Scope{}, nil)
	want := `output/lab/.gen/cilium:1:1: "hello" is no line of an ownership record (hash, two spaces, path): take the file from git, or remove it and the files of lab/cilium, then run ` + "`gen render -e lab`\n" +
		`output/prod/.gen/_environment:1:1: "../../x" is no line of an ownership record (hash, two spaces, path): take the file from git, or remove it and the files of prod, then run ` + "`gen render -e prod`"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
