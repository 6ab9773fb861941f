package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/github"
)

// output is a format and a path. An empty path means the standard output.
type output struct{ format, path string }

// outputs collects -f and -o in order: each -o belongs to the -f before it.
type outputs struct {
	list    []output
	formats []string // the formats that the command can write
}

// outputFlag is the value of -f and -o: each value adds to the outputs.
type outputFlag struct {
	to  *outputs
	set func(to *outputs, value string) error
}

// Set takes one value.
func (f *outputFlag) Set(value string) error { return f.set(f.to, value) }

// String returns the default that the help prints.
func (f *outputFlag) String() string { return "" }

func (to *outputs) addFormat(format string) error {
	if !slices.Contains(to.formats, format) {
		return errors.New("one of " + strings.Join(to.formats, ", "))
	}
	to.list = append(to.list, output{format: format})
	return nil
}

// addPath gives the last output its path. Without a format before it, the file extension decides the format.
func (to *outputs) addPath(path string) error {
	if path == "" {
		return errors.New("the name of a file")
	}
	if path != "-" && slices.ContainsFunc(to.list, func(o output) bool { return o.path == path }) {
		return errors.New("one file for each format; this one was named before")
	}
	if n := len(to.list); n > 0 && to.list[n-1].path == "" {
		to.list[n-1].path = path
		return nil
	}
	format := cmp.Or(formatsByExtension[strings.ToLower(filepath.Ext(path))], "text")
	if !slices.Contains(to.formats, format) {
		return fmt.Errorf("a file for one of %s", strings.Join(to.formats, ", "))
	}
	to.list = append(to.list, output{format: format, path: path})
	return nil
}

// formatsByExtension are the formats of files.
var formatsByExtension = map[string]string{
	".json": "json", ".md": "markdown", ".markdown": "markdown", ".sarif": "sarif", ".xml": "junit", ".html": "html", ".htm": "html", ".csv": "csv",
}

// outputFlags are -f and -o. Each short form is a flag of its own, because the library lets nobody mix the two forms of one.
func outputFlags(to *outputs, formats []string) []cli.Flag {
	to.formats = formats
	format, path := &outputFlag{to, (*outputs).addFormat}, &outputFlag{to, (*outputs).addPath}
	return []cli.Flag{
		&cli.GenericFlag{Name: "format", Value: format, Category: outputHeading, Usage: "`FORMAT`: " + strings.Join(formats, ", ") + "; repeatable"},
		&cli.GenericFlag{Name: "f", Value: format, Category: outputHeading, Usage: "short for --format `FORMAT`"},
		&cli.GenericFlag{Name: "output", Value: path, Category: outputHeading, Usage: "write the format before it to `FILE`; without a format, the file's extension decides"},
		&cli.GenericFlag{Name: "o", Value: path, Category: outputHeading, Usage: "short for --output `FILE`"},
		&cli.BoolFlag{Name: "no-color", Category: outputHeading, Usage: "print without colours"},
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
		&cli.StringSliceFlag{Name: "target", Usage: "check only the target `NAME`; NAME=DUMP gives it another dump; repeatable"},
		logFlag(),
		cacheFlag(),
	}, readFlags()...)
}

func cacheFlag() cli.Flag {
	return &cli.StringFlag{Name: "cache", Usage: "of a command that is run: keep the programs that JAX compiles for the CPU in `DIR`, and compile only what is not there"}
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "the rule `FILE` (default: xlagate.yaml here or above)"}
}

func baselineFlag() cli.Flag {
	return &cli.StringFlag{Name: "baseline", Usage: "`WHERE` the accepted facts are: a directory, or git:REF:PATH"}
}

func logFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "log", Usage: "also read `FILE`, a log of the compiler or the framework; repeatable"}
}

// readFlags say how a dump is read. They do not change the result.
func readFlags() []cli.Flag {
	checkJobs := func(_ *cli.Context, n int) error {
		if n < 0 {
			return wrongUsage("--jobs is %d; expected 1 or more, or 0 for one per core", n)
		}
		return nil
	}
	return []cli.Flag{
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Category: readHeading, Usage: "read `N` modules at once, or capture N targets", DefaultText: "one per core; of targets, one per two cores", Action: checkJobs},
		&cli.GenericFlag{Name: "max-memory", Value: new(size), Category: readHeading, Usage: "stay below `SIZE`, such as 500MiB: read fewer modules at once, and refuse files larger than a quarter of it (default: half of the machine's memory)"},
		quietFlag(),
	}
}

// needsPath refuses an empty path, as an empty variable of a script leaves it.
func needsPath(_ *cli.Context, path string) error {
	if path == "" {
		return wrongUsage("--output is empty; give it the name of a file, or leave it out")
	}
	return nil
}

func failOnFlag() cli.Flag {
	return choice(&cli.StringFlag{Name: "fail-on", Usage: "fail on findings of this `LEVEL` and above: error, warning or never"})
}

func allowMissingFlag() cli.Flag {
	return &cli.StringSliceFlag{
		Name: "allow-missing", Usage: "accept a dump without `INPUT`, although the baseline has facts from it: " + strings.Join(gate.Inputs(), ", "),
		Action: func(_ *cli.Context, names []string) error {
			for _, name := range names {
				if !slices.Contains(gate.Inputs(), name) {
					return wrongUsage("--allow-missing is %q; expected one of %s", name, strings.Join(gate.Inputs(), ", "))
				}
			}
			return nil
		},
	}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Category: outputHeading, Usage: "print only errors, warnings and what -f asks for"}
}

// flagValues lists the values of flags that take one of a closed list.
var flagValues = map[string][]string{
	"fail-on": {"error", "warning", "never"},
	"comment": {"auto", "off"},
	"mode":    github.Modes,
}

// choice is a flag that takes one of a closed list.
func choice(f *cli.StringFlag) cli.Flag {
	f.Action = func(_ *cli.Context, value string) error {
		if allowed := flagValues[f.Name]; !slices.Contains(allowed, value) {
			return wrongUsage("--%s is %q; expected one of %s", f.Name, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	return f
}

// holds reports whether the flags name an output of this format.
func (to *outputs) holds(format string) bool {
	return slices.ContainsFunc(to.list, func(o output) bool { return o.format == format })
}
