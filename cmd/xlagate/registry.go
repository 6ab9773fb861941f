package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/registry"
)

// registryFlags are the flags for dumps and baselines in a registry.
func registryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "no-cache", Category: readHeading, Usage: "read every file again, and pull again what lies in a registry"},
		&cli.BoolFlag{Name: "plain-http", EnvVars: []string{"XLAGATE_PLAIN_HTTP"}, Category: readHeading, Usage: "speak http with a registry; with one on this machine that is done anyway"},
	}
}

// registryClient returns a client for registries.
func registryClient(c *cli.Context, w world) registry.Client {
	client := registry.Client{Plain: c.Bool("plain-http"), Agent: "xlagate/" + version(), Getenv: w.getenv}
	if dir, err := os.UserCacheDir(); err == nil && !c.Bool("no-cache") {
		client.Cache = filepath.Join(dir, "xlagate", "blobs")
	}
	return client
}

// checkBaseline checks --baseline before the gate runs.
func checkBaseline(where string) error {
	if err := baseline.CheckPlace(where); err != nil {
		return gate.UsageError{Message: "--baseline " + err.Error()}
	}
	return nil
}

func sayPushed(w world, pushed string) {
	if pushed != "" {
		fmt.Fprintf(w.out, "pushed   %s\n", pushed)
	}
}
