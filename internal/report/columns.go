package report

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells measures text as a terminal shows it, whatever the locale of the machine.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

const (
	columnGap = "   "
	maxColumn = 64 // one long name must not push every row apart
)

func (l line) width() int { return cells.StringWidth(l.text()) }

// columnWidths measures the columns of a table.
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

// alignRow joins the cells of a row. What stands behind the last filled cell is left out.
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

// cutLine shortens a line that ends in a name to a width; 0 or less means that it is not cut. Half a number would be a wrong one,
// so a line that ends in anything else stays.
func cutLine(l line, width int) line {
	if width <= 0 || l.width() <= width || l[len(l)-1].Voice != name {
		return l
	}
	var out line
	left := width - 1
	for _, s := range l {
		text := s.shown()
		if w := cells.StringWidth(text); w <= left {
			out, left = append(out, span{text, s.Voice}), left-w
			continue
		}
		return append(out, span{cells.Truncate(text, left, "") + "…", s.Voice})
	}
	return out
}

func cutText(text string, width int) string {
	if width <= 0 {
		return text
	}
	return cells.Truncate(text, width, "…")
}

// wrapLine breaks a sentence at its spaces. Lines that hold names or commands stay whole, to be copied.
func wrapLine(l line, width int) []line {
	if width <= 0 || l.width() <= width {
		return []line{l}
	}
	out := []line{nil}
	room := width
	for _, s := range l {
		if s.Voice == name {
			return []line{l}
		}
		for word := range strings.SplitAfterSeq(s.shown(), " ") {
			if w := cells.StringWidth(strings.TrimRight(word, " ")); w > room && room < width {
				out, room = append(out, nil), width
			}
			out[len(out)-1] = out[len(out)-1].extend(s.Voice, word)
			room -= cells.StringWidth(word)
		}
	}
	return out
}

// listingLines writes the lines of a listing with their marks and aligned cells.
func listingLines(lines []listed) []string {
	var rows [][]line
	for _, l := range lines {
		var row []line
		for _, c := range l.Cells {
			row = append(row, in(name, c))
		}
		rows = append(rows, row)
	}
	widths := columnWidths(rows)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(rune(l.Mark)) + " " + alignRow(rows[i], widths, nil).text()
	}
	return out
}

func markVoice(text string) voice {
	switch text[0] {
	case '-':
		return bad
	case '+':
		return good
	case '~':
		return warn
	}
	return plain
}
