package chart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

const (
	attempts     = 3                // of one read
	longestPause = 30 * time.Second // that a server may ask for by Retry-After
	maxRedirects = 10
)

// client reads URLs with the limits and manners that every read of a repository keeps.
type client struct {
	http    *http.Client
	backoff time.Duration
}

// newClient returns a client over the options' transport.
func newClient(o Options) client {
	transport := loginTransport{base: stallTransport{base: o.Transport, after: o.Stall}, credentials: o.Credentials}
	return client{http: &http.Client{Transport: transport, CheckRedirect: checkRedirect}, backoff: o.Backoff}
}

// checkRedirect follows redirects, but never from https to http: what was asked for privately would come openly, and forgeable.
func checkRedirect(request *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("following redirects: more than %d", maxRedirects)
	}
	if last := via[len(via)-1]; last.URL.Scheme == "https" && request.URL.Scheme != "https" {
		return fmt.Errorf("following a redirect from https to %s://%s: refused, the content would come unprotected", request.URL.Scheme, request.URL.Host)
	}
	return nil
}

// statusError is an answer that is not 200.
type statusError struct {
	url   string
	code  int
	pause time.Duration // from Retry-After
}

// Error says what the answer means and what to do about it.
func (e *statusError) Error() string {
	answer := fmt.Sprintf("%s answers %d %s", e.url, e.code, http.StatusText(e.code))
	switch {
	case e.code == http.StatusUnauthorized:
		return answer + ": it wants a login; add one for this host to the netrc file, or correct it"
	case e.code == http.StatusForbidden:
		return answer + ": this login, or anybody without one, may not read it"
	case e.code == http.StatusNotFound, e.code == http.StatusGone:
		return answer + ": nothing is there (any more)"
	case e.pause > longestPause:
		return fmt.Sprintf("%s: it asks to come back after %s; do so", answer, e.pause)
	case e.code == http.StatusTooManyRequests:
		return fmt.Sprintf("%s: it limits requests, and still did at attempt %d; come back later, or use a login", answer, attempts)
	case e.code >= http.StatusInternalServerError:
		return fmt.Sprintf("%s, and still did at attempt %d: the server is broken; come back later, or tell who runs it", answer, attempts)
	}
	return answer
}

// wanted is one thing to read.
type wanted struct {
	address  string
	limit    int64 // bytes
	asStored bool  // a transport that undid the compression of a .tgz would change the bytes that its digest is of
}

// get reads a URL, trying again where that may help.
func (c client) get(ctx context.Context, w wanted) ([]byte, error) {
	pause := c.backoff
	for attempt := 1; ; attempt++ {
		body, err := c.once(ctx, w)
		if err == nil || attempt == attempts || !transient(err) {
			return body, err
		}
		var status *statusError
		if errors.As(err, &status) && status.pause > 0 {
			pause = status.pause
		}
		if waitErr := sleep(ctx, pause); waitErr != nil {
			return nil, fmt.Errorf("waiting to read %s again: %w; the last attempt ended so: %w", redact(w.address), waitErr, err)
		}
		pause *= 3
	}
}

// transient says whether another attempt may end better.
func transient(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return (status.code >= 500 || status.code == http.StatusTooManyRequests) && status.pause <= longestPause
	}
	for _, again := range []error{io.ErrUnexpectedEOF, io.EOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, again) {
			return true
		}
	}
	return false
}

// sleep waits, or returns why the context ended.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// once reads a URL in one attempt.
func (c client) once(ctx context.Context, w wanted) ([]byte, error) {
	shown := redact(w.address)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.address, nil)
	if err != nil {
		return nil, fmt.Errorf("reading %q: it is no URL", shown)
	}
	request.Header.Set("User-Agent", "gen")
	if w.asStored {
		request.Header.Set("Accept-Encoding", "identity")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, withoutURL(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, &statusError{url: shown, code: response.StatusCode, pause: retryAfter(response.Header)}
	}
	if response.ContentLength > w.limit {
		return nil, tooLarge(shown, w.limit)
	}
	var body bytes.Buffer
	body.Grow(int(max(0, response.ContentLength)) + bytes.MinRead) // a length within the limit, see above
	if _, err := body.ReadFrom(io.LimitReader(response.Body, w.limit+1)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, cutOff(err))
	}
	if int64(body.Len()) > w.limit {
		return nil, tooLarge(shown, w.limit)
	}
	return body.Bytes(), nil
}

// tooLarge is the error of an answer beyond its limit.
func tooLarge(address string, limit int64) error {
	return fmt.Errorf("reading %s: it is larger than %d MiB, the most that is read", address, limit>>20)
}

// withoutURL takes the last URL out of an http.Client's error: after a redirect it may be a signed one, which is a secret.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// retryAfter reads the header in both its forms; 0 where it says nothing sensible.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 && seconds < 1<<30 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at).Round(time.Second))
	}
	return 0
}
