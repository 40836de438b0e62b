package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coldstart-gitops/gen/internal/environment"
	"github.com/coldstart-gitops/gen/internal/image"
	"github.com/coldstart-gitops/gen/internal/imagefield"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

// ImageUse is one image reference of one environment: where it stands, what it becomes, and why.
type ImageUse struct {
	Environment string
	Reference   string // as the charts name it
	Written     string // as it is written out
	Status      image.Status
	Places      []ImagePlace // sorted
}

// ImagePlace is one place that names an image.
type ImagePlace struct {
	Component string
	Hit       imagefield.Hit
}

// policy is what the environment's facts say about images.
func policy(env *environment.Environment) image.Policy {
	p := image.Policy{}
	for _, m := range env.Facts.Mirrors {
		p.Rules = append(p.Rules, image.Rule(m))
	}
	for _, node := range env.Facts.Nodes {
		p.Platforms = append(p.Platforms, "linux/"+cmp.Or(node.Arch, "amd64"))
	}
	slices.Sort(p.Platforms)
	p.Platforms = slices.Compact(p.Platforms)
	return p
}

// imagesLock reads images.lock.
func (s Setup) imagesLock() (*image.Lock, error) {
	data, err := s.readModelFile(ImagesLock)
	if err != nil {
		return nil, err
	}
	return image.ParseLock(ModelDir+"/"+ImagesLock, data)
}

// collectImages finds every image that the bundles of one environment name, sorted by reference. Places that name an image and cannot
// be rewritten make a use of their own, with the status Listed.
func collectImages(env *environment.Environment, bundles []manifest.Bundle, lock *image.Lock) []ImageUse {
	p := policy(env)
	options := findOptions(env)
	places := map[imageKey][]ImagePlace{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, hit := range imagefield.Find(o, options) {
				key := imageKey{hit.Reference, hit.Rewritable}
				places[key] = append(places[key], ImagePlace{b.Name, hit})
			}
		}
	}
	uses := make([]ImageUse, 0, len(places))
	for key, at := range places {
		use := ImageUse{Environment: env.Name, Reference: key.reference, Written: key.reference, Status: image.Listed, Places: at}
		if key.rewritable {
			use.Written, use.Status = lock.Lookup(key.reference, p)
		}
		uses = append(uses, use)
	}
	slices.SortFunc(uses, func(a, b ImageUse) int {
		return cmp.Or(cmp.Compare(a.Reference, b.Reference), cmp.Compare(a.Status, b.Status))
	})
	return uses
}

// objectKey is an object of one environment: no component has two of one identity.
type objectKey struct {
	component string
	id        manifest.ID
}

type imageKey struct {
	reference  string
	rewritable bool
}

// left returns the places that name an image at a mirrored registry and can only be listed.
func left(uses []ImageUse, rules image.Rules) []ImageUse {
	return slices.DeleteFunc(slices.Clone(uses), func(use ImageUse) bool {
		ref, err := image.Parse(use.Reference)
		return use.Status != image.Listed || err != nil || !rules.Covered(ref)
	})
}

// strictly returns the refusal for what is left: one line a place.
func strictly(result Result) error {
	var problems []error
	for _, use := range left(result.Images, policy(result.Environment).Rules) {
		for _, at := range use.Places {
			problems = append(problems, fmt.Errorf("%s/%s: %s: %s: %s: a mirror covers it, and it is neither proven nor rewritten here: %s; set it by the chart's values, take it out, or render without --strict",
				result.Environment.Name, at.Component, at.Hit.Object, at.Hit.Path, use.Reference, at.Hit.Note))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return Refusal{errors.Join(problems...)}
}

// rewriteImages writes what the lock proves into every place of every object.
func rewriteImages(env *environment.Environment, bundles []manifest.Bundle, uses []ImageUse) ([]manifest.Bundle, error) {
	written := map[string]string{}
	changed := map[objectKey]bool{} // who names a reference that becomes another: nobody else is looked at again
	for _, use := range uses {
		if use.Status == image.Listed {
			continue
		}
		written[use.Reference] = use.Written
		for _, at := range use.Places {
			if use.Written != use.Reference {
				changed[objectKey{at.Component, at.Hit.Object}] = true
			}
		}
	}
	options := findOptions(env)
	lookup := func(reference string) (string, bool) {
		to, ok := written[reference]
		return to, ok
	}
	out := make([]manifest.Bundle, len(bundles))
	var problems []error
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: slices.Clone(b.Objects)}
		for j, o := range b.Objects {
			if !changed[objectKey{b.Name, o.ID()}] {
				continue
			}
			rewritten, _, err := imagefield.Rewrite(o, options, lookup)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s/%s: %s: %w", env.Name, b.Name, o.ID(), err))
			}
			out[i].Objects[j] = rewritten
		}
	}
	return out, errors.Join(problems...)
}

