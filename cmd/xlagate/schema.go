package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/schema"
)

func schemaCommand(w world) *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "the JSON Schema of the configuration, a result or a baseline", ArgsUsage: "config|result|baseline", Category: reference,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(schema.Names, c.Args().First()) {
				return wrongUsage("schema is of one of %s, not %q", strings.Join(schema.Names, ", "), c.Args().First())
			}
			data, err := schema.JSON(c.Args().First())
			if err != nil {
				return err
			}
			_, err = w.out.Write(data)
			return err
		},
	}
}
