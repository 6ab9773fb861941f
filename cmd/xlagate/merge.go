package main

import (
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
)

func mergeCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:        "merge",
		Usage:       "join the results of targets that were checked on several machines",
		ArgsUsage:   "RESULT.json…",
		Description: "xlagate check --target NAME -f json -o NAME.json     in a job for each target of xlagate.yaml\nxlagate merge *.json                                 in the job after them",
		Category:    results,
		Flags:       append(outputFlags(&to, report.Result.Names()), configFlag(), failOnFlag(), quietFlag(), keyFlag()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return wrongUsage("merge needs results; xlagate merge result-*.json")
			}
			var inputs []gate.Input
			for _, path := range c.Args().Slice() {
				in := gate.Input{File: path}
				var err error
				if in.Result, err = readResult(w, path); err != nil && !errors.As(err, &in.Unread) {
					return err
				}
				inputs = append(inputs, in)
			}
			o, err := newOptions(c, w, gate.Run{})
			if err != nil {
				return err
			}
			file := c.String("config")
			if _, err := config.Find(o.Dir); file == "" && errors.Is(err, os.ErrNotExist) {
				o.Config = nil // results of whole configurations need none
			} else if o.Config, err = loadConfig(file, o.Dir); err != nil {
				return err
			}
			r := gate.Merge(o, inputs)
			r.Origin = origin(c, w)
			if err := show(c, w, &to, r); err != nil {
				return err
			}
			return verdictOf(r)
		},
	}
}
