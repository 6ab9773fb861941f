//go:build !urfave_cli_no_docs

package main

import "github.com/urfave/cli/v2"

// The release leaves the manual page's writer out of the program; it is made before, from the sources.
func init() {
	manPage = func(a *cli.App) (string, error) {
		a.Description = "See https://github.com/xlagate/xlagate for the configuration, the rules and the formats."
		return a.ToManWithSection(1)
	}
}
