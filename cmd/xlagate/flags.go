package main

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
)

// output is one rendering: a format and where it goes. An empty path is the standard output.
type output struct{ format, path string }

// outputs collects -f and -o in the order in which they stand: each -o belongs to the -f before it.
type outputs struct {
	list []output
}

// formatFlag and pathFlag are the two flags that write into outputs.
type (
	formatFlag struct{ to *outputs }
	pathFlag   struct{ to *outputs }
)

// Set begins a new output.
func (f formatFlag) Set(format string) error {
	f.to.list = append(f.to.list, output{format: format})
	return nil
}

// String is what the help prints as the default.
func (f formatFlag) String() string { return "" }

// Set gives the last output its path. Without a format before it, the path's ending says the format.
func (f pathFlag) Set(path string) error {
	if path == "" {
		return gate.UsageError{Message: "-o needs a file name"}
	}
	if n := len(f.to.list); n > 0 && f.to.list[n-1].path == "" {
		f.to.list[n-1].path = path
		return nil
	}
	f.to.list = append(f.to.list, output{format: formatOf(path), path: path})
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

func outputFlags(to *outputs, formats []string) []cli.Flag {
	// The short forms are flags of their own: the library gives an alias its value by setting the flag a second time.
	return []cli.Flag{
		&cli.GenericFlag{Name: "format", Value: formatFlag{to}, Usage: "-f: one of " + strings.Join(formats, ", ") + "; may stand several times"},
		&cli.GenericFlag{Name: "f", Value: formatFlag{to}, Hidden: true},
		&cli.GenericFlag{Name: "output", Value: pathFlag{to}, Usage: "-o: write the format before it to `FILE`"},
		&cli.GenericFlag{Name: "o", Value: pathFlag{to}, Hidden: true},
		&cli.BoolFlag{Name: "no-color", Usage: "no colours"},
	}
}

func configFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "the rule `FILE` (default: xlagate.yaml here or above)"},
		&cli.StringFlag{Name: "baseline", Usage: "where the accepted facts lie: a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG"},
		&cli.StringFlag{Name: "against", Usage: "compare with another `DUMP` instead of the stored baseline"},
		&cli.StringSliceFlag{Name: "target", Usage: "`NAME=DUMP`: the dump of one of several targets"},
		&cli.StringSliceFlag{Name: "log", Usage: "a compiler or framework log as extra input"},
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many modules are read at once (default: one a core)"},
	}, registryFlags()...)
}
