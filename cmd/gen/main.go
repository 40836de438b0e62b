// Command gen renders every cluster's manifests and Argo CD Applications from one typed model, and proves that a cluster
// can be built from nothing out of them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr, in: os.Stdin})
	stop()
	os.Exit(code)
}
