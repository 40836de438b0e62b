// Package demo is an upstream world on loopback: chart repositories, image registries, a mirror and a git remote, all
// under *.example.internal and with the same bytes in every run.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"
)

// Options says where a World keeps what must lie on disk. The zero value is usable.
type Options struct {
	// Dir is the folder of the bare repositories, made where it is missing; a later World on it finds the same commits.
	// Where it is "", a temporary folder is made, and removed by Close.
	Dir string
}

// World is a running upstream world. Its methods may be called from several goroutines.
type World struct {
	sites     map[string]*site
	transport *router
	remote    *remote
	charts    []Chart
	images    []Image
	stop      context.CancelFunc // ends every request that hangs on purpose
	unwatch   func() bool
	close     func() error
}

// Start starts a world that lives until Close or until ctx is done. Nothing listens beyond loopback. It needs the git program.
func Start(ctx context.Context, o Options) (*World, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting the demo world: %w", err)
	}
	remote, err := newRemote(ctx, o.Dir)
	if err != nil {
		return nil, fmt.Errorf("starting the demo world: %w", err)
	}
	w := &World{sites: map[string]*site{}, remote: remote}
	w.close = sync.OnceValue(w.shut)
	if err := w.open(ctx); err != nil {
		return nil, fmt.Errorf("starting the demo world: %w", errors.Join(err, w.Close()))
	}
	w.unwatch = context.AfterFunc(ctx, func() { _ = w.Close() })
	return w, nil
}

// open builds what the hosts serve and lets each listen.
func (w *World) open(ctx context.Context) error {
	handlers, err := w.handlers()
	if err != nil {
		return err
	}
	lives, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	for _, host := range sortedKeys(handlers) {
		s, err := newSite(lives, host, handlers[host])
		if err != nil {
			return fmt.Errorf("listening for %s: %w", host, err)
		}
		w.sites[host] = s
	}
	w.transport = newRouter(w.sites)
	return nil
}

// handlers returns what every host of the world answers.
func (w *World) handlers() (map[string]http.Handler, error) {
	handlers := map[string]http.Handler{HostGit: w.remote}
	charts, err := serveCharts(handlers)
	if err != nil {
		return nil, err
	}
	images, err := serveImages(handlers)
	if err != nil {
		return nil, err
	}
	w.charts, w.images = charts, images
	return handlers, nil
}

// Close stops every server, waits for requests under way and removes what Start made. Later calls return the same error.
func (w *World) Close() error { return w.close() }

func (w *World) shut() error {
	if w.unwatch != nil {
		w.unwatch()
	}
	if w.stop != nil {
		w.stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var errs []error
	if w.transport != nil {
		w.transport.next.CloseIdleConnections()
	}
	for _, host := range sortedKeys(w.sites) {
		if err := w.sites[host].close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stopping %s: %w", host, err))
		}
	}
	if w.remote.temporary {
		errs = append(errs, os.RemoveAll(w.remote.dir))
	}
	return errors.Join(errs...)
}

// Charts lists every chart version that the world publishes, sorted by repository, name and version.
func (w *World) Charts() []Chart { return append([]Chart(nil), w.charts...) }

// Images lists every image of the world, sorted by reference.
func (w *World) Images() []Image { return append([]Image(nil), w.images...) }

// Hosts lists the world's hosts, sorted.
func (w *World) Hosts() []string { return sortedKeys(w.sites) }
