package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
)

// released is the version of a release build, set by the linker.
var released string

func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// factsCache returns the cache of facts of this build, nil with --no-cache.
func factsCache(c *cli.Context) facts.Cache {
	build, ok := buildID()
	if c.Bool("no-cache") || !ok {
		return nil
	}
	if dir := files.OpenCache(build); dir != nil {
		return dir
	}
	return nil
}

// buildID identifies the build: a release by its version, any other by the size and time of the program file.
func buildID() (string, bool) {
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if released != "" {
		return released + " " + platform, true
	}
	path, err := os.Executable()
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%s %d %d %s", version(), info.Size(), info.ModTime().UnixNano(), platform), true
}

func versionCommand(w world) *cli.Command {
	return &cli.Command{Name: "version", Usage: "the version", Category: aboutTool, Action: func(*cli.Context) error {
		return printVersion(w.out)
	}}
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "xlagate %s\n", version())
	return err
}
