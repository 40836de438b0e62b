package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fleetOf is a model of many environments and images at one mirrored registry: each environment has one of five components, and names a
// fifth of the images.
func fleetOf(environments, images int) map[string]string {
	const parts = 5
	files := map[string]string{
		"environments/fleet.yaml": "apiVersion: gen/v1\nkind: Fleet\ngit: {url: https://git.example.internal/platform/fleet.git, branch: main, path: \"output/{env}\"}\n" +
			"argocd: {in: none}\ncomponents:\n",
	}
	for part := range parts {
		files["environments/fleet.yaml"] += fmt.Sprintf("  part-%d: {manifests: part-%d, namespace: web, enabled: false}\n", part, part)
	}
	for i := range environments {
		name := fmt.Sprintf("env-%02d", i)
		files["environments/"+name+".yaml"] = "apiVersion: gen/v1\nkind: Environment\nname: " + name + "\nversions: {kubernetes: 1.36.2}\n" +
			"facts: {mirrors: [{source: up.example.com, endpoint: \"https://mirror.example.com\", path: up, kind: explicit}]}\n" +
			fmt.Sprintf("components: {part-%d: {enabled: true}}\n", i%parts)
	}
	for i := range images {
		name := fmt.Sprintf("environments/part-%d/pod-%03d.yaml", i%parts, i)
		files[name] = fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: pod-%03d}\nspec: {containers: [{name: a, image: %q}, {name: b, image: %q}]}\n", i, imageName("up.example.com", i), imageName("up.example.com", i))
	}
	return files
}

func imageName(at string, i int) string { return fmt.Sprintf("%s/org/app-%03d:v1.0.0", at, i) }

// startTwo is a network of one source and one mirror, which hold the same images and want bearer tokens.
func startTwo(t *testing.T, images int, platforms ...string) *registries {
	t.Helper()
	n, err := startRegistries("up.example.com", "mirror.example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.close)
	for i := range images {
		for _, at := range []string{"up.example.com", "mirror.example.com/up"} {
			if _, err := n.push(imageName(at, i), fmt.Sprint("image ", i), platforms); err != nil {
				t.Fatal(err)
			}
		}
	}
	for host, h := range n.hosts {
		h.weather = login{host: host}.serve
	}
	return n
}

// gen runs the program among registries, and returns what it printed to both.
func (n *registries) gen(t *testing.T, root string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	trusted := filepath.Join(t.TempDir(), "public.pem")
	if err := os.WriteFile(trusted, n.public.pem, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "gen", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HTTPS_PROXY="+n.proxy.URL, "SSL_CERT_FILE="+trusted, "GEN_CACHE="+filepath.Join(root, ".cache"), "HOME="+root, "DOCKER_CONFIG=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// asked returns how often each host was asked, and begins to count anew.
func (n *registries) asked() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := map[string]int{}
	for name, h := range n.hosts {
		out[name], h.asked = len(h.asked), nil
	}
	return out
}

// 100 images that 50 environments name, 2000 times together, cost one ping, one token and one question each at the source, and at the mirror
// one question more for the manifest of the one platform: whoever names an image again asks nobody. Rendering asks nobody at all, and
// nothing is drawn where no person looks.
func TestImagesAreAskedAboutOnce(t *testing.T) {
	n := startTwo(t, 100, "linux/amd64", "linux/arm64")
	root := t.TempDir()
	writeFiles(t, root, fleetOf(50, 100))
	for _, c := range []struct {
		args           []string
		says           string
		source, mirror int
	}{
		{[]string{"images", "lock"}, "100 images: 100 added\n", 102, 202},
		{[]string{"images", "lock"}, "100 images: 100 unchanged\n", 102, 202},
		{[]string{"images", "verify"}, "100 images: 100 unchanged\n", 102, 202},
		{[]string{"images", "verify", "--source", "lock"}, "100 images: 100 unchanged\n", 0, 202},
		{[]string{"render"}, "20 images (20 rewritten to a mirror)", 0, 0},
	} {
		stdout, stderr, err := n.gen(t, root, c.args...)
		if err != nil || stderr != "" || !strings.Contains(stdout, c.says) || strings.ContainsAny(stdout, "\r\033") {
			t.Fatalf("gen %v: %v\n%s%s", c.args, err, stdout, stderr)
		}
		if asked := n.asked(); asked["up.example.com"] > c.source || asked["mirror.example.com"] > c.mirror {
			t.Errorf("gen %v: asked %v; want %d and %d at most", c.args, asked, c.source, c.mirror)
		}
	}
	if strange := n.strange; len(strange) > 0 {
		t.Errorf("strangers were asked: %v", strange)
	}
}

// Many images of one cause are one line, whichever command says it, however many environments name them; with -v each has its own.
func TestManyImagesOfOneCause(t *testing.T) {
	n := startTwo(t, 0)
	root := t.TempDir()
	writeFiles(t, root, fleetOf(50, 26))
	_, stderr, err := n.gen(t, root, "render")
	want := "error: env-00, env-01, env-02 and 47 more: 26 images of up.example.com: mirrors cover them, and environments/images.lock holds no proof that the mirrors serve the same bytes: " +
		"up.example.com/org/app-000:v1.0.0, up.example.com/org/app-001:v1.0.0, up.example.com/org/app-002:v1.0.0 and 23 more (`gen images list` names each with its places): run `gen images lock`; " +
		"where that enters nothing, it says why (DIFFERENT, MISSING, …) and how to copy the image\n"
	if err == nil || stderr != want {
		t.Errorf("render: %v\n%s\nwant\n%s", err, stderr, want)
	}
	for _, h := range n.hosts {
		h.weather = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(401) }
	}
	stdout, _, err := n.gen(t, root, "images", "lock")
	want = "unproven   UNKNOWN     26 images: the source could not be asked: up.example.com refuses access (401; asked anonymously: no credential for this host in the docker config; `docker login up.example.com` stores one)\n" +
		"    up.example.com/org/app-000:v1.0.0, up.example.com/org/app-001:v1.0.0, up.example.com/org/app-002:v1.0.0 and 23 more (env-00, env-01, env-02 and 47 more); --verbose prints each\n" +
		"26 images: 26 unproven\n"
	if err == nil || stdout != want {
		t.Errorf("lock: %v\n%s\nwant\n%s", err, stdout, want)
	}
	if stdout, _, _ = n.gen(t, root, "images", "lock", "-v"); strings.Count(stdout, "refuses access to org/app-") != 26 {
		t.Errorf("lock -v:\n%s", stdout)
	}
}
