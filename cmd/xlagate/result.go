package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// readResult reads a result file; "-" is the standard input.
func readResult(w world, path string) (*result.Result, error) {
	data, err := readInput(w, path, mostResult)
	if err != nil {
		return nil, err
	}
	return parseResult(path, data)
}

// mostResult bounds the bytes of a result: an untrusted job may have written it.
const mostResult = 1 << 30

func readInput(w world, path string, most int64) ([]byte, error) {
	read, where := files.Read, path
	if path == "-" {
		where = "standard input"
		read = func(_ string, most int64) ([]byte, error) { return files.ReadAll(w.in, most) }
	}
	data, err := read(path, most)
	if errors.Is(err, files.ErrTooLarge) {
		return nil, &gate.Unreadable{Where: where, Message: "the file has more than " + phrase.Bytes(float64(most)) + ", the most that is read", Fix: "name a file that `xlagate check -f json -o FILE` wrote"}
	}
	if err != nil {
		return nil, &gate.Unreadable{Where: where, Message: "there is no such file, or it is not readable", Fix: "name the file that `xlagate check -f json -o FILE` wrote"}
	}
	return data, nil
}

func parseResult(path string, data []byte) (*result.Result, error) {
	r, err := result.Parse(data)
	if err == nil && r.Schema == result.Schema {
		r.Bound()
		return r, nil
	}
	return nil, &gate.Unreadable{Where: path, Message: "not a result: " + whatItIs(data, err), Fix: "name a file that `xlagate check -f json -o FILE` wrote"}
}

// whatItIs describes a file that is no result: usually it is the wrong file, not a damaged one.
func whatItIs(data []byte, err error) string {
	var head struct {
		Schema any `json:"schema"`
	}
	start := strings.TrimSpace(string(data[:min(len(data), 512)]))
	switch known := json.Unmarshal(data, &head); {
	case start == "":
		return "the file is empty"
	case strings.HasPrefix(start, "HloModule"):
		return "it is a module of a dump"
	case start[0] != '{':
		return "it is not JSON"
	case known != nil:
		return "it is not whole: " + known.Error()
	case head.Schema != result.Schema:
		return fmt.Sprintf("its schema is %q, expected %q", fmt.Sprint(cmp.Or(head.Schema, any(""))), result.Schema)
	}
	return err.Error()
}

func reportCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "report",
		Usage:     "render a result in another format",
		ArgsUsage: "[RESULT.json]",
		Flags:     append(outputFlags(&to, report.Result.Names()), quietFlag()),
		Category:  results,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return wrongUsage("report takes one result; xlagate report RESULT.json -f markdown")
			}
			r, err := resultOr(w, c.Args().First())
			switch {
			case err != nil:
				return incomplete(w, err)
			case r == nil:
				return wrongUsage("nothing was checked here yet; run xlagate check, or name a result: xlagate report RESULT.json")
			}
			return show(c, w, &to, r)
		},
	}
}
