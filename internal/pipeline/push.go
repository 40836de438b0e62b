package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/git"
	"github.com/coldstart-gitops/gen/internal/tree"
)

// Push is what `gen push` was asked for.
type Push struct {
	Remote         string // name or URL; "" is origin
	Branch         string // where output lies beside its source: the branch, which HEAD says unless it is detached
	AllowDeletions int    // how many objects may go; -1 leaves it to the model's budgets
	LeaveObjects   bool   // Applications may go without the objects that they made
}

// Pushed is how publishing one branch ended.
type Pushed struct {
	Environments []string
	Outcome      git.Outcome
	Run          Run // of the last attempt; its changes are what the commit changes
}

// Push renders the committed model and publishes its output: environments whose output lies beside their source in one commit,
// each output branch in one of its own. The work tree's files are not what is rendered. A refusal by a guard is a Refusal.
func (s Setup) Push(ctx context.Context, push Push) ([]Pushed, error) {
	repo, err := git.Open(ctx, s.Root)
	if err != nil {
		return nil, err
	}
	if err := s.whole(tree.Scope{}); err != nil {
		return nil, err
	}
	plans, err := s.committed(ctx, repo, "HEAD")
	if err != nil {
		return nil, err
	}
	if push.Branch != "" && plans[0].Environment.Git.Mode == outputBranch {
		return nil, fmt.Errorf("--branch %s: means something where output lies beside its source only; the model names the output branches (git.branch)", push.Branch)
	}
	var beside []Plan
	var pushed []Pushed
	var problems []error
	for _, plan := range plans {
		if plan.Environment.Git.Mode != outputBranch {
			beside = append(beside, plan)
			continue
		}
		p, err := s.pushBranch(ctx, repo, plan, push)
		pushed, problems = append(pushed, p), append(problems, err)
	}
	if len(beside) > 0 {
		p, err := s.pushBeside(ctx, repo, beside, push)
		pushed, problems = append(pushed, p), append(problems, err)
	}
	return pushed, errors.Join(problems...)
}

const outputBranch = "output-branch"

// whole refuses an output folder that a run began to write and did not end. What a commit holds is no such thing, whatever its
// records say: it is compared with what is rendered, and replaced.
func (s Setup) whole(scope tree.Scope) error {
	snapshot, err := tree.Scan(os.DirFS(s.outputDir()), scope, nil)
	if err != nil {
		return err
	}
	owners := snapshot.Interrupted()
	if len(owners) == 0 {
		return nil
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = o.String()
	}
	return fmt.Errorf("%s/: a run that wrote %s broke off: what stands there is a mixture: run `gen render`", OutputDir, strings.Join(names, ", "))
}

// committed loads the model of a commit.
func (s Setup) committed(ctx context.Context, repo *git.Repository, rev string) ([]Plan, error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.Commit == "" {
		return nil, errors.New("there is no commit yet, and only committed sources are published: `git add environments && git commit`")
	}
	at, err := s.at(ctx, repo, rev)
	if err != nil {
		return nil, err
	}
	if top, err := fs.ReadDir(at.Model, "."); err != nil || len(top) == 0 {
		return nil, fmt.Errorf("the commit %.12s holds no folder %s, and only committed sources are published: `git add environments && git commit`", head.Commit, path.Join(repo.Prefix(), ModelDir))
	}
	return at.Load()
}

// at is the setup with the model of a commit.
func (s Setup) at(ctx context.Context, repo *git.Repository, rev string) (Setup, error) {
	model, err := repo.Files(ctx, rev, git.Folder{Path: path.Join(repo.Prefix(), ModelDir)})
	if err != nil {
		return s, err
	}
	s.Model = model
	return s, nil
}

// pushBeside publishes output that lies beside its source.
func (s Setup) pushBeside(ctx context.Context, repo *git.Repository, beside []Plan, push Push) (Pushed, error) {
	out := path.Join(repo.Prefix(), OutputDir)
	var pushed Pushed
	for _, plan := range beside {
		pushed.Environments = append(pushed.Environments, plan.Environment.Name)
	}
	outcome, err := repo.PublishSameBranch(ctx, git.SameBranch{
		Remote:  push.Remote,
		Branch:  push.Branch,
		Sources: []string{path.Join(repo.Prefix(), ModelDir)},
		Output:  []string{out},
	}, func(ctx context.Context, source, base string) (git.Edit, error) {
		at, err := s.at(ctx, repo, source)
		if err != nil {
			return git.Edit{}, err
		}
		plans, err := at.Load()
		if err != nil {
			return git.Edit{}, err
		}
		plans = slices.DeleteFunc(plans, func(p Plan) bool { return p.Environment.Git.Mode == outputBranch })
		for _, plan := range plans {
			if want := path.Join(out, plan.Environment.Name); plan.Environment.Git.Path != want {
				return git.Edit{}, fmt.Errorf("%s: git.path is %q, and the output lies in %s of this repository: Argo CD would read another folder: write git.path as %s/{env}",
					plan.Environment.Name, plan.Environment.Git.Path, want, out)
			}
		}
		place := placement{folder: git.Folder{Path: out}, under: out}
		edit, run, err := at.edit(ctx, repo, editRequest{plans, base, at.scope(plans), place, push})
		pushed.Run, pushed.Environments = run, run.names()
		return edit, err
	})
	pushed.Outcome = outcome
	return pushed, err
}

