package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// readResult reads a result file; "-" is the standard input.
func readResult(w world, path string) (*result.Result, error) {
	data, err := readInput(w, path)
	if err != nil {
		return nil, err
	}
	return parseResult(path, data)
}

// mostResult bounds the bytes of a result: an untrusted job may have written it.
const mostResult = 256 << 20

func readInput(w world, path string) ([]byte, error) {
	if path == "-" {
		data, err := files.ReadAll(w.in, mostResult)
		if err != nil {
			return nil, fmt.Errorf("read the standard input: %w", err)
		}
		return data, nil
	}
	data, err := files.Read(path, mostResult)
	if errors.Is(err, files.ErrTooLarge) {
		return nil, &gate.Unreadable{Where: path, Message: "the file has more than " + phrase.Bytes(mostResult) + ", the most that is read", Fix: "name a file that `xlagate check -f json -o FILE` wrote"}
	}
	if err != nil {
		return nil, &gate.Unreadable{Where: path, Message: "there is no such file, or it is not readable", Fix: "name the file that `xlagate check -f json -o FILE` wrote"}
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

// lastKey names the last result of a configuration file. Kept results make the commands that a result prints work without the dump.
func lastKey(file string) string {
	if path, err := filepath.Abs(file); err == nil {
		file = path
	}
	return "last result\x00" + file
}

// lastCheckKey names the rule file of the last check in a repository, and the folder where it was made.
func lastCheckKey(repository, dir string) string { return "last check\x00" + cmp.Or(repository, dir) }

// keepLast stores a result as the last one of its configuration, and that as the last one of the repository. It returns what it stored of the result.
func keepLast(c *cli.Context, o gate.Options, r *result.Result) []byte {
	dir := keptResults(c)
	if dir == nil || o.Config == nil {
		return nil
	}
	if len(r.Findings) == 0 {
		r = r.WithoutAccept()
	}
	var b bytes.Buffer
	if err := report.Result(&b, r, "json", report.Options{}); err != nil {
		return nil
	}
	dir.Store(lastKey(o.Config.Path), b.Bytes())
	keepPlace(dir, o)
	return b.Bytes()
}

// keepPlace stores which rule file the last check in the repository used, and where it was made.
func keepPlace(dir *files.Cache, o gate.Options) {
	if path, err := filepath.Abs(o.Config.Path); err == nil {
		dir.Store(lastCheckKey(o.Root, o.Dir), []byte(path+"\x00"+o.Dir))
	}
}

// lastChecked returns the rule file of the last check in the repository, "" if none is known, and whether it was made in the working directory.
func lastChecked(c *cli.Context, w world) (file string, isHere bool) {
	dir := keptResults(c)
	if dir == nil {
		return "", false
	}
	here, err := workingDir()
	if err != nil {
		return "", false
	}
	last, known := dir.Load(lastCheckKey(repositoryRoot(w), here))
	if !known {
		return "", false
	}
	file, from, _ := strings.Cut(string(last), "\x00")
	return gate.Relative(here, file), from == here
}

// chooseConfig sets --config to the rule file of the last check, if accept is given ids of its result, finds no other rule file, or says nothing of what to
// accept where that check was made.
func chooseConfig(c *cli.Context, w world, ids []string) error {
	file, isHere := lastChecked(c, w)
	if file == "" || c.IsSet("config") || len(ids) == 0 && !isThere(file) {
		return nil
	}
	found, err := config.Find(".")
	switch {
	case len(ids) > 0 && !lastHolds(c, file, ids), len(ids) == 0 && err == nil && (!isHere || namesInput(c)):
		return nil
	case err == nil && found != absoluteOr(file):
		w.say("accepting by " + file + ", as the last check did; -c names another rule file")
	}
	return c.Set("config", file)
}

// namesInput reports whether accept is told what to accept.
func namesInput(c *cli.Context) bool {
	return c.Args().Present() || c.IsSet("target") || c.IsSet("from") || c.IsSet("baseline")
}

// keptResults opens the cache of the results that were kept, by whatever build of the same schema; nil with --no-cache. The context may be nil.
func keptResults(c *cli.Context) *files.Cache {
	if c != nil && c.Bool("no-cache") {
		return nil
	}
	return files.OpenCache(result.Schema)
}

// loadLast returns the last result of a configuration, nil if there is none. The context may be nil.
func loadLast(c *cli.Context, file string) (*result.Result, error) {
	data, ok := keptResults(c).Load(lastKey(file))
	if !ok {
		return nil, nil
	}
	r, err := parseResult("the last result", data)
	if err != nil {
		return nil, wrongUsage("another version of xlagate made the last result, and this one cannot read it; run xlagate check again")
	}
	return r, nil
}

// lastHolds reports whether the last result of a configuration has all ids.
func lastHolds(c *cli.Context, file string, ids []string) bool {
	r, _ := loadLast(c, file)
	return holdsAll(r, ids)
}

// lastWith returns the last result if it holds every id, else nil. What was judged is what is accepted, even if the dump has changed since.
func lastWith(c *cli.Context, o gate.Options, ids []string) *result.Result {
	if len(ids) == 0 || len(o.Dumps)+len(o.ByTarget)+len(o.Command) > 0 || o.Against != "" {
		return nil
	}
	r, _ := loadLast(c, o.Config.Path)
	if !holdsAll(r, ids) {
		return nil
	}
	return r
}

// holdsAll reports whether a result has the findings or changes of all ids. The result may be nil.
func holdsAll(r *result.Result, ids []string) bool {
	return r != nil && !slices.ContainsFunc(ids, func(id string) bool { return !r.Holds(id) })
}

// neverChecked is the message of a command that needs a result and finds none.
func neverChecked(id string) error {
	return wrongUsage("no kept result has %s; run xlagate check again, or name a result: xlagate explain %s --from result.json", id, id)
}

func reportCommand(w world) *cli.Command {
	var to outputs
	return &cli.Command{
		Name:      "report",
		Usage:     "render a result in another format",
		ArgsUsage: "RESULT.json",
		Flags:     append(outputFlags(&to, report.Formats()), quietFlag()),
		Category:  results,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return wrongUsage("report takes one result; xlagate report RESULT.json -f markdown")
			}
			r, err := readResult(w, c.Args().First())
			if err != nil {
				return incomplete(w, err)
			}
			return show(c, w, &to, r)
		},
	}
}
