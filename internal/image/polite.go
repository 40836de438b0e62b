package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// polite is the one way to a registry: a limit of requests per host, retries where they may help, Retry-After, Docker Hub's quota,
// a deadline for each request and a cap on each body, which it reads before it lets the next request go.
type polite struct {
	options Options

	mu    sync.Mutex
	hosts map[string]*host
}

// host is what is known of one host.
type host struct {
	slots chan struct{}

	mu        sync.Mutex
	total     int       // slots that exist; fewer after a 429
	limit     int       // slots that should exist
	paused    time.Time // nobody asks before
	broken    error     // nobody asks any more
	remaining int       // pulls left, as Docker Hub tells; -1 unknown
}

// errQuota and errTooMany mean that a host was not asked, or asked in vain, because it wants fewer requests.
var (
	errQuota    = errors.New("its pull quota is used up (ratelimit-remaining: 0), so it was not asked; log in, or wait until it is renewed")
	errTooMany  = errors.New("it answers 429 (too many requests)")
	errTooLarge = fmt.Errorf("the answer is larger than %d MiB, which no manifest is", bodyLimit>>20)
)

func (p *polite) host(name string) *host {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.hosts[name]
	if !ok {
		h = &host{slots: make(chan struct{}, p.options.PerHost), total: p.options.PerHost, limit: p.options.PerHost, remaining: -1}
		for range p.options.PerHost {
			h.slots <- struct{}{}
		}
		p.hosts[name] = h
	}
	return h
}

// RoundTrip sends a request as http.RoundTripper, and again where that may help.
func (p *polite) RoundTrip(req *http.Request) (*http.Response, error) {
	h := p.host(req.URL.Host)
	select {
	case <-h.slots:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	defer h.release()
	var resp *http.Response
	var err error
	for attempt := 1; attempt <= attempts; attempt++ {
		if err := h.ready(req, p.options.Wait); err != nil {
			return nil, err
		}
		resp, err = p.send(req)
		pause, again := h.judge(resp, err, attempt)
		if !again || attempt == attempts || req.Context().Err() != nil {
			break
		}
		if err := p.options.Wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// send does one attempt; the body is read within its deadline.
func (p *polite) send(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), p.options.Timeout)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	again.Header.Set("User-Agent", p.options.UserAgent)
	resp, err := p.options.Transport.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyLimit+1))
	resp.Body.Close()
	if err == nil {
		err = ctx.Err() // a server that notices our hanging up may still end its half answer in good form
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > bodyLimit {
		return nil, errTooLarge
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Request = req
	return resp, nil
}

// ready waits while the host is paused and refuses where asking would do harm.
func (h *host) ready(req *http.Request, wait func(context.Context, time.Duration) error) error {
	h.mu.Lock()
	broken, pause := h.broken, time.Until(h.paused)
	costs := req.Method == http.MethodGet && strings.Contains(req.URL.Path, "/manifests/") // a HEAD costs nothing
	spent := costs && h.remaining == 0
	if costs && h.remaining > 0 {
		h.remaining-- // requests that are under way count before the host says so
	}
	h.mu.Unlock()
	if broken != nil {
		return broken
	}
	if spent {
		return errQuota
	}
	if pause > 0 {
		return wait(req.Context(), pause)
	}
	return nil
}

// judge learns from an answer and says whether, and after which pause, to ask again.
func (h *host) judge(resp *http.Response, err error, attempt int) (time.Duration, bool) {
	pause := 200 * time.Millisecond * time.Duration(attempt*attempt)
	if err != nil {
		return pause, temporary(err)
	}
	h.readQuota(resp.Header.Get("Ratelimit-Remaining"))
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return h.slowDown(resp.Header.Get("Retry-After"), attempt)
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if after, ok := retryAfter(resp.Header.Get("Retry-After")); ok {
			pause = after
		}
		return pause, pause <= longestWait
	}
	return 0, false
}

// slowDown halves the requests at once and pauses the host; a host that asks for too long a pause is not asked again in this run.
func (h *host) slowDown(header string, attempt int) (time.Duration, bool) {
	pause, ok := retryAfter(header)
	if !ok {
		pause = time.Second * time.Duration(attempt)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = max(1, h.limit/2)
	if pause > longestWait || attempt == attempts {
		h.broken = errTooMany
		return 0, false
	}
	if until := time.Now().Add(pause); until.After(h.paused) {
		h.paused = until
	}
	return pause, true
}

// readQuota reads "76;w=21600", which Docker Hub sends with every answer about a manifest. Answers overtake each other: the least counts.
func (h *host) readQuota(header string) {
	number, _, _ := strings.Cut(header, ";")
	if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil && n >= 0 {
		h.mu.Lock()
		if h.remaining < 0 || n < h.remaining {
			h.remaining = n
		}
		h.mu.Unlock()
	}
}

func (h *host) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.total > h.limit {
		h.total--
		return
	}
	h.slots <- struct{}{}
}

// retryAfter reads the header's two forms: seconds and a date.
func retryAfter(header string) (time.Duration, bool) {
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(date)), true
	}
	return 0, false
}

// temporary reports whether asking again may help: not for names that do not exist and certificates that do not fit.
func temporary(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary && !dns.IsNotFound
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op == "read" || op.Op == "write"
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
