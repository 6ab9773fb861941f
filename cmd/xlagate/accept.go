package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

func acceptCommand(w world) *cli.Command {
	return &cli.Command{
		Name:      "accept",
		Usage:     "refresh the baseline after an intended change",
		ArgsUsage: "[DUMP…] [-- COMMAND…]",
		Category:  theGate,
		Description: "xlagate accept --reason \"bigger batch\"             all that the dump holds\n" +
			"xlagate accept --only 3fa91c02b7d1 --reason \"…\"    one change of the last check; a number of xlagate.yaml that it breaks is raised\n" +
			"xlagate accept --from result.json                  from CI's result, without a dump\n" +
			"xlagate accept -i                                  shows each change and asks",
		Flags: append(append(configFlags(), pullRequestFlags()...),
			&cli.StringSliceFlag{Name: "only", Usage: "only the changes or findings with these `IDS`, separated by commas"},
			&cli.StringFlag{Name: "reason", Usage: "`TEXT`: why, for the baseline's readers"},
			&cli.BoolFlag{Name: "tighten", Usage: "record only what got better, and lower budgets to the present facts with some room"},
			&cli.StringFlag{Name: "from", Usage: "take facts and changes from a result `FILE`"},
			&cli.BoolFlag{Name: "interactive", Aliases: []string{"i"}, Usage: "show each change at the terminal and ask what to do with it"},
		),
		Action: func(c *cli.Context) error {
			if c.IsSet("only") && len(ids(c.StringSlice("only"))) == 0 {
				return wrongUsage("--only is empty; leave it out to accept all, or give ids as `xlagate check` prints them")
			}
			if onGitHub(c) {
				return acceptOnGitHub(c, w)
			}
			last, _ := lastChecked(c, w)
			if id := c.Args().First(); lastHolds(c, last, []string{id}) {
				return wrongUsage("%s is the id of a change, not a dump; xlagate accept --only %s --reason \"…\"", id, id)
			}
			if err := chooseConfig(c, w, ids(c.StringSlice("only"))); err != nil {
				return err
			}
			o, err := gateOptions(c, w)
			if err != nil {
				return err
			}
			a := gate.AcceptOptions{Only: ids(c.StringSlice("only")), Reason: c.String("reason"), Tighten: c.Bool("tighten")}
			if a.Reason == "" && !a.Tighten && !c.Bool("interactive") {
				return wrongUsage("accept needs a reason, for whoever reads the baseline later: add --reason \"…\"")
			}
			if from := c.String("from"); from != "" {
				if a.From, err = readResult(w, from); err != nil {
					return incomplete(w, err)
				}
			} else {
				a.From = lastWith(c, o, a.Only)
			}
			if c.Bool("interactive") {
				if err := decide(c, w, o, &a); err != nil || len(a.Only) == 0 {
					return err
				}
			}
			if !c.Bool("quiet") {
				a.Before = func(planned *gate.Accepted) { sayLeft(w, o, planned) }
			}
			done, err := gate.Accept(c.Context, o, a)
			if err != nil {
				return incomplete(w, err)
			}
			if !c.Bool("quiet") {
				sayAccepted(w, done)
			}
			return nil
		},
	}
}

