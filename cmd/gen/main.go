// Command gen renders every cluster's manifests and Argo CD Applications from one typed model, and proves that a cluster
// can be built from nothing out of them.
package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/coldstart-gitops/gen/cmd/gen/ballast"
)

func main() {
	// Helm's packages write to the loggers of the process; what a person should know comes back as notices.
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends a run that waits for something which knows no context: a pipe, a slow disk
	code := run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr, in: os.Stdin})
	stop()
	runtime.KeepAlive(ballast.Unused)
	os.Exit(code)
}
