// Command xlagate is a regression-checking CI gate for what XLA compiles.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if os.Getenv("GOGC") == "" {
		pace()
	}
	os.Exit(run(ctx, os.Args, world{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}))
}
