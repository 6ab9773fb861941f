package main

import (
	"bytes"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// lastResult returns the cache of the last result of a configuration, nil without a cache. It makes the commands that a result prints work
// without the dump.
func lastResult(c *cli.Context) *files.Cache {
	build, ok := buildID()
	if c.Bool("no-cache") || !ok {
		return nil
	}
	return files.OpenCache(build)
}

// lastKey names the last result of a configuration file.
func lastKey(config string) string {
	if path, err := filepath.Abs(config); err == nil {
		config = path
	}
	return "last result\x00" + config
}

// keepLast stores a result as the last one of its configuration.
func keepLast(c *cli.Context, o gate.Options, r *result.Result) {
	dir := lastResult(c)
	if dir == nil || o.Config == nil {
		return
	}
	var b bytes.Buffer
	if err := report.Result(&b, r, "json", report.Options{}); err == nil {
		dir.Store(lastKey(o.Config.Path), b.Bytes())
	}
}

// loadLast returns the last result of a configuration, or nil.
func loadLast(c *cli.Context, config string) *result.Result {
	return lastIn(lastResult(c), config)
}

// lastIn is the same of a cache, which may be nil.
func lastIn(dir *files.Cache, config string) *result.Result {
	if dir == nil {
		return nil
	}
	data, ok := dir.Load(lastKey(config))
	if !ok {
		return nil
	}
	r, err := parseResult("the last result", data)
	if err != nil {
		return nil
	}
	return r
}

// lastWith returns the last result if it holds every id, else nil. What was judged is what is accepted, even if the dump has changed since.
func lastWith(c *cli.Context, o gate.Options, ids []string) *result.Result {
	if len(ids) == 0 || len(o.Dumps)+len(o.ByTarget)+len(o.Command) > 0 || o.Against != "" {
		return nil
	}
	r := loadLast(c, o.Config.Path)
	if r == nil {
		return nil
	}
	known := map[string]bool{}
	for i := range r.Findings {
		known[r.Findings[i].ID], known[r.Findings[i].Change] = true, true
	}
	for _, id := range ids {
		if !known[id] {
			return nil
		}
	}
	return r
}

// neverChecked is the message of a command that needs a result and finds none.
func neverChecked(id string) error {
	return wrongUsage("no kept result knows %s; run xlagate check again, or name a result: xlagate explain %s --from result.json", id, id)
}
