// Command gen renders every cluster's manifests and Argo CD Applications from one typed model, and proves that a cluster
// can be built from nothing out of them.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// ballast is address space that is never touched: it keeps the garbage collector from running in a render that needs less, and
// costs no memory.
const ballast = 256 << 20

func main() {
	unused := make([]byte, ballast)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{out: os.Stdout, err: os.Stderr, in: os.Stdin})
	stop()
	runtime.KeepAlive(unused)
	os.Exit(code)
}