// pushBranch publishes one environment's output branch.
func (s Setup) pushBranch(ctx context.Context, repo *git.Repository, plan Plan, push Push) (Pushed, error) {
	env := plan.Environment
	pushed := Pushed{Environments: []string{env.Name}}
	one := s
	one.Environments = []string{env.Name}
	outcome, err := repo.PublishOutputBranch(ctx, git.OutputBranch{
		Remote:       push.Remote,
		Branch:       env.Git.Branch,
		SourceBranch: env.Git.SourceBranch,
		Sources:      []string{path.Join(repo.Prefix(), ModelDir)},
	}, func(ctx context.Context, source, base string) (git.Edit, error) {
		at, err := one.at(ctx, repo, source)
		if err != nil {
			return git.Edit{}, err
		}
		plans, err := at.Load()
		if err != nil {
			return git.Edit{}, err
		}
		place := placement{folder: git.Folder{Path: env.Git.Path, As: env.Name}, under: env.Git.Path, strip: env.Name + "/"}
		edit, run, err := at.edit(ctx, repo, editRequest{plans, base, at.scope(plans), place, push})
		pushed.Run = run
		return edit, err
	})
	pushed.Outcome = outcome
	return pushed, err
}

// placement says where the output folder lies in a commit: folder is read as it, and "strip" in a file's path becomes "under".
type placement struct {
	folder       git.Folder
	under, strip string
}

func (p placement) path(name string) string {
	return path.Join(p.under, strings.TrimPrefix(name, p.strip))
}

type editRequest struct {
	plans []Plan
	base  string
	scope tree.Scope
	place placement
	push  Push
}

// edit renders and returns what that changes in the commit base.
func (s Setup) edit(ctx context.Context, repo *git.Repository, r editRequest) (git.Edit, Run, error) {
	before, err := repo.Files(ctx, r.base, r.place.folder)
	if err != nil {
		return git.Edit{}, Run{}, err
	}
	run, err := s.against(ctx, r.plans, before, r.scope)
	if err != nil {
		return git.Edit{}, run, err
	}
	edit := git.Edit{Write: map[string][]byte{}, Message: message(run)}
	for _, c := range run.Changes {
		switch c.Kind {
		case tree.Added, tree.Changed:
			edit.Write[r.place.path(c.Path)] = c.After
		case tree.Removed:
			edit.Delete = append(edit.Delete, r.place.path(c.Path))
		}
	}
	return edit, run, guarded(run, r.push)
}

// against renders the plans and compares a folder of files with them.
func (s Setup) against(ctx context.Context, plans []Plan, before fs.FS, scope tree.Scope) (Run, error) {
	results, err := s.Finish(ctx, plans)
	if err != nil {
		return Run{Results: results}, err
	}
	t, err := s.Output(ctx, results)
	if err != nil {
		return Run{Results: results}, err
	}
	snapshot, err := tree.Scan(before, scope, nil)
	if err != nil {
		return Run{Results: results}, err
	}
	changes, err := t.Diff(snapshot)
	return Run{Results: results, Changes: changes}, err
}

func (r Run) names() []string {
	var names []string
	for _, result := range r.Results {
		names = append(names, result.Environment.Name)
	}
	return names
}

// message is the commit's: which environments change, how much, and which go as a whole.
func message(run Run) string {
	var changed, lines []string
	for _, name := range run.names() {
		var added, edited, removed int
		for _, c := range run.Changes {
			if !strings.HasPrefix(c.Path, name+"/") || c.IsRecord() {
				continue
			}
			switch c.Kind {
			case tree.Added:
				added++
			case tree.Changed:
				edited++
			case tree.Removed:
				removed++
			}
		}
		if added+edited+removed > 0 {
			changed = append(changed, name)
			lines = append(lines, fmt.Sprintf("%s: %d added, %d changed, %d removed", name, added, edited, removed))
		}
	}
	var did []string
	if len(changed) > 0 {
		did = append(did, "render "+strings.Join(changed, ", "))
	}
	for _, g := range run.Gone() {
		did = append(did, "remove "+g.Environment)
		lines = append(lines, fmt.Sprintf("%s: the whole environment, %d removed", g.Environment, g.Files))
	}
	if len(did) == 0 {
		return "gen: render"
	}
	return "gen: " + strings.Join(did, ", ") + "\n\n" + strings.Join(lines, "\n") + "\n"
}
