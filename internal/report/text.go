package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
	"github.com/mattn/go-runewidth"

	"github.com/xlagate/xlagate/internal/phrase"
)

// textOf renders a page for a terminal or a log.
func textOf(p page, o Options) string {
	t := &textPage{Screen: o.Screen}
	t.wrapped(p.Title, 0)
	t.blocks(p.Blocks, 0)
	return t.out.String()
}

type textPage struct {
	Screen
	out strings.Builder
}

func (t *textPage) blocks(blocks []block, indent int) {
	for _, b := range blocks {
		t.block(b, indent)
	}
}

func (t *textPage) block(b block, indent int) {
	switch b := b.(type) {
	case section:
		if indent == 0 && t.out.Len() > 0 {
			t.out.WriteByte('\n')
		}
		t.wrapped(b.Title, indent)
		t.blocks(b.Blocks, indent+2)
	case para:
		t.wrapped(b.Line, indent)
	case code:
		for _, text := range b.lines() {
			t.line(indent, say(text))
		}
	case list:
		for _, l := range b.Items {
			t.wrapped(l, indent)
		}
	case table:
		t.table(b, indent)
	case listing:
		t.listing(b, indent)
	}
}

// wrapped writes a line, and what is too wide for a terminal on further lines, indented. In a log a sentence is one line, to be searched.
func (t *textPage) wrapped(l line, indent int) {
	if !t.Terminal {
		t.line(indent, l)
		return
	}
	for i, part := range wrapLine(l.shorter(t.Width-indent-2), t.Width-indent-2) {
		t.line(indent+2*min(i, 1), part)
	}
}

// line writes one line. A line must not look like a command to GitHub's runner, which reads every log.
func (t *textPage) line(indent int, l line) {
	if len(l) == 0 {
		return
	}
	t.out.WriteString(strings.Repeat(" ", indent))
	if strings.HasPrefix(strings.TrimSpace(l.text()), "::") {
		t.out.WriteByte('\\')
	}
	for _, s := range l {
		text := s.shown()
		if t.Color && colors[s.Voice] != nil && text != "" {
			pen := color.New(colors[s.Voice]...)
			pen.EnableColor() // the caller decides that, not the library by its own look at the environment
			text = pen.Sprint(text)
		}
		t.out.WriteString(text)
	}
	t.out.WriteByte('\n')
}

func (t *textPage) table(b table, indent int) {
	rows := b.Rows
	if !b.Bare {
		head := make([]line, len(b.Head))
		for i, h := range b.Head {
			head[i] = in(dim, h)
		}
		rows = append([][]line{head}, rows...)
	}
	width := t.Width - indent
	widths := columnWidths(rows)
	if t.Width > 0 {
		for i, w := range columnWidths(phrase.Map(rows, func(row []line) []line { return fitting(row, width) })) {
			widths[i] = max(w, min(1, widths[i])) // a column without a width is left out
		}
	}
	for _, row := range rows {
		for i, l := range t.row(row, widths, b.Right, width) {
			t.line(indent+4*min(i, 1), l)
		}
	}
}

func (t *textPage) listing(b listing, indent int) {
	rows := listingRows(b.Lines)
	widths := columnWidths(rows)
	left := t.Width - indent - 2
	if t.Width > 0 && slices.ContainsFunc(rows, func(row []line) bool { return alignRow(row, widths, nil).width() > left }) {
		widths = slices.Repeat([]int{1}, len(widths))
	}
	for i, row := range rows {
		mark := b.Lines[i].Mark
		for j, l := range t.row(row, widths, nil, left) {
			t.line(indent+4*min(j, 1), in(markVoices[mark], []string{string(rune(mark)) + " ", ""}[min(j, 1)]+l.text()))
		}
	}
}

// row writes the cells of a row below those of the others. Where they are too wide, a terminal shows a name at their end shorter; else the cells flow.
func (t *textPage) row(row []line, widths []int, right []bool, width int) []line {
	for _, widths := range [][]int{widths, columnWidths([][]line{row})} {
		l := alignRow(row, widths, right)
		if t.Terminal {
			l = cutLine(l, width)
		}
		if width <= 0 || l.width() <= width {
			return []line{l}
		}
	}
	aligned := 1
	if row[0].width() <= width/3 {
		for aligned < len(row) && row[aligned].width() <= widths[aligned] && alignRow(row[:aligned+1], widths, right).width() <= width-4 {
			aligned++
		}
		row = append([]line{alignRow(row[:aligned], widths, right)}, row[aligned:]...)
	}
	return flow(row, width)
}

// fitting returns the first cells of a row that fit into a line. If the line is too narrow for all, it stops at the first cell that has no room beside those
// before it, or that takes more than a third of the line.
func fitting(row []line, width int) []line {
	if alignRow(row, columnWidths([][]line{row}), nil).width() <= width {
		return row
	}
	n := 0
	for n < len(row) && row[n].width() <= width/3 && alignRow(row[:n+1], columnWidths([][]line{row[:n+1]}), nil).width() <= width {
		n++
	}
	return row[:n]
}

// flow writes the cells of a row one after the other, on as many lines as they take; all but the first are indented by four. A first cell that takes a
// third of its line has it for itself.
func flow(row []line, width int) []line {
	var out []line
	for i, cell := range row {
		last := len(out) - 1
		switch {
		case cell.width() == 0:
		case last >= 0 && (i > 1 || row[0].width() <= width/3) && out[last].width()+len(columnGap)+cell.width() <= width-4*min(last, 1):
			out[last] = out[last].with(columnGap, cell)
		default:
			out = append(out, wrapLine(cell, width-4)...)
		}
	}
	return out
}

