// Package review walks a person at a terminal through the changes of a result, one by one. It decides nothing by itself and writes nothing.
package review

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/report"
	"github.com/xlagate/xlagate/internal/result"
)

// Decided is what a person said to each change.
type Decided struct {
	Accepted []*result.Change
	Rejected []*result.Change // they are to be undone in the model
	Skipped  []*result.Change // they stay as they are
}

// ErrLeft is returned when the person left before the end: nothing is decided.
var ErrLeft = errors.New("left the review; nothing was accepted")

// Open lists the changes that wait for a decision: those that break a rule and are not waived.
func Open(r *result.Result) []*result.Change {
	var open []*result.Change
	for i := range r.Changes {
		if c := &r.Changes[i]; len(c.Findings) > 0 && !c.Waived {
			open = append(open, c)
		}
	}
	return open
}

// Walk shows each open change and reads what is to be done with it: keys are single bytes, as a terminal in raw mode sends them.
func Walk(keys io.Reader, screen io.Writer, r *result.Result, o report.Options) (*Decided, error) {
	w := walk{keys: bufio.NewReader(keys), screen: screen, result: r, options: o, open: Open(r)}
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
const help = "a accept   s skip   r reject   e evidence   c code   b back   A accept all the rest   q skip all the rest   ^C leave"

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

// answer reads one key and does what it says. A key without a meaning prints the keys again.
func (w *walk) answer() error {
	key, err := w.keys.ReadByte()
	if err != nil {
		return fmt.Errorf("the terminal is gone, nothing was accepted: %w", err)
	}
	switch {
	case strings.IndexByte(leave, key) >= 0:
		return ErrLeft
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
		_, err = fmt.Fprintln(w.screen, help)
	}
	return err
}

// skipSequence reads what an arrow or a function key sends behind its escape: the letter at its end is no answer.
func (w *walk) skipSequence() error {
	key, err := w.keys.ReadByte()
	if err != nil {
		return err
	}
	if key != '[' && key != 'O' {
		return w.keys.UnreadByte()
	}
	for key, err = w.keys.ReadByte(); err == nil && (key < '@' || key > '~'); {
		key, err = w.keys.ReadByte()
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

func (w *walk) decided() *Decided {
	d := &Decided{}
	for i, c := range w.open {
		switch w.answers[i] {
		case 'a':
			d.Accepted = append(d.Accepted, c)
		case 'r':
			d.Rejected = append(d.Rejected, c)
		default:
			d.Skipped = append(d.Skipped, c)
		}
	}
	return d
}

// IDs lists the ids of what was accepted.
func (d *Decided) IDs() []string {
	var ids []string
	for _, c := range d.Accepted {
		ids = append(ids, c.ID)
	}
	return ids
}

// String is "2 accepted, 1 rejected, 0 skipped".
func (d *Decided) String() string {
	return fmt.Sprintf("%s accepted, %d rejected, %d skipped", phrase.Some(len(d.Accepted), "change"), len(d.Rejected), len(d.Skipped))
}
