package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
	"github.com/xlagate/xlagate/rules"
)

func writeAll(c *cli.Context, w world, list []output, render func(output, report.Options, io.Writer) error) error {
	for _, out := range list {
		err := deliver(w, out, func(dst io.Writer) error {
			if err := render(out, reportOptions(c, w, out), dst); err != nil {
				return fmt.Errorf("render as %s: %w", out.format, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write renders a value in every requested format, as text if none is requested.
func write[T any](c *cli.Context, w world, list []output, value T, formats report.Formats[T]) error {
	return writeAll(c, w, orText(list), func(out output, o report.Options, dst io.Writer) error {
		return formats.Render(dst, value, out.format, o)
	})
}

// show writes a result in every requested format, perhaps with more options. If all formats go to files, a text summary still goes to the standard output.
func show(c *cli.Context, w world, to *outputs, r *result.Result, more ...func(*report.Options)) error {
	list := to.list
	switch {
	case slices.ContainsFunc(list, output.onScreen):
	case c.Bool("quiet"):
		sayWorst(c, w, r)
	default:
		list = append(list, output{format: "text"})
	}
	return writeAll(c, w, list, func(out output, o report.Options, dst io.Writer) error {
		for _, set := range more {
			set(&o)
		}
		return report.Result.Render(dst, r, out.format, o)
	})
}

// sayWorst writes what could not be checked, the errors and the warnings on the error stream, a line each.
func sayWorst(c *cli.Context, w world, r *result.Result) {
	const maxSaid = 10 // errors and warnings that --quiet leaves
	list := slices.DeleteFunc(report.Annotations(r, reportOptions(c, w, output{})), func(a report.Annotation) bool { return a.Level == "info" })
	for _, a := range list[:min(len(list), maxSaid)] {
		w.say(a.String())
	}
	if more := len(list) - maxSaid; more > 0 {
		w.say(fmt.Sprintf("and %d more: --quiet shows the first %d", more, maxSaid))
	}
}

func orText(list []output) []output {
	if len(list) == 0 {
		return []output{{format: "text"}}
	}
	return list
}

// onScreen reports whether an output goes to the standard output.
func (o output) onScreen() bool { return o.path == "" || o.path == "-" }

// deliver streams an output to its destination. A file is replaced only when the output is complete.
func deliver(w world, out output, render func(io.Writer) error) error {
	if out.onScreen() {
		return buffered(w.out, render)
	}
	if link := git.CheckedInLink(context.Background(), out.path); link != "" {
		return fmt.Errorf("write %s: %s is a link that is checked in, so whoever wrote the checkout chose where it leads: remove it, or name another file", out.path, link)
	}
	if err := os.MkdirAll(filepath.Dir(out.path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", out.path, err)
	}
	if err := files.Replace(out.path, func(f *os.File) error { return buffered(f, render) }); err != nil {
		return fmt.Errorf("write %s: %w", out.path, err)
	}
	return nil
}

func buffered(dst io.Writer, render func(io.Writer) error) error {
	b := bufio.NewWriterSize(dst, 1<<16)
	if err := render(b); err != nil {
		return err
	}
	return b.Flush()
}

// repositoryRoot returns the folder to which source paths are relative: the checkout in CI, else the repository around the working
// directory, else "".
func repositoryRoot(w world) string {
	if root := w.getenv("GITHUB_WORKSPACE"); root != "" {
		return root
	}
	dir, _ := os.Getwd() // "" where it is not known
	return repositoryAround(dir)
}

// repositoryAround returns the top of the repository that a folder is in, "" outside of one.
func repositoryAround(dir string) string {
	for below := ""; dir != below; dir, below = filepath.Dir(dir), dir {
		if isThere(filepath.Join(dir, ".git")) {
			return dir
		}
	}
	return ""
}

// reportOptions decides on colour and width: colour only on a terminal or on request.
func reportOptions(c *cli.Context, w world, out output) report.Options {
	const logWidth = 120 // of the rows in a file or a log: about what the pages of CI services show
	o := report.Options{Screen: report.Screen{Width: logWidth}, Options: webpage.Options{Version: version(), Root: repositoryRoot(w)}, Rules: rules.All.Doc, Config: c.String("config"), All: c.Bool("all")}
	file, isFile := w.out.(*os.File)
	terminal := isFile && out.path == "" && term.IsTerminal(int(file.Fd()))
	if terminal {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			o.Width, o.Terminal = width, true
		}
	}
	switch {
	case c.Bool("no-color") || w.getenv("NO_COLOR") != "" || out.path != "":
	case w.getenv("FORCE_COLOR") != "" || w.getenv("CLICOLOR_FORCE") != "":
		o.Color = true
	default:
		o.Color = terminal && w.getenv("TERM") != "dumb"
	}
	return o
}

// unread returns an error with exit code 3 if something in the dump could not be read.
func unread(w world, rep *facts.Report) error {
	if len(rep.Problems) == 0 {
		return nil
	}
	problems := phrase.Map(rep.Problems, func(p facts.Problem) result.Problem {
		return result.Problem{File: p.File, Message: p.Message, Fix: p.Fix}
	})
	sayProblems(w, "cannot read "+rep.Dump, problems)
	return verdict(gate.ExitIncomplete)
}

func sayProblems(w world, what string, problems []result.Problem) {
	w.say(what)
	for _, p := range problems {
		text := p.Message
		if p.File != "" {
			text = p.File + ": " + text
		}
		w.tell("  " + text)
		if p.Fix != "" {
			w.tell("  " + p.Fix)
		}
	}
}

// incomplete prints what could not be checked and returns exit code 3.
func incomplete(w world, err error) error {
	var gap *gate.Incomplete
	var unreadable *gate.Unreadable
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &gap):
		sayProblems(w, "nothing was accepted: not everything could be checked", gap.Problems)
	case errors.As(err, &unreadable):
		w.say(unreadable.Where + ": " + unreadable.Message)
		if unreadable.Fix != "" {
			w.tell("  " + unreadable.Fix)
		}
	default:
		return err
	}
	return verdict(gate.ExitIncomplete)
}
