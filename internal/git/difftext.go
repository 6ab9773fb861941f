package git

import (
	"fmt"
	"strconv"
	"strings"
)

// diffText parses the output of git diff with no context lines.
type diffText struct {
	rest  string
	files []fileEdits
}

// parseDiff is what was edited in each file.
func parseDiff(text string) ([]fileEdits, error) {
	d := &diffText{rest: text}
	for d.rest != "" {
		if err := d.line(d.next()); err != nil {
			return nil, err
		}
	}
	return d.files, nil
}

func (d *diffText) next() string {
	line, rest, _ := strings.Cut(d.rest, "\n")
	d.rest = rest
	return line
}

// line reads one line outside of hunks.
func (d *diffText) line(line string) (err error) {
	if strings.HasPrefix(line, "diff --git ") {
		d.files = append(d.files, fileEdits{})
		return nil
	}
	if len(d.files) == 0 {
		return nil
	}
	f := &d.files[len(d.files)-1]
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "---":
		f.old, err = pathOf(rest, "a/")
	case word == "+++":
		f.now, err = pathOf(rest, "b/")
	case strings.HasPrefix(line, "rename from "):
		f.old, err = pathOf(line[len("rename from "):], "")
	case strings.HasPrefix(line, "rename to "):
		f.now, err = pathOf(line[len("rename to "):], "")
	case word == "@@":
		err = d.hunk(f, rest)
	}
	return err
}

// pathOf returns a path as git prints it: with a tab behind one that has blanks, quoted if it has control characters or quotes.
func pathOf(text, prefix string) (string, error) {
	text = strings.TrimSuffix(text, "\t")
	if text == "/dev/null" && prefix != "" {
		return "", nil
	}
	if strings.HasPrefix(text, `"`) {
		plain, err := strconv.Unquote(text)
		if err != nil {
			return "", fmt.Errorf("git prints the path %s: %w", shown(text), err)
		}
		text = plain
	}
	return strings.TrimPrefix(text, prefix), nil
}

// hunk reads the ranges "-3,2 +3 @@ …" and the lines that follow.
func (d *diffText) hunk(f *fileEdits, text string) error {
	var h Hunk
	ranges := strings.Fields(text)
	if len(ranges) < 2 || !readRange(ranges[0], "-", &h.OldFirst, &h.OldLines) || !readRange(ranges[1], "+", &h.First, &h.Lines) {
		return fmt.Errorf("git prints a hunk without its lines: @@ %s", shown(text))
	}
	python := isPython(f.now) || f.now == "" && isPython(f.old)
	defines := python && (h.OldLines == 0 || h.Lines == 0)
	for n := 0; n < h.OldLines+h.Lines; {
		if d.rest == "" {
			return fmt.Errorf("git prints less than the hunk @@ %s holds", shown(text))
		}
		line := d.next()
		if strings.HasPrefix(line, `\`) {
			continue // no newline at the end of the file
		}
		n++
		if line == "" || !hasCode(line[1:], python) {
			continue
		}
		h.Code = true
		defines = defines && definesName(line[1:])
		if line[0] == '-' && (h.removed == "" || decorates(h.removed)) {
			h.removed = line[1:]
		}
	}
	h.Code = h.Code && !defines
	f.hunks = append(f.hunks, h)
	return nil
}

// readRange reads "-3,2", or "-3" for one line.
func readRange(text, sign string, first, lines *int) bool {
	text, ok := strings.CutPrefix(text, sign)
	start, count, some := strings.Cut(text, ",")
	if !some {
		count = "1"
	}
	a, err := strconv.ParseUint(start, 10, 31)
	n, err2 := strconv.ParseUint(count, 10, 31)
	*first, *lines = int(a), int(n)
	return ok && err == nil && err2 == nil
}
