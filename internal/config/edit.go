package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Budget is a limit in the configuration, with its new value.
type Budget struct {
	Settings *rule.Settings
	Key      string
	To       float64
	Measured float64 // what the limit is set for, which a comment beside it may say; 0 where none does
	// From and Became are the number as it was written and as it is now; Left says why it was left as it is.
	From, Became, Left string
}

// Place returns the place of the number.
func (b *Budget) Place() string {
	file, _, _ := strings.Cut(b.Settings.Place, ":")
	mark := b.Settings.Marks[b.Key]
	return fmt.Sprintf("%s:%d:%d", file, mark.Line, mark.Column)
}

// Raised reports whether the number is to grow.
func (b *Budget) Raised() bool {
	was, _ := b.units().parse(b.From)
	return b.To > was
}

// units are those that the number may be written in.
func (b *Budget) units() scale {
	if b.Settings != nil && b.Settings.Rule.Budget != nil && b.Settings.Rule.Budget.Unit == "nanoseconds" {
		return timeUnits
	}
	return sizeUnits
}

// Narrow reports whether the number is too low rather than too high.
func (b *Budget) Narrow() bool { return b.Raised() || b.Key == "min" || b.Key == "equal" }

// SetBudgets changes numbers in the text of a configuration and keeps the rest of the text. If it cannot change a number safely, it keeps it and says
// why.
func SetBudgets(cfg *Config, data []byte, list []*Budget) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Budget) int { // from the end, so that columns before an edit stay valid
		return b.Settings.Marks[b.Key].Column - a.Settings.Marks[a.Key].Column
	})
	for _, b := range list {
		mark := b.Settings.Marks[b.Key]
		b.From, b.Became = mark.Text, rewritten(b.units(), b.Key, mark.Text, b.To)
		at := offset(lines, mark)
		switch {
		case b.Left != "":
		case b.Became == "":
			b.Left = "its unit allows no closer number"
		case len(phrase.Filter(cfg.Rules, func(s *rule.Settings) bool { return s.Marks[b.Key] == mark })) > 1:
			b.Left = "an alias or a merge key shares it with another entry"
		case at < 0:
			b.Left = "it is no longer where it was read"
		default:
			line := lines[mark.Line-1]
			line = line[:at] + b.Became + line[at+len(mark.Text):]
			if budget := b.Settings.Rule.Budget; b.Measured != 0 && budget != nil {
				line = measuredAt.ReplaceAllString(line, "${1}when accepted: "+phrase.Show(b.Measured, budget.Unit))
			}
			lines[mark.Line-1] = line
		}
	}
	return []byte(strings.Join(lines, ""))
}

// measuredAt finds what the comment beside a limit says of the amount that it was set for, as init writes it: "# at init: 350.7 KiB".
var measuredAt = regexp.MustCompile(`(#.*)\b(?:at init|when accepted): .*`)

// offset returns the byte of a value in its line, -1 if the line holds something else.
func offset(lines []string, mark rule.Mark) int {
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

// rewritten writes an amount in the unit of the old one, rounded so that it passes; "" if the result would be no nearer to the amount.
func rewritten(units scale, key, old string, to float64) string {
	was, ok := units.parse(old)
	if !ok {
		return ""
	}
	round := math.Ceil
	if key == "min" {
		round = math.Floor
	}
	text := strconv.FormatFloat(to, 'f', -1, 64)
	for _, u := range units {
		if key != "equal" && strings.HasSuffix(old, u.suffix) {
			text = strconv.FormatFloat(round(100*to/u.factor)/100, 'f', -1, 64) + u.suffix
			break
		}
	}
	is, ok := units.parse(text)
	lets := is >= to
	switch key {
	case "min":
		lets = is <= to
	case "equal":
		lets = is == to
	}
	if nearer := is != was && (is < was) == (to < was); !ok || !lets || !nearer {
		return ""
	}
	return text
}

// AddTarget returns the text of a rule file with one more target, whose dump a command makes. It is the first in the list; every other line, comments
// included, stays as it is.
func AddTarget(text []byte, name, run string) ([]byte, error) {
	root, err := yamldoc.Parse(text)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(bytes.Lines(text))
	for i := 0; root != nil && i+1 < len(root.Content); i += 2 {
		key, list := root.Content[i], root.Content[i+1]
		if key.Value != "targets" {
			continue
		}
		if list.Kind != yamldoc.Sequence || len(list.Content) == 0 || list.Content[0].Line == key.Line {
			break
		}
		indent, _, _ := strings.Cut(string(lines[list.Content[0].Line-1]), "-")
		entry := fmt.Sprintf("%[1]s- name: %[2]q\n%[1]s  capture: { run: %[3]q }\n", indent, name, run)
		return bytes.Join(slices.Insert(lines, key.Line, []byte(entry)), nil), nil
	}
	return nil, errors.New("it has no list of targets, one below the other; write one as docs/config.md shows, with a name for each")
}
