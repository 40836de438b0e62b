package image

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"
)

// Options says how registries are asked. Its zero value asks anonymously, over https, with the machine's certificate authorities.
type Options struct {
	Transport http.RoundTripper                                // nil: Go's own, with proxies from the environment
	CAs       map[string]string                                // further certificate authorities by host, PEM; for a nil Transport
	Keychain  Keychain                                         // nil: anonymous
	PerHost   int                                              // requests at once to one host; 0 is 16
	Timeout   time.Duration                                    // of one request; 0 is 15 s
	Wait      func(ctx context.Context, d time.Duration) error // between attempts; nil sleeps
	UserAgent string                                           // "" is "gen"
	Progress  func(done, total int)                            // called after each image, never twice at once
}

// The defaults of Options, and the limits that no option changes.
const (
	defaultPerHost = 16
	defaultTimeout = 15 * time.Second
	atOnce         = 64               // images looked at together, whatever their hosts
	bodyLimit      = 4 << 20          // no honest manifest is larger: registries cap them at 4 MiB
	longestWait    = 30 * time.Second // a registry that asks for more is not waited for
	attempts       = 3
)

// Client asks registries. It remembers what it was told for as long as it lives: one client serves one run.
type Client struct {
	options Options
	polite  *polite

	mu         sync.Mutex
	registries map[string]*registry
	looks      map[string]*pending
}

// New returns a client.
func New(options Options) *Client {
	options.PerHost = cmp.Or(options.PerHost, defaultPerHost)
	options.Timeout = cmp.Or(options.Timeout, defaultTimeout)
	options.UserAgent = cmp.Or(options.UserAgent, "gen")
	if options.Transport == nil {
		options.Transport = newTransport(options)
	}
	if options.Wait == nil {
		options.Wait = sleep
	}
	return &Client{
		options:    options,
		polite:     &polite{options: options, hosts: map[string]*host{}},
		registries: map[string]*registry{},
		looks:      map[string]*pending{},
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pending is a question that was put, so that nobody puts it again.
type pending struct {
	once sync.Once
	look look
}

// once answers a question from memory, or puts it. A second look at a moving tag does not come here.
func (c *Client) once(key string, ask func() look) look {
	c.mu.Lock()
	p, ok := c.looks[key]
	if !ok {
		p = &pending{}
		c.looks[key] = p
	}
	c.mu.Unlock()
	p.once.Do(func() { p.look = ask() })
	return p.look
}
