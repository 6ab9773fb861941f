package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func mergeCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "merge",
		Usage:     "join sharded or matrix results into one",
		ArgsUsage: "RESULT.json…",
		Category:  manyMachines,
		Flags:     append(outputFlags(&to, report.Formats()), configFlag(), failOnFlag(), quietFlag()),
		Action: func(c *cli.Context) error {
			r, err := merged(c, w)
			if err != nil {
				return err
			}
			if err := show(c, w, &to, r); err != nil {
				return err
			}
			if r.ExitCode != 0 {
				return verdict(r.ExitCode)
			}
			return nil
		},
	}
}

func merged(c *cli.Context, w world) (*result.Result, error) {
	if c.NArg() == 0 {
		return nil, wrongUsage("merge needs results; xlagate merge part-*.json")
	}
	failOn, err := oneOf(c, "fail-on", "", "error", "warning", "never")
	if err != nil {
		return nil, err
	}
	dir, err := workingDir()
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(c.String("config"), dir)
	if err != nil && (c.String("config") != "" || !strings.Contains(err.Error(), "here or above")) {
		return nil, err
	}
	var results []*result.Result
	for _, path := range c.Args().Slice() {
		r, err := readResult(w, path)
		if err != nil {
			return nil, incomplete(w, err)
		}
		results = append(results, r)
	}
	return gate.Merge(results, cfg, failOn, version()), nil
}
