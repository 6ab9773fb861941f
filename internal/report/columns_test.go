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
	named := say("loop ").in(name, "jit(f)/mlp/tanh")
	for width, want := range map[int]string{0: "loop jit(f)/mlp/tanh", 20: "loop jit(f)/mlp/tanh", 19: "loop jit(…/mlp/tanh", 18: "loop jit(…mlp/tanh", 10: "loop jit(…lp/tanh", 3: "loop jit(…lp/tanh"} {
		if got := cutLine(named, width).text(); got != want {
			t.Errorf("%d: %q, wanted %q", width, got, want)
		}
	}
	if got := cutLine(in(name, "jit(f)").and(" 12,345 bytes"), 8).text(); got != "jit(f) 12,345 bytes" {
		t.Errorf("half a number: %q", got)
	}
}

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abcdef", 0, "abcdef"}, {"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"層層層", 5, "層層…"}, {"", 5, ""}} {
		if got := cutText(c.text, c.width); got != c.want {
			t.Errorf("%q to %d: %q, wanted %q", c.text, c.width, got, c.want)
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