// Refusal is an error that says: a guard refused, nothing is wrong with the input's form.
type Refusal struct{ Err error }

func (r Refusal) Error() string { return r.Err.Error() }

// Unwrap returns what was refused.
func (r Refusal) Unwrap() error { return r.Err }

// ImageCheck is what `gen images lock` and `verify` saw of one reference at one mirror, and what that means for the lock.
type ImageCheck struct {
	image.Update
	Environments []string // that name it, sorted
}

// LockImages asks both sides of every image of the whole model that a mirror covers, enters what is proven into images.lock
// and removes what no environment names any more. What was proven stays, whatever the registries answer.
func (s Setup) LockImages(ctx context.Context, client *image.Client, look Look) ([]ImageCheck, []image.Entry, error) {
	checks, lock, err := s.WholeModel().imageChecks(ctx)
	if err != nil {
		return nil, nil, err
	}
	look.prepare(checks, lock)
	lock.Update(ask(ctx, client, checks, lock))
	if err := ctx.Err(); err != nil {
		return checks, nil, err
	}
	removed := lock.Prune(requests(checks))
	return checks, removed, s.saveImages(lock)
}

// Look says how closely images are looked at.
type Look struct {
	Deep     bool // every layer and attestation, too
	FromLock bool // the source's side comes from the lock, for a network in which only the mirror can be reached
}

func (l Look) prepare(checks []ImageCheck, lock *image.Lock) {
	for i := range checks {
		request := &checks[i].Result.Request
		request.Deep = l.Deep
		if l.FromLock {
			request.Digest, request.NoSource = lock.Digest(*request), true
		}
	}
}

// VerifyImages asks as LockImages does, about what is selected, and writes nothing.
func (s Setup) VerifyImages(ctx context.Context, client *image.Client, look Look) ([]ImageCheck, error) {
	checks, lock, err := s.imageChecks(ctx)
	if err != nil {
		return nil, err
	}
	look.prepare(checks, lock)
	ask(ctx, client, checks, lock)
	return checks, ctx.Err()
}

// ask fills checks with what the registries answer, and with what that would do to the lock, which stays as it is.
func ask(ctx context.Context, client *image.Client, checks []ImageCheck, lock *image.Lock) []image.Result {
	results := client.Verify(ctx, requests(checks))
	for i, update := range lock.Clone().Update(results) {
		checks[i].Update = update
	}
	return results
}

func requests(checks []ImageCheck) []image.Request {
	out := make([]image.Request, len(checks))
	for i, c := range checks {
		out[i] = c.Result.Request
	}
	return out
}

// imageChecks renders what is selected, and says what is to be asked about its images.
func (s Setup) imageChecks(ctx context.Context) ([]ImageCheck, *image.Lock, error) {
	uses, policies, err := s.Images(ctx)
	if err != nil {
		return nil, nil, err
	}
	lock, err := s.imagesLock()
	return imageRequests(uses, policies), lock, err
}

func (s Setup) saveImages(lock *image.Lock) error {
	before, err := s.readModelFile(ImagesLock)
	if err != nil {
		return err
	}
	if data := lock.Emit(); string(data) != string(before) {
		return s.writeModelFile(ImagesLock, data)
	}
	return nil
}

// imageRequests joins what many environments ask about one reference at one place, sorted.
func imageRequests(uses []ImageUse, policies map[string]image.Policy) []ImageCheck {
	references := map[string][]string{}
	for _, use := range uses {
		if use.Status != image.Listed {
			references[use.Environment] = append(references[use.Environment], use.Reference)
		}
	}
	var all [][]image.Request
	users := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(references)) {
		asked := image.Requests(references[name], policies[name])
		for _, r := range asked {
			users[r.Key()] = append(users[r.Key()], name)
		}
		all = append(all, asked)
	}
	merged := image.Merge(all...)
	checks := make([]ImageCheck, len(merged))
	for i, r := range merged {
		checks[i] = ImageCheck{Update: image.Update{Result: image.Result{Request: r}}, Environments: users[r.Key()]}
	}
	return checks
}

// ImageCAs returns the certificate authorities that the mirrors of the selected environments state, PEM by host. A host for which
// environments state different ones is believed with each.
func (s Setup) ImageCAs() (map[string]string, error) {
	plans, err := s.Load()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, plan := range plans {
		for host, pem := range policy(plan.Environment).Rules.CAs() {
			if !strings.Contains(out[host], pem) {
				out[host] += pem
			}
		}
	}
	return out, nil
}

// WholeModel is the setup for every environment and component, whatever is selected: a lock is one file for all.
func (s Setup) WholeModel() Setup {
	s.Environments, s.Components = nil, nil
	return s
}
