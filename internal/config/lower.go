package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/rules"
)

// Lowering is a budget that is wider than what there is, with what it could be.
type Lowering struct {
	Settings *rules.Settings
	Key      string
	To       float64
	// From and Became are the number as it was written and as it is now; Left says why it was left as it is.
	From, Became, Left string
}

// Place is where the number stands.
func (l *Lowering) Place() string {
	file, _, _ := strings.Cut(l.Settings.Place, ":")
	mark := l.Settings.Marks[l.Key]
	return fmt.Sprintf("%s:%d:%d", file, mark.Line, mark.Column)
}

// Lower puts tighter numbers into the text of a configuration and leaves everything else of it as it is. What it cannot put in place
// safely it leaves, and says why.
func Lower(cfg *Config, data []byte, list []*Lowering) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Lowering) int { // from the end: what stands before keeps its column
		return b.Settings.Marks[b.Key].Column - a.Settings.Marks[a.Key].Column
	})
	for _, l := range list {
		mark := l.Settings.Marks[l.Key]
		l.From, l.Became = mark.Text, tighter(mark.Text, l.To)
		at := offset(lines, mark)
		switch {
		case l.Left != "":
		case l.Became == "":
			l.Left = "in its unit nothing lower can be written"
		case sharers(cfg, l.Key, mark) > 1:
			l.Left = "an alias or a merge key shares it with another entry"
		case at < 0:
			l.Left = "it does not stand where it was read"
		default:
			line := lines[mark.Line-1]
			lines[mark.Line-1] = line[:at] + l.Became + line[at+len(mark.Text):]
		}
	}
	return []byte(strings.Join(lines, ""))
}

// sharers counts the entries whose bound is the one at a place.
func sharers(cfg *Config, key string, mark rules.Mark) int {
	n := 0
	for _, s := range cfg.Rules {
		if s.Marks[key] == mark {
			n++
		}
	}
	return n
}

// offset is the byte in its line at which a value stands, -1 where something else does.
func offset(lines []string, mark rules.Mark) int {
	if mark.Line < 1 || mark.Line > len(lines) {
		return -1
	}
	line := lines[mark.Line-1]
	at := 0
	for range mark.Column - 1 {
		if at >= len(line) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	if quote := line[at:min(at+1, len(line))]; !mark.Plain && (quote == `"` || quote == "'") && strings.HasPrefix(line[at+1:], mark.Text+quote) {
		return at + 1
	}
	if !mark.Plain || !strings.HasPrefix(line[at:], mark.Text) {
		return -1
	}
	return at
}

// tighter writes an amount in the unit in which the old one was written, rounded up; "" where that would be no lower.
func tighter(old string, to float64) string {
	was, ok := ParseSize(old)
	if !ok {
		return ""
	}
	text := strconv.FormatFloat(to, 'f', -1, 64)
	for _, u := range sizeUnits {
		if strings.HasSuffix(old, u.suffix) {
			text = strconv.FormatFloat(math.Ceil(100*to/u.factor)/100, 'f', -1, 64) + u.suffix
			break
		}
	}
	if is, ok := ParseSize(text); !ok || is >= was || is < to {
		return ""
	}
	return text
}
