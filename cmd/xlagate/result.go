package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/xlagate/xlagate/internal/config"
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

// keepLast stores a result as the last one of its configuration, and that as the last one of the repository.
func keepLast(c *cli.Context, o gate.Options, r *result.Result) {
	dir := keptResults(c)
	if dir == nil || o.Config == nil {
		return
	}
	if len(r.Findings) == 0 {
		r = r.WithoutAccept()
	}
	var b bytes.Buffer
	if err := report.Result(&b, r, "json", report.Options{}); err == nil {
		dir.Store(lastKey(o.Config.Path), b.Bytes())
		if path, err := filepath.Abs(o.Config.Path); err == nil {
			dir.Store(lastCheckKey(o.Root, o.Dir), []byte(path+"\x00"+o.Dir))
		}
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
	if file == "" || c.IsSet("config") {
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

// writeAll renders every output.
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
func write[T any](c *cli.Context, w world, list []output, value T, render func(io.Writer, T, string, report.Options) error) error {
	return writeAll(c, w, orText(list), func(out output, o report.Options, dst io.Writer) error { return render(dst, value, out.format, o) })
}

// show writes a result in every requested format. If all formats go to files, a text summary still goes to the standard output.
func show(c *cli.Context, w world, to *outputs, r *result.Result) error {
	return showWith(c, w, to, r, func(*report.Options) {})
}

// showWith is show with more options.
func showWith(c *cli.Context, w world, to *outputs, r *result.Result, more func(*report.Options)) error {
	list := to.list
	switch {
	case toScreen(list):
	case c.Bool("quiet"):
		sayWorst(c, w, r)
	default:
		list = append(list, output{format: "text"})
	}
	return writeAll(c, w, list, func(out output, o report.Options, dst io.Writer) error {
		more(&o)
		return report.Result(dst, r, out.format, o)
	})
}

// maxSaid bounds the errors and warnings that --quiet leaves.
const maxSaid = 10

// sayWorst writes what could not be checked, the errors and the warnings on the error stream, a line each.
func sayWorst(c *cli.Context, w world, r *result.Result) {
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

func toScreen(list []output) bool { return slices.ContainsFunc(list, output.onScreen) }

// textToScreen reports whether text goes to the standard output.
func textToScreen(list []output) bool {
	return slices.ContainsFunc(list, func(o output) bool { return o.onScreen() && o.format == "text" })
}

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

// logWidth is how wide the rows are in a file or a log: about what the pages of CI services show.
const logWidth = 120

// reportOptions decides on colour and width: colour only on a terminal or on request.
func reportOptions(c *cli.Context, w world, out output) report.Options {
	o := report.Options{Screen: report.Screen{Width: logWidth}, Options: webpage.Options{Version: version(), Root: repositoryRoot(w)}, Rules: rules.All.Doc, Config: c.String("config"), All: c.Bool("all")}
	file, isFile := w.out.(*os.File)
	terminal := isFile && out.path == "" && term.IsTerminal(int(file.Fd()))
	if terminal {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			o.Width, o.Terminal = width, true
		}
	}
	if opensLinks(w, terminal) && out.path == "" {
		o.Link = sourceLink(o.Root)
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

// opensLinks reports whether the terminal shows a link as one. Others would print its address: only those that are known to do are trusted, unless
// FORCE_HYPERLINK, which other tools read as well, says it.
func opensLinks(w world, terminal bool) bool {
	switch w.getenv("FORCE_HYPERLINK") {
	case "":
	case "0":
		return false
	default:
		return true
	}
	if !terminal || w.getenv("CI") != "" {
		return false
	}
	known := []string{"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"}
	vte, err := strconv.Atoi(w.getenv("VTE_VERSION"))
	return slices.Contains(known, w.getenv("TERM_PROGRAM")) || err == nil && vte >= 5000 || w.getenv("WT_SESSION") != "" ||
		slices.Contains([]string{"xterm-kitty", "alacritty", "foot", "xterm-ghostty"}, w.getenv("TERM"))
}

// sourceLink finds a file of the model, below the repository or from its top, and names it as terminals do.
func sourceLink(root string) func(file string, line int) string {
	host, _ := os.Hostname()
	return func(file string, line int) string {
		at := file
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, file)
		}
		if info, err := os.Stat(at); err != nil || !info.Mode().IsRegular() {
			return ""
		}
		return (&url.URL{Scheme: "file", Host: host, Path: filepath.ToSlash(at), Fragment: strconv.Itoa(line)}).String()
	}
}

// unread returns an error with exit code 3 if something in the dump could not be read.
func unread(w world, rep *facts.Report) error {
	if len(rep.Problems) == 0 {
		return nil
	}
	problems := phrase.Map(rep.Problems, func(p facts.Problem) result.Problem {
		return result.Problem{File: p.File, Message: p.Message, Fix: p.Fix}
	})
	sayProblems(w, rep.Dump, problems)
	return verdict(gate.ExitIncomplete)
}

func sayProblems(w world, what string, problems []result.Problem) {
	w.say("could not check " + what)
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
		sayProblems(w, "everything: nothing was accepted", gap.Problems)
	case errors.As(err, &unreadable):
		sayProblems(w, unreadable.Where, []result.Problem{{Message: unreadable.Message, Fix: unreadable.Fix}})
	default:
		return err
	}
	return verdict(gate.ExitIncomplete)
}
