package report

import (
	"strings"
	"testing"
)

// aligned writes rows of cells as a table, the second column to the right.
func aligned(rows ...[]string) string {
	var table [][]line
	for _, row := range rows {
		var cells []line
		for _, c := range row {
			cells = append(cells, say(c))
		}
		table = append(table, cells)
	}
	widths := columnWidths(table)
	var out []string
	for _, row := range table {
		out = append(out, alignRow(row, widths, []bool{false, true}).text())
	}
	return strings.Join(out, "\n")
}

func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		rows [][]string
		want string
	}{
		"two rows":            {[][]string{{"a", "1", "x"}, {"bbb", "200", "y"}}, "a       1   x\nbbb   200   y"},
		"an empty column":     {[][]string{{"a", "", "x"}, {"b", "", "y"}}, "a   x\nb   y"},
		"an empty end":        {[][]string{{"a", "1", ""}, {"b", "2", "y"}}, "a   1\nb   2   y"},
		"a short row":         {[][]string{{"a"}, {"b", "2"}}, "a\nb   2"},
		"wide characters":     {[][]string{{"層", "1"}, {"ab", "2"}}, "層   1\nab   2"},
		"an empty cell first": {[][]string{{"", "1"}, {"b", "2"}}, "    1\nb   2"},
		"nothing":             {[][]string{{}, {""}}, "\n"},
	} {
		if got := aligned(c.rows...); got != c.want {
			t.Errorf("%s:\n%s\nwanted\n%s", name, got, c.want)
		}
	}
}

// One long name does not push all other rows apart.
func TestLongCell(t *testing.T) {
	long := strings.Repeat("n", 200)
	rows := strings.Split(aligned([]string{long, "1"}, []string{"a", "2"}), "\n")
	if len(rows[1]) != maxColumn+len(columnGap)+1 || !strings.HasPrefix(rows[0], long+columnGap) {
		t.Errorf("%q", rows)
	}
}

func TestCutLine(t *testing.T) {
	const whole = "loop jit(train_step)/attention/tanh"
	named := say("loop ").in(name, "jit(train_step)/attention/tanh")
	for width, want := range map[int]string{0: whole, 35: whole, 34: "loop jit(train…tep)/attention/tanh", 29: "loop jit(trai…/attention/tanh", 28: whole, 3: whole} {
		if got := cutLine(named, width).text(); got != want {
			t.Errorf("%d: %q, wanted %q", width, got, want)
		}
	}
	if got := cutLine(in(name, "jit(f)").and(" 12,345 bytes"), 8).text(); got != "jit(f) 12,345 bytes" {
		t.Errorf("half a number: %q", got)
	}
}

// Where a row is too wide, its cells flow. A terminal first cuts the name at the end of a row, in the middle and not to less than minCut.
func TestRow(t *testing.T) {
	op := in(name, "jit(train_step)/jvp(attention)/subtract")
	for label, c := range map[string]struct {
		width    int
		terminal bool
		row      []line
		want     string
	}{
		"no width":          {0, true, []line{say("loop subtract"), op}, "loop subtract   jit(train_step)/jvp(attention)/subtract"},
		"it fits":           {55, true, []line{say("loop subtract"), op}, "loop subtract   jit(train_step)/jvp(attention)/subtract"},
		"a terminal":        {44, true, []line{say("loop subtract"), op}, "loop subtract   jit(train…ttention)/subtract"},
		"a narrow terminal": {36, true, []line{say("loop subtract"), op}, "loop subtract|jit(train_step)/jvp(attention)/subtract"},
		"a log":             {54, false, []line{say("loop subtract"), op}, "loop subtract|jit(train_step)/jvp(attention)/subtract"},
		"empty cells":       {20, false, []line{say("softmax"), nil, say("kernels 4"), nil, say("peak 1 MiB"), nil}, "softmax   kernels 4|peak 1 MiB"},
		"a wide first cell": {40, false, []line{say("softmax(x: f32[64])"), say("kernels 4"), say("peak 1 MiB")}, "softmax(x: f32[64])|kernels 4   peak 1 MiB"},
		"a sentence":        {20, false, []line{say("warning"), say("the limit is used up")}, "warning|the limit is|used up"},
	} {
		page := textPage{Screen: Screen{Terminal: c.terminal}}
		var got []string
		for _, l := range page.row(c.row, columnWidths([][]line{c.row}), nil, c.width) {
			got = append(got, l.text())
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, wanted %q", label, strings.Join(got, "|"), c.want)
		}
	}
}

// A text is cut by its runes: never in the middle of one, and never to more than was allowed.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"éé", 2, "éé"}, {"ééé", 2, "é…"}, {"", 1, ""}, {"ab", 1, "…"}} {
		if got := cut(c.text, c.n); got != c.want {
			t.Errorf("%q to %d: %q, wanted %q", c.text, c.n, got, c.want)
		}
	}
}
