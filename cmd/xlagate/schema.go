package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/reference"
)

func schemaCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "the JSON Schema of the configuration, a result or a baseline", ArgsUsage: "config|result|baseline", Category: aboutTool,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(reference.SchemaNames, c.Args().First()) {
				return wrongUsage("schema is of one of %s, not %q", strings.Join(reference.SchemaNames, ", "), c.Args().First())
			}
			data, err := reference.Schema(c.Args().First())
			if err != nil {
				return err
			}
			_, err = w.out.Write(data)
			return err
		},
	}
}
