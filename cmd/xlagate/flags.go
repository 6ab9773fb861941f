package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/github"
)

// output is one rendering: a format and where it goes. An empty path is the standard output.
type output struct{ format, path string }

// outputs collects -f and -o in the order in which they stand: each -o belongs to the -f before it.
type outputs struct {
	list    []output
	formats []string // those that the command can write
}

// formatFlag and pathFlag are the two flags that write into outputs.
type (
	formatFlag struct{ to *outputs }
	pathFlag   struct{ to *outputs }
)

// Set begins a new output.
func (f formatFlag) Set(format string) error {
	if !slices.Contains(f.to.formats, format) {
		return errors.New("one of " + strings.Join(f.to.formats, ", "))
	}
	f.to.list = append(f.to.list, output{format: format})
	return nil
}

// String is what the help prints as the default.
func (f formatFlag) String() string { return "" }

// Set gives the last output its path. Without a format before it, the path's ending says the format.
func (f pathFlag) Set(path string) error {
	to := f.to
	if path == "" {
		return errors.New("the name of a file")
	}
	if path != "-" && slices.ContainsFunc(to.list, func(o output) bool { return o.path == path }) {
		return errors.New("a file for each format, this one was named before")
	}
	if n := len(to.list); n > 0 && to.list[n-1].path == "" {
		to.list[n-1].path = path
		return nil
	}
	format := formatOf(path)
	if !slices.Contains(to.formats, format) {
		return fmt.Errorf("a file for one of %s", strings.Join(to.formats, ", "))
	}
	to.list = append(to.list, output{format: format, path: path})
	return nil
}

// String is what the help prints as the default.
func (f pathFlag) String() string { return "" }

// formatOf guesses the format from a file's ending.
func formatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".md", ".markdown":
		return "markdown"
	case ".sarif":
		return "sarif"
	case ".xml":
		return "junit"
	case ".html", ".htm":
		return "html"
	}
	return "text"
}

// outputFlags say in which formats, and where to. A hidden flag stands for each short form: the library gives an alias its value by
// setting the flag a second time.
func outputFlags(to *outputs, formats []string) []cli.Flag {
	to.formats = formats
	return []cli.Flag{
		&cli.GenericFlag{Name: "format", Value: formatFlag{to}, Category: outputHeading, Usage: "`FORMAT`: " + strings.Join(formats, ", ") + "; may stand several times"},
		&cli.GenericFlag{Name: "f", Value: formatFlag{to}, Hidden: true},
		&cli.GenericFlag{Name: "output", Value: pathFlag{to}, Category: outputHeading, Usage: "write the format before it to `FILE`; without one the ending says the format"},
		&cli.GenericFlag{Name: "o", Value: pathFlag{to}, Hidden: true},
		&cli.BoolFlag{Name: "no-color", Category: outputHeading, Usage: "no colours"},
	}
}

// The headings under which flags are listed, besides "flags".
const (
	outputHeading = "output"
	readHeading   = "reading"
	githubHeading = "on GitHub"
)

func configFlags() []cli.Flag {
	return append([]cli.Flag{
		configFlag(),
		baselineFlag(),
		&cli.StringFlag{Name: "against", Usage: "compare with another `DUMP` instead of the stored baseline"},
		&cli.StringSliceFlag{Name: "target", Usage: "`NAME=DUMP`: the dump of one of several targets; may stand several times"},
		logFlag(),
	}, readFlags()...)
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "the rule `FILE` (default: xlagate.yaml here or above)"}
}

func baselineFlag() cli.Flag {
	return &cli.StringFlag{Name: "baseline", Usage: "`WHERE`: the accepted facts, a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG"}
}

func logFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "log", Usage: "`FILE`: a log of the compiler or the framework as extra input; may stand several times"}
}

// readFlags say how a dump is read; none of them changes what is found.
func readFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Category: readHeading, Usage: "read `N` modules at once (default: one a core)", Action: checkJobs},
		&cli.GenericFlag{Name: "max-memory", Value: new(size), Category: readHeading, Usage: "stay below `SIZE`, as in 500MiB: read fewer modules at once, and refuse files of more than a quarter of it (default: half of the machine's memory)"},
		quietFlag(),
	}, registryFlags()...)
}

func checkJobs(_ *cli.Context, n int) error {
	if n < 0 {
		return wrongUsage("--jobs is %d; expected 1 or more, or 0 for one a core", n)
	}
	return nil
}

func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on", Usage: "`LEVEL`: error, warning or never, from which a finding fails"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: outputHeading, Usage: "print nothing but what -f asks for, errors and warnings"}
}

// flagValues are what may stand behind a flag, where that is a closed list.
var flagValues = map[string][]string{
	"fail-on": {"error", "warning", "never"},
	"comment": {"auto", "off"},
	"mode":    github.Modes,
}

// oneOf reads a flag behind which may stand one of a closed list, or nothing.
func oneOf(c *cli.Context, flag string) (string, error) {
	value, allowed := c.String(flag), flagValues[flag]
	if value != "" && !slices.Contains(allowed, value) {
		return "", wrongUsage("--%s is %q; expected one of %s", flag, value, strings.Join(allowed, ", "))
	}
	return value, nil
}
