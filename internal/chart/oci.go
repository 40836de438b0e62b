package chart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

const (
	ociScheme = "oci://"
	// chartLayer is the media type of a chart's archive in a registry (https://helm.sh/docs/topics/registries/#chart-manifest).
	chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// registries are hosts that answer as OCI registries and have no index.yaml. ECR and others are recognised by their suffix.
var registries = []string{
	"docker.io", "registry-1.docker.io", "index.docker.io", "ghcr.io", "quay.io", "gcr.io", "registry.k8s.io", "public.ecr.aws",
	".pkg.dev", ".gcr.io", ".amazonaws.com",
}

// validateHTTP refuses a registry written as an HTTP repository.
func (s Source) validateHTTP(u *url.URL) error {
	for _, host := range registries {
		if u.Hostname() == host || strings.HasPrefix(host, ".") && strings.HasSuffix(u.Hostname(), host) && !strings.Contains(u.Hostname(), "s3") {
			return fmt.Errorf("reading chart repository %s: %s is an OCI registry and has no index.yaml; write oci://%s%s", s.Repo, u.Host, u.Host, u.Path)
		}
	}
	return nil
}

// validateOCI refuses what belongs into another field.
func (s Source) validateOCI(u *url.URL) error {
	last := u.Path[strings.LastIndex(u.Path, "/")+1:]
	if tag := strings.IndexAny(last, ":@"); tag >= 0 {
		return fmt.Errorf("reading chart repository %s: a tag or digest does not belong here; write %s and the version as version", s.Repo, strings.TrimSuffix(s.Repo, last[tag:]))
	}
	if _, err := name.NewRepository(s.repository(), name.StrictValidation); err != nil {
		return fmt.Errorf("reading chart repository %s: %w; write oci://host/folder-of-charts", s.Repo, err)
	}
	return nil
}

// repository is the chart's repository in its registry.
func (s Source) repository() string {
	return strings.TrimPrefix(strings.TrimSuffix(s.Repo, "/"), ociScheme) + "/" + s.Name
}

// tag is the reference of a chart in a registry. A tag cannot hold a plus, so Helm writes an underscore for it.
func (s Source) tag() (name.Tag, error) {
	return name.NewTag(s.repository()+":"+strings.ReplaceAll(s.Version, "+", "_"), name.StrictValidation)
}

// resolveOCI looks a chart up in its registry and fetches it.
func (s *Store) resolveOCI(ctx context.Context, source Source) (Entry, []byte, error) {
	tag, err := source.tag()
	if err != nil {
		return Entry{}, nil, fmt.Errorf("reading chart %s: %w", source, err)
	}
	at := ociScheme + tag.Context().Name() + ":" + tag.TagStr()
	archive, err := s.download(ctx, at, "")
	if err != nil {
		return Entry{}, nil, fmt.Errorf("fetching chart %s: %w%s", source, err, doubled(source, err))
	}
	return Entry{Source: source, Digest: archiveDigest(archive), URL: at}, archive, nil
}

// doubled suggests what is most often wrong where a registry knows no such chart: the chart's name stands in the repository too.
func doubled(source Source, err error) string {
	repo := strings.TrimSuffix(source.Repo, "/")
	if gone(err) && strings.HasSuffix(repo, "/"+source.Name) {
		return fmt.Sprintf("; the name %s is added to the repository: write %s", source.Name, strings.TrimSuffix(repo, "/"+source.Name))
	}
	return ""
}

// gone says whether a server answered that there is nothing.
func gone(err error) bool {
	var status *statusError
	var answer *transport.Error
	switch {
	case errors.As(err, &status):
		return status.code == http.StatusNotFound || status.code == http.StatusGone
	case errors.As(err, &answer):
		return answer.StatusCode == http.StatusNotFound
	}
	return false
}

// remoteOptions are the manners of all that is asked of a registry.
func (s *Store) remoteOptions(ctx context.Context) []remote.Option {
	return []remote.Option{
		remote.WithContext(ctx),
		remote.WithTransport(stallTransport{base: s.options.Transport, after: s.options.Stall}),
		remote.WithAuthFromKeychain(keychain{s.options.Credentials}),
		remote.WithRetryBackoff(remote.Backoff{Duration: s.options.Backoff, Factor: 3, Steps: attempts}),
		remote.WithUserAgent("gen"),
	}
}

// keychain looks for a login in our credentials, then where docker and helm leave theirs.
type keychain struct{ credentials Credentials }

// Resolve returns the login for a registry.
func (k keychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	if k.credentials != nil {
		if login, ok := k.credentials(&url.URL{Scheme: "https", Host: target.RegistryStr()}); ok {
			return &authn.Basic{Username: login.User, Password: login.Password}, nil
		}
	}
	return authn.DefaultKeychain.Resolve(target)
}

// pull reads a chart's archive from a registry: by its digest where that is known, so that a tag that moved does not matter.
func (s *Store) pull(ctx context.Context, at, digest string) ([]byte, error) {
	ref, err := name.ParseReference(strings.TrimPrefix(at, ociScheme), name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("reading chart address %s: %w", at, err)
	}
	if digest == "" {
		if digest, err = s.layerAt(ctx, at); err != nil {
			return nil, err
		}
	}
	layer, err := remote.Layer(ref.Context().Digest(digest), s.remoteOptions(ctx)...)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	return readLayer(at, layer)
}

// readLayer reads a layer within the limit of an archive.
func readLayer(at string, layer v1.Layer) ([]byte, error) {
	body, err := layer.Compressed()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	defer body.Close()
	archive, err := io.ReadAll(io.LimitReader(body, maxArchive+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	if len(archive) > maxArchive {
		return nil, tooLarge(at, maxArchive)
	}
	return archive, nil
}

// layerAt returns the digest of the chart's archive that an address names now.
func (s *Store) layerAt(ctx context.Context, at string) (string, error) {
	ref, err := name.ParseReference(strings.TrimPrefix(at, ociScheme), name.StrictValidation)
	if err != nil {
		return "", fmt.Errorf("reading chart address %s: %w", at, err)
	}
	image, err := remote.Image(ref, s.remoteOptions(ctx)...)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", at, err)
	}
	manifest, err := image.Manifest()
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", at, err)
	}
	i := slices.IndexFunc(manifest.Layers, func(d v1.Descriptor) bool { return d.MediaType == chartLayer })
	if i < 0 {
		return "", fmt.Errorf("reading %s: it is no Helm chart but %s, for it has no layer of type %s", at, manifest.Config.MediaType, chartLayer)
	}
	if manifest.Layers[i].Size > maxArchive {
		return "", tooLarge(at, maxArchive)
	}
	return manifest.Layers[i].Digest.String(), nil
}

// tags lists the versions of a chart in its registry.
func (s *Store) tags(ctx context.Context, source Source) ([]string, error) {
	repository, err := name.NewRepository(source.repository(), name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("reading chart repository %s: %w", source.Repo, err)
	}
	tags, err := remote.List(repository, s.remoteOptions(ctx)...)
	if err != nil {
		return nil, fmt.Errorf("listing versions of %s: %w", source, err)
	}
	for i := range tags {
		tags[i] = strings.ReplaceAll(tags[i], "_", "+")
	}
	return tags, nil
}