// cells measures text as a terminal shows it, whatever the locale of the machine.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

const (
	columnGap = "   "
	maxColumn = 64 // one long name must not push every row apart
)

// usual are the characters beyond ASCII that messages use. Each takes one cell.
const usual = "→…µ−×·–≥≤"

// width is how many cells a line takes. The library makes a table of 2 MB for the first character beyond Latin letters: 2 ms of every command.
func (l line) width() int {
	text := l.text()
	if strings.ContainsFunc(text, func(r rune) bool { return (r < ' ' || r > '~') && !strings.ContainsRune(usual, r) }) {
		return cells.StringWidth(text)
	}
	return utf8.RuneCountInString(text)
}

func columnWidths(rows [][]line) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(cell.width(), maxColumn))
		}
	}
	return widths
}

// alignRow joins the cells of a row. Empty cells at its end are left out.
func alignRow(row []line, widths []int, right []bool) line {
	last := len(row) - 1
	for last >= 0 && row[last].width() == 0 {
		last--
	}
	var out line
	for i := 0; i <= last; i++ {
		if widths[i] == 0 {
			continue
		}
		space := strings.Repeat(" ", max(0, widths[i]-row[i].width()))
		if i < len(right) && right[i] {
			out = append(out.and(space), row[i]...)
		} else {
			out = append(out, row[i]...)
			if i < last {
				out = out.and(space)
			}
		}
		if i < last {
			out = out.and(columnGap)
		}
	}
	return out
}

// minCut is the shortest that a name is cut to.
const minCut = 24

// cutLine shortens a line that ends in a name to a width, where enough of the name is left. Half a number would be a wrong one, so a line that
// ends in anything else stays.
func cutLine(l line, width int) line {
	if width <= 0 || l.width() <= width || l[len(l)-1].Voice != name {
		return l
	}
	last := len(l) - 1
	left := width - l[:last].width()
	if left < minCut {
		return l
	}
	return append(l[:last:last], span{cutName(l[last].shown(), left), name})
}

// shorter is a line whose names each fit a width. A command stays whole: it is to be copied.
func (l line) shorter(width int) line {
	out := slices.Clone(l)
	for i, s := range out {
		if s.Voice == name && width > minCut && !strings.HasPrefix(s.Text, "xlagate ") {
			out[i].Text = cutName(s.shown(), width)
		}
	}
	return out
}

// extend appends text to the last span when it has the same voice.
func (l line) extend(v voice, text string) line {
	if n := len(l); n > 0 && l[n-1].Voice == v {
		return append(l[:n-1:n-1], span{l[n-1].Text + text, v})
	}
	return l.in(v, text)
}

// wrapLine breaks a sentence at its spaces, but not inside a name or command, which are to be copied.
func wrapLine(l line, width int) []line {
	if width <= 0 || l.width() <= width {
		return []line{l}
	}
	out := []line{nil}
	left := width
	for _, word := range wordsOf(l) {
		n := word.width()
		if bare := strings.TrimRight(word.text(), " "); n-len(word.text())+len(bare) > left && left < width {
			full := out[len(out)-1]
			full[len(full)-1].Text = strings.TrimRight(full[len(full)-1].Text, " ")
			out, left = append(out, nil), width
		}
		for _, s := range word {
			out[len(out)-1] = out[len(out)-1].extend(s.Voice, s.Text)
		}
		left -= n
	}
	return out
}

// wordsOf splits a line where it may be broken: not inside a word, beside an arrow, or between a number and what it counts.
func wordsOf(l line) []line {
	var words []line
	for _, s := range l {
		pieces := []string{s.shown()}
		if s.Voice != name {
			pieces = strings.SplitAfter(s.shown(), " ")
		}
		for _, piece := range pieces {
			last := len(words) - 1
			if last < 0 {
				words = append(words, in(s.Voice, piece))
				continue
			}
			before := words[last].text()
			word := strings.TrimRight(before, " ")
			arrow := strings.HasSuffix(word, "→") || strings.HasPrefix(piece, "→")
			if word == before || strings.Trim(piece, " ") == "" || arrow || word != "" && isDigit(word[len(word)-1]) {
				words[last] = words[last].extend(s.Voice, piece)
			} else {
				words = append(words, in(s.Voice, piece))
			}
		}
	}
	return words
}

func listingRows(lines []listed) [][]line {
	rows := make([][]line, len(lines))
	for i, l := range lines {
		for _, c := range l.Cells {
			rows[i] = append(rows[i], in(name, c))
		}
	}
	return rows
}

// listingLines writes the lines of a listing with their marks and aligned cells.
func listingLines(lines []listed) []string {
	rows := listingRows(lines)
	widths := columnWidths(rows)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(rune(l.Mark)) + " " + alignRow(rows[i], widths, nil).text()
	}
	return out
}

var markVoices = map[byte]voice{'-': bad, '+': good, '~': warn}

// colors are the attributes of the voices on a terminal.
var colors = map[voice][]color.Attribute{
	strong: {color.Bold},
	dim:    {color.Faint},
	bad:    {color.FgRed},
	warn:   {color.FgYellow},
	good:   {color.FgGreen},
}
