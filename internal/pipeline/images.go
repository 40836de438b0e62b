package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
		p.Rules = append(p.Rules, image.Rule{
			Source: m.Source, Endpoint: m.Endpoint, Path: m.Path, Kind: m.Kind,
			OverridePath: m.OverridePath, Tags: m.Tags, Insecure: m.Insecure,
		})
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

// collectImages finds every image that the bundles of one environment name, sorted by reference.
func collectImages(env *environment.Environment, bundles []manifest.Bundle, lock *image.Lock) []ImageUse {
	p := policy(env)
	options := imagefield.Options{Hosts: p.Rules.Hosts()}
	places := map[string][]ImagePlace{}
	for _, b := range bundles {
		for _, o := range b.Objects {
			for _, hit := range imagefield.Find(o, options) {
				places[hit.Reference] = append(places[hit.Reference], ImagePlace{b.Name, hit})
			}
		}
	}
	uses := make([]ImageUse, 0, len(places))
	for reference, at := range places {
		use := ImageUse{Environment: env.Name, Reference: reference, Places: at}
		use.Written, use.Status = lock.Lookup(reference, p)
		uses = append(uses, use)
	}
	slices.SortFunc(uses, func(a, b ImageUse) int { return cmp.Compare(a.Reference, b.Reference) })
	return uses
}

// unproven returns the refusal for references that a mirror rule covers and the lock does not prove.
func unproven(uses []ImageUse) error {
	var problems []error
	for _, use := range uses {
		if use.Status != image.NotProven && use.Status != image.Invalid {
			continue
		}
		at := use.Places[0]
		where := fmt.Sprintf("%s/%s: %s: %s", use.Environment, at.Component, at.Hit.Object, at.Hit.Path)
		if more := len(use.Places) - 1; more > 0 {
			where += fmt.Sprintf(" (and %d more)", more)
		}
		why := "a mirror covers it, and " + ModelDir + "/" + ImagesLock + " holds no proof that the mirror serves the same bytes: run `gen images lock`"
		if use.Status == image.Invalid {
			why = "is no image reference: correct the value in the chart or the model"
		}
		problems = append(problems, fmt.Errorf("%s: %s: %s", where, use.Reference, why))
	}
	if len(problems) == 0 {
		return nil
	}
	return Refusal{errors.Join(problems...)}
}

// rewriteImages writes what the lock proves into every place of every object.
func rewriteImages(env *environment.Environment, bundles []manifest.Bundle, uses []ImageUse) ([]manifest.Bundle, error) {
	written := map[string]string{}
	for _, use := range uses {
		if use.Status == image.Proven && use.Written != use.Reference {
			written[use.Reference] = use.Written
		}
	}
	options := imagefield.Options{Hosts: policy(env).Rules.Hosts()}
	lookup := func(reference string) (string, bool) {
		to, ok := written[reference]
		return to, ok
	}
	out := make([]manifest.Bundle, len(bundles))
	var problems []error
	for i, b := range bundles {
		out[i] = manifest.Bundle{Name: b.Name, Objects: make([]manifest.Object, len(b.Objects))}
		for j, o := range b.Objects {
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

// ImageCheck is what `gen images lock` and `verify` saw of one reference.
type ImageCheck struct {
	image.Result
	Environments []string // that name it, sorted
}

// LockImages asks both sides of every image of the whole model that a mirror covers, enters what is proven into images.lock
// and removes what no environment names any more. It returns what it saw; only Same is entered.
func (s Setup) LockImages(ctx context.Context, client *image.Client) ([]ImageCheck, error) {
	all := s
	all.Environments, all.Components = nil, nil
	uses, policies, err := all.Images(ctx)
	if err != nil {
		return nil, err
	}
	lock, err := s.imagesLock()
	if err != nil {
		return nil, err
	}
	checks := imageRequests(uses, policies)
	requests := make([]image.Request, len(checks))
	for i, c := range checks {
		requests[i] = c.Request
	}
	fresh := &image.Lock{}
	for i, result := range client.Verify(ctx, requests) {
		checks[i].Result = result
		enter(fresh, lock, result)
	}
	if err := ctx.Err(); err != nil {
		return checks, err
	}
	return checks, s.saveImages(fresh)
}

// enter keeps an old proof where the registries did not answer, and takes a new one where both sides hash to the same.
func enter(fresh, old *image.Lock, result image.Result) {
	r := result.Request
	switch result.Verdict {
	case image.Same:
		fresh.Put(image.Entry{
			Source: r.Ref, Place: r.Target.Key(), Digest: result.Evidence.MirrorDigest,
			MediaType: result.Evidence.MirrorType, Platforms: result.Evidence.Platforms,
		})
	case image.Unknown:
		if entry, ok := old.Get(r.Ref, r.Target.Key()); ok {
			fresh.Put(entry)
		}
	}
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

// imageRequests joins what many environments ask about one reference at one place.
func imageRequests(uses []ImageUse, policies map[string]image.Policy) []ImageCheck {
	byKey := map[string]*ImageCheck{}
	for _, use := range uses {
		ref, err := image.Parse(use.Reference)
		p := policies[use.Environment]
		if err != nil || p.Rules.AtMirror(ref) {
			continue
		}
		for _, target := range p.Rules.Candidates(ref) {
			key := ref.String() + " " + target.Key()
			if byKey[key] == nil {
				byKey[key] = &ImageCheck{Result: image.Result{Request: image.Request{Ref: ref, Target: target}}}
			}
			c := byKey[key]
			c.Request.Platforms = append(c.Request.Platforms, p.Platforms...)
			c.Environments = append(c.Environments, use.Environment)
		}
	}
	checks := make([]ImageCheck, 0, len(byKey))
	for _, c := range byKey {
		for _, list := range []*[]string{&c.Environments, &c.Request.Platforms} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
		}
		checks = append(checks, *c)
	}
	slices.SortFunc(checks, func(a, b ImageCheck) int {
		return strings.Compare(a.Request.Ref.String()+" "+a.Request.Target.Key(), b.Request.Ref.String()+" "+b.Request.Target.Key())
	})
	return checks
}
