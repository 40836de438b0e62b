package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Gen is the built program that is judged.
type Gen struct{ Path string }

// Proof is the part of `gen prove -o json` that can be judged.
type Proof struct {
	Verdict      Verdict  `json:"verdict"`
	Applications []Proved `json:"applications"`
}

// Proved is what the proof says of one Application.
type Proved struct {
	Name    string   `json:"name"`
	Verdict Verdict  `json:"verdict"`
	Ending  Ending   `json:"ending"`
	After   []string `json:"after"`
	Retries int      `json:"retries"`
	Blocked *ID      `json:"blocked"`
	Axiom   string   `json:"axiom"`
	MayFail []Moment `json:"mayFail"`
	Chain   []struct {
		Text string `json:"text"`
	} `json:"chain"`
}

// Moment is an object for which one attempt may fail although the verdict is good.
type Moment struct {
	Object ID     `json:"object"`
	Why    string `json:"why"`
}

// ID names an object in a proof.
type ID struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// BuildGen builds the program from the repository at root into dir, or takes the one that GEN_E2E_GEN names.
func BuildGen(ctx context.Context, root, dir string) (Gen, error) {
	if path := os.Getenv("GEN_E2E_GEN"); path != "" {
		return Gen{path}, nil
	}
	g := Gen{filepath.Join(dir, "gen")}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", g.Path, "./cmd/gen")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return g, fmt.Errorf("building gen: %w\n%s", err, out)
	}
	return g, nil
}

// Around is what a folder does not say itself: the version of Argo CD, its argocd-cm, and what is there before the start.
type Around struct {
	Argo     string
	Settings map[string]any // data of argocd-cm; nil where the folder brings it
	Facts    []string
}

// Prove runs `gen prove --dir` on a folder. The exit codes for bad verdicts (4, 5) are verdicts, not errors.
func (g Gen) Prove(ctx context.Context, dir, scratch string, around Around) (Proof, error) {
	args := []string{"prove", "--dir", dir, "--argocd", strings.Join(strings.Split(around.Argo, ".")[:2], "."), "-o", "json"}
	given, err := givenYAML(around.Facts)
	if err != nil {
		return Proof{}, err
	}
	files := map[string][]byte{"given": given}
	if around.Settings != nil {
		cm := object("v1", "ConfigMap", "argocd", "argocd-cm", map[string]any{"data": around.Settings})
		if files["argocd-cm"], err = cm.MarshalJSON(); err != nil {
			return Proof{}, fmt.Errorf("writing argocd-cm: %w", err)
		}
	}
	for flag, content := range files {
		path := filepath.Join(scratch, flag+".yaml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return Proof{}, fmt.Errorf("writing what surrounds the proof: %w", err)
		}
		args = append(args, "--"+flag, path)
	}
	return g.run(ctx, dir, args)
}

func (g Gen) run(ctx context.Context, dir string, args []string) (Proof, error) {
	cmd := exec.CommandContext(ctx, g.Path, args...)
	var exit *exec.ExitError
	out, err := cmd.Output()
	if errors.As(err, &exit) && (exit.ExitCode() == 4 || exit.ExitCode() == 5) {
		err = nil
	}
	if err != nil {
		message := ""
		if exit != nil {
			message = string(exit.Stderr)
		}
		return Proof{}, fmt.Errorf("proving %s: %w\n%s", dir, err, message)
	}
	var p Proof
	if err := json.Unmarshal(out, &p); err != nil {
		return Proof{}, fmt.Errorf("reading a proof: %w\n%s", err, out)
	}
	return p, nil
}

// givenYAML writes facts as environments have them.
func givenYAML(facts []string) ([]byte, error) {
	list := []map[string]string{}
	for _, f := range facts {
		list = append(list, map[string]string{"fact": f, "reason": "the judge makes it true", "owner": "e2e"})
	}
	out, err := yaml.Marshal(map[string]any{"given": list})
	if err != nil {
		return nil, fmt.Errorf("writing what is given: %w", err)
	}
	return out, nil
}

// Axioms are the facts which would settle what the proof could not tell.
func (p Proof) Axioms() []string {
	var out []string
	for _, a := range p.Applications {
		if a.Axiom != "" {
			out = append(out, a.Axiom)
		}
	}
	return out
}