func ids(values []string) []string {
	var out []string
	for _, v := range values {
		for _, id := range strings.Split(v, ",") {
			if id = strings.TrimSpace(id); id != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// sayLeft says what accepting leaves to be done by hand.
func sayLeft(w world, o gate.Options, planned *gate.Accepted) {
	for _, b := range planned.Left() {
		sayBudget(w, b)
	}
	for _, u := range planned.Unsettled {
		sayUnsettled(w, u, gate.Relative(o.Dir, absoluteOr(o.Config.Path)))
	}
}

func sayAccepted(w world, done *gate.Accepted) {
	for _, c := range done.Changes {
		w.printf("accepted %s\n", report.Headline(&c))
	}
	for _, c := range done.Beside {
		w.printf("with it  %s: what it costs is in the same numbers\n", report.Headline(&c))
	}
	for _, path := range done.Written {
		w.printf("wrote    %s\n", path)
	}
	for _, path := range done.Removed {
		w.printf("removed  %s\n", path)
	}
	for _, b := range done.Budgets {
		if b.Left == "" {
			sayBudget(w, b)
		}
	}
	switch {
	case len(done.Written)+len(done.Removed) == 0 && len(done.Budgets) > 0:
		fmt.Fprintf(w.out, "the baseline is as it was: %d unchanged\n", done.Unchanged)
	case len(done.Written)+len(done.Removed) == 0:
		fmt.Fprintf(w.out, "nothing to accept: %d unchanged\n", done.Unchanged)
	case done.Pushed != "":
		sayPushed(w, done.Pushed)
	default:
		fmt.Fprintln(w.out, "commit them together with the change")
	}
}

// sayBudget prints what happened to a limit that was too loose or too tight.
func sayBudget(w world, b *config.Budget) {
	done, left := "lowered", "slack"
	if b.Raised() {
		done = "raised"
	}
	if b.Narrow() {
		left = "narrow"
	}
	where := fmt.Sprintf("%s %s of %s", b.Place(), b.Key, b.Settings.Rule.ID)
	if b.Left != "" {
		w.printf("%-7s  %s is %s, %s is enough; change it by hand: %s\n", left, where, b.From, b.Became, b.Left)
		return
	}
	w.printf("%-7s  %s %s → %s\n", done, where, b.From, b.Became)
}

// sayUnsettled prints a limit of a rule file that still fails after accepting.
func sayUnsettled(w world, u gate.Unsettled, file string) {
	how := "change it there"
	switch {
	case u.Written:
		how = "change it there, or accept it by its id"
	case u.Add != "":
		how = "add to rules: in " + file + "\n  " + strings.ReplaceAll(u.Add, "\n", "\n  ")
	}
	w.printf("remains  %s %s: %s; %s\n", u.Place, u.Rule, u.Message, how)
}

// decisions is what a person said to each change.
type decisions struct {
	accepted, rejected []*result.Change // what is rejected is to be undone in the model
	skipped            int              // changes that stay as they are
}

// errLeft is returned when the person left before the end: nothing is decided.
var errLeft = errors.New("left the review; nothing was accepted")

// walkThrough shows each open change and reads what is to be done with it: keys are single bytes, as a terminal in raw mode sends them.
func walkThrough(keys io.Reader, screen io.Writer, r *result.Result, o report.Options) (*decisions, error) {
	w := walk{keys: bufio.NewReader(keys), screen: screen, result: r, options: o, open: r.Open()}
	w.answers = make([]byte, len(w.open))
	for w.at < len(w.open) {
		if w.shown != w.at+1 {
			if err := w.show(); err != nil {
				return nil, err
			}
		}
		if err := w.answer(); err != nil {
			return nil, err
		}
	}
	return w.decided(), nil
}

type walk struct {
	keys    *bufio.Reader
	screen  io.Writer
	result  *result.Result
	options report.Options
	open    []*result.Change
	answers []byte // a, r or s for each open change; 0 for none
	at      int    // the change that is asked about
	shown   int    // the number of the change on the screen
}

// help names the keys.
const help = "a accept   s skip   r reject   b back   e evidence   c code\n" +
	"A accept all the rest   q skip all the rest   ^C leave"

// show prints the change that is asked about.
func (w *walk) show() error {
	c := *w.open[w.at]
	c.Accept = "" // the key accepts it
	fmt.Fprintf(w.screen, "\nchange %d of %d\n", w.at+1, len(w.open))
	if err := report.ExplainChange(w.screen, w.result, &c, nil, "text", w.options); err != nil {
		return fmt.Errorf("show change %s: %w", c.ID, err)
	}
	w.shown = w.at + 1
	_, err := fmt.Fprintln(w.screen, help)
	return err
}

const (
	leave  = "\x03\x04" // ^C and ^D
	escape = 0x1b
)

// answer reads one key and does what it says. Of a key without a meaning it says so, and which keys there are.
func (w *walk) answer() error {
	key, err := w.key()
	if err != nil {
		return err
	}
	switch {
	case strings.IndexByte(leave, key) >= 0:
		return errLeft
	case strings.IndexByte("asr", key) >= 0:
		w.say(key)
		w.at++
	case strings.IndexByte("Aq", key) >= 0:
		for ; w.at < len(w.open); w.at++ {
			w.say(map[byte]byte{'A': 'a', 'q': 's'}[key])
		}
	case key == 'b':
		w.at, w.shown = max(w.at-1, 0), 0
	case key == 'e':
		return report.Evidence(w.screen, w.open[w.at], w.options)
	case key == 'c':
		return w.code()
	case key == escape:
		err = w.skipSequence()
	default:
		_, err = fmt.Fprintf(w.screen, "%q is no answer; the keys are\n%s\n", key, help)
	}
	return err
}

// key reads a key.
func (w *walk) key() (byte, error) {
	key, err := w.keys.ReadByte()
	if err != nil {
		return 0, fmt.Errorf("the terminal is gone; nothing was accepted: %w", err)
	}
	return key, nil
}

// skipSequence reads what an arrow or a function key sends behind its escape: the letter at its end is no answer.
func (w *walk) skipSequence() error {
	key, err := w.key()
	if err != nil {
		return err
	}
	if key != '[' && key != 'O' {
		return w.keys.UnreadByte()
	}
	for key, err = w.key(); err == nil && (key < '@' || key > '~'); {
		key, err = w.key()
	}
	return err
}

// say notes an answer and repeats it, so that what scrolled by can be read.
func (w *walk) say(answer byte) {
	w.answers[w.at] = answer
	word := map[byte]string{'a': "accepted", 's': "skipped", 'r': "rejected"}[answer]
	fmt.Fprintf(w.screen, "%s  %s\n", word, w.open[w.at].ID)
}

// around is how many lines before and after a change's own are shown.
const around = 6

// code shows the source around a change.
func (w *walk) code() error {
	at := w.open[w.at].Source
	if at.File == "" || at.Line == 0 {
		_, err := fmt.Fprintln(w.screen, "no line of the model is known for this change")
		return err
	}
	path := at.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.options.Root, path)
	}
	lines, err := readLines(path, at.Line-around, at.Line+around)
	if err != nil {
		_, err = fmt.Fprintf(w.screen, "%s cannot be shown: %v\n", at.File, err)
		return err
	}
	return report.Code(w.screen, lines, max(at.Line-around, 1), at.Line, w.options)
}

// readLines reads the lines of a file from one number to another.
func readLines(path string, from, to int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []string
	s := bufio.NewScanner(f)
	for n := 1; n <= to && s.Scan(); n++ {
		if n >= from {
			lines = append(lines, s.Text())
		}
	}
	if len(lines) == 0 && s.Err() == nil {
		return nil, fmt.Errorf("it has no line %d", from+around)
	}
	return lines, s.Err()
}

func (w *walk) decided() *decisions {
	d := &decisions{}
	for i, c := range w.open {
		switch w.answers[i] {
		case 'a':
			d.accepted = append(d.accepted, c)
		case 'r':
			d.rejected = append(d.rejected, c)
		default:
			d.skipped++
		}
	}
	return d
}

// String is "2 accepted, 1 rejected, 0 skipped".
func (d *decisions) String() string {
	return fmt.Sprintf("%s accepted, %d rejected, %d skipped", phrase.Some(len(d.accepted), "change"), len(d.rejected), d.skipped)
}

// decide asks a person about each change, and puts the accepted ones and the reason into the options. Without an accepted change Only is empty.
func decide(c *cli.Context, w world, o gate.Options, a *gate.AcceptOptions) error {
	in, isFile := w.in.(*os.File)
	out, outIsFile := w.out.(*os.File)
	switch {
	case len(a.Only) > 0 || a.Tighten:
		return wrongUsage("accept -i asks about each change; leave out --only and --tighten")
	case !isFile || !outIsFile || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())):
		return wrongUsage("accept -i needs a terminal; accept by id: xlagate accept --only ID --reason \"…\"")
	}
	if a.From == nil {
		r, err := gate.Check(c.Context, o)
		if err != nil {
			return err
		}
		keepLast(c, o, r)
		a.From = r
	}
	if len(a.From.Problems) > 0 {
		sayProblems(w, "the review", a.From.Problems)
		return verdict(gate.ExitIncomplete)
	}
	if len(a.From.Open()) == 0 {
		fmt.Fprintln(w.out, "no change breaks a rule; record what is there now: "+result.AcceptCommand(a.From.OptionsOf("")))
		return nil
	}
	decided, err := asked(in, out, a, reportOptions(c, w, output{}))
	if errors.Is(err, errLeft) {
		return gate.UsageError{Message: err.Error()}
	}
	if err != nil {
		return err
	}
	w.printf("%s\n", decided)
	for _, change := range decided.rejected {
		w.printf("undo     %s:%d: %s\n", change.Source.File, change.Source.Line, change.Title)
	}
	return nil
}

// asked walks through the changes with the terminal in raw mode, which gives each key at once.
func asked(in, out *os.File, a *gate.AcceptOptions, o report.Options) (*decisions, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read single keys of the terminal: %w", err)
	}
	defer term.Restore(int(in.Fd()), before)
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "reason: ") // it ends lines as a raw terminal needs them
	decided, err := walkThrough(in, screen, a.From, o)
	if err != nil {
		return nil, err
	}
	for len(decided.accepted) > 0 && a.Reason == "" {
		line, err := screen.ReadLine()
		if err != nil {
			return nil, errLeft
		}
		a.Reason = strings.TrimSpace(line)
	}
	for _, c := range decided.accepted {
		a.Only = append(a.Only, c.ID)
	}
	return decided, nil
}
