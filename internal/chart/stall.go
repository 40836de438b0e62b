package chart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// stallError ends a request whose server fell silent. A slow download that goes on is not ended, however long it takes.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string {
	return fmt.Sprintf("the server fell silent for %s; it hangs, or something on the way swallows packets", e.after)
}

// stallTransport ends requests and bodies that make no progress.
type stallTransport struct {
	base  http.RoundTripper
	after time.Duration
}

// RoundTrip sends a request and watches it until its body is closed.
func (t stallTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	timer := time.AfterFunc(t.after, func() { cancel(&stallError{t.after}) })
	response, err := t.base.RoundTrip(request.WithContext(ctx))
	timer.Stop()
	if err != nil {
		err = cause(ctx, err)
		cancel(nil)
		return nil, err
	}
	response.Body = &watchedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer, after: t.after}
	return response, nil
}

// cause returns why the context ended, if it did, instead of the "context canceled" that the transport reports.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// watchedBody runs the clock during each read, and only then: what the reader does in between is no silence of the server.
type watchedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	after  time.Duration
}

// Read reads on.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.after)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = cause(b.ctx, err)
	}
	return n, err
}

// Close ends the request.
func (b *watchedBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
