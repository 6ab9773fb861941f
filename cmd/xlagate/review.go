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

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

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
	return d, nil
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

const help = "a accept   s skip   r reject   b back   e evidence   c code\n" +
	"A accept all the rest   q skip all the rest   ^C leave"

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

// answer reads one key and does what it says. If the key has no meaning, it says so, and which keys have one.
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
		return wrongUsage("accept -i needs a terminal; accept by id: xlagate accept --only ID --reason \"why\"")
	}
	if a.From == nil {
		r, err := gate.Check(c.Context, o)
		if err != nil {
			return err
		}
		keepLast(w, o, r)
		a.From = r
	}
	if len(a.From.Problems) > 0 {
		sayProblems(w, "the review cannot begin: not everything could be checked", a.From.Problems)
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
	a.Only = phrase.Map(decided.accepted, func(c *result.Change) string { return c.ID })
	return decided, nil
}
