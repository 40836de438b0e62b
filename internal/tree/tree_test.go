package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coldstart-gitops/gen/internal/manifest"
)

func TestFileName(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, test := range []struct {
		id      manifest.ID
		builtin bool
		want    string
	}{
		{manifest.ID{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "kube-system", Name: "coredns"}, true, "deployment_kube-system_coredns.yaml"},
		{manifest.ID{Group: "apps", Version: "v2", Kind: "Deployment", Namespace: "kube-system", Name: "coredns"}, true, "deployment_kube-system_coredns.yaml"},
		{manifest.ID{Group: "cert-manager.io", Kind: "Certificate", Namespace: "web", Name: "tls"}, false, "certificate.cert-manager.io_web_tls.yaml"},
		{manifest.ID{Kind: "Namespace", Name: "web"}, true, "namespace_web.yaml"},
		{manifest.ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:node"}, true, "clusterrole_system=3anode.yaml"},
		{manifest.ID{Kind: "ClusterRole", Name: "System_~=é/../x"}, true, "clusterrole_=53ystem=5f=7e=3d=c3=a9=2f..=2fx.yaml"},
		{manifest.ID{Group: "example.com", Kind: "Con", Name: "x"}, false, "=63on.example.com_x.yaml"},
		{manifest.ID{Kind: "Nul"}, true, "nul_.yaml"},
		{manifest.ID{Group: "x", Kind: "-rf", Name: "x"}, false, "=2drf.x_x.yaml"},
		{manifest.ID{Kind: "ConfigMap", Namespace: "web", Name: long}, true, "configmap_web_" + long[:89] + "~1cad8a9d3704fff7.yaml"},
	} {
		got := FileName(test.id, test.builtin)
		if got != test.want {
			t.Errorf("%v: got %s, want %s", test.id, got, test.want)
		}
		if err := checkPath("components/x/" + got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

// FuzzFileName: every identity has a name that is safe everywhere, and two identities never share one.
func FuzzFileName(f *testing.F) {
	f.Add("g", "Kind", "ns", "a_b", "g", "Kind", "", "ns_a")
	f.Add("", "Con", "", "a:b", "con", "", "", "a=3ab")
	f.Add("", "K", "", strings.Repeat("a", 200), "", "K", strings.Repeat("a", 100), strings.Repeat("a", 99))
	f.Fuzz(func(t *testing.T, g1, k1, ns1, n1, g2, k2, ns2, n2 string) {
		a, b := manifest.ID{Group: g1, Kind: k1, Namespace: ns1, Name: n1}, manifest.ID{Group: g2, Kind: k2, Namespace: ns2, Name: n2}
		for _, id := range []manifest.ID{a, b} {
			if err := checkPath(FileName(id, false)); err != nil {
				t.Fatalf("%q: %v", id, err)
			}
		}
		plainKinds := !strings.ContainsAny(k1+k2, ".") // a kind is an identifier; "a.b" of no group would be "a" of group "b"
		same := g1 == g2 && strings.EqualFold(k1, k2) && ns1 == ns2 && n1 == n2
		if plainKinds && !same && strings.EqualFold(FileName(a, false), FileName(b, false)) {
			t.Fatalf("%q and %q share %s", a, b, FileName(a, false))
		}
	})
}

func TestAddRefuses(t *testing.T) {
	lab, other := Owner{"lab", "cilium"}, Owner{"lab", "podinfo"}
	for name, test := range map[string]struct{ first, second, want string }{
		"twice":          {"apps/x.yaml", "apps/x.yaml", "output/lab/apps/x.yaml: is written by lab/cilium and by lab/podinfo: remove it from one of them"},
		"case":           {"apps/x.yaml", "apps/X.yaml", "output/lab/apps/x.yaml of lab/cilium and output/lab/apps/X.yaml of lab/podinfo: one path on a file system that folds case: rename one of them"},
		"folder case":    {"apps/x.yaml", "Apps/y.yaml", "output/lab/apps of lab/cilium and output/lab/Apps/y.yaml of lab/podinfo: their folders differ in case alone: rename one of them"},
		"folder of file": {"a/b", "a/b/c", "output/lab/a/b of lab/cilium and output/lab/a/b/c of lab/podinfo: the one is a folder of the other: rename one of them"},
		"file of folder": {"a/b/c", "a/B", "output/lab/a/b of lab/cilium and output/lab/a/B of lab/podinfo: the one is a folder of the other: rename one of them"},
		"escape":         {"x", "../prod/x", "lab/podinfo: ../prod/x: is not a clean relative path"},
		"absolute":       {"x", "/etc/passwd", "lab/podinfo: /etc/passwd: is not a clean relative path"},
		"empty":          {"x", "", "lab/podinfo: : is not a clean relative path"},
		"record":         {"x", ".gen/cilium", "lab/podinfo: .gen/cilium: lies in .gen, which holds ownership records"},
		"git":            {"x", "a/.GIT/config", `lab/podinfo: a/.GIT/config: ".GIT" is a name with a meaning of its own`},
		"temporary":      {"x", ".gen-tmp-x", `lab/podinfo: .gen-tmp-x: ".gen-tmp-x" is a name with a meaning of its own`},
		"windows":        {"x", "a/NUL.txt", `lab/podinfo: a/NUL.txt: "NUL.txt" is a name that Windows reserves`},
		"colon":          {"x", "a:b", `lab/podinfo: a:b: "a:b" holds more than letters, digits and . _ = ~ @ + -`},
		"dot":            {"x", "a.", `lab/podinfo: a.: "a." ends in a dot, which Windows drops`},
		"newline":        {"x", "a\nb", "lab/podinfo: a\nb: \"a\\nb\" holds more than letters, digits and . _ = ~ @ + -"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := New()
			for _, o := range []Owner{lab, other} {
				if err := tree.Own(o, ""); err != nil {
					t.Fatal(err)
				}
			}
			if err := tree.Add(lab, test.first, nil); err != nil {
				t.Fatal(err)
			}
			err := tree.Add(other, test.second, nil)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestOwnRefuses(t *testing.T) {
	tree := New()
	if err := tree.Own(Owner{"lab", "cilium"}, "sha256:ab"); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Owner{
		"twice": {"lab", "cilium"}, "path": {"../lab", "x"}, "case": {"Lab", "x"}, "windows": {"lab", "aux"},
		"environment record": {"lab", "_environment"}, "empty": {"", "x"}, "dot": {"lab", ".."},
	} {
		if err := tree.Own(o, ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := tree.Own(Owner{"lab", "x"}, "a\nb"); err == nil {
		t.Error("an input hash of two lines: no error")
	}
	if err := tree.Add(Owner{"prod", "x"}, "x", nil); err == nil {
		t.Error("undeclared owner: no error")
	}
}

func TestRecord(t *testing.T) {
	sum := strings.Repeat("a", 64)
	r := record{input: "sha256:1", sums: map[string]string{"b": sum, "apps/a.yaml": sum}}
	want := recordHeader + "# input sha256:1\n" + sum + "  apps/a.yaml\n" + sum + "  b\n"
	if diff := cmp.Diff(want, string(r.encode())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for name, test := range map[string]struct{ text, want string }{
		"garbage":  {recordHeader + "hello\n", `2:1: "hello" is no line of an ownership record (hash, two spaces, path)`},
		"cut off":  {want[:len(want)-6], `4:1: "` + sum[:60]},
		"escape":   {sum + "  ../../etc/passwd\n", `1:1: path "../../etc/passwd" is not a clean relative path`},
		"absolute": {sum + "  /etc/passwd\n", `1:1: path "/etc/passwd" is not a clean relative path`},
		"binary":   {"\x00\xff\n", `1:1: "\x00\xff" is no line`},
	} {
		if _, err := parseRecord([]byte(test.text)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(recordHeader + "# input x\n" + strings.Repeat("0", 64) + "  a/b\n"))
	f.Add([]byte("<<<<<<< HEAD\n=======\n>>>>>>> x\r\n" + writingLine))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecord(text)
		if err != nil {
			return
		}
		again, err := parseRecord(r.encode())
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(record{})); err != nil || diff != "" {
			t.Fatalf("%v (-want +got)\n%s", err, diff)
		}
	})
}
