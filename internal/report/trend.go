package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// OnlyFacts leaves the series of facts that match a glob, and returns how many are left.
func OnlyFacts(t *result.Trend, glob string) int {
	t.Series = slices.DeleteFunc(t.Series, func(s result.TrendSeries) bool {
		return !phrase.Glob(glob, s.Fact) && factLabel(facts.ID(s.Fact)) != glob
	})
	return len(t.Series)
}

// trendPage is a table for each program: its facts commit by commit.
func trendPage(t *result.Trend) page {
	p := page{Title: say(phrase.Some(len(t.Commits), "commit") + " changed " + t.Baseline)}
	switch n := len(t.Commits); n {
	case 0:
	case 1:
		p.Title = p.Title.in(dim, ": "+commitName(t.Commits[0]))
	default:
		p.Title = p.Title.in(dim, ", from "+commitName(t.Commits[0])+" to "+commitName(t.Commits[n-1]))
	}
	for _, c := range t.Commits {
		if c.Unread != "" {
			p.add(para{in(warn, "not read: ").and(commitName(c) + ": " + c.Unread)})
		}
	}
	for _, series := range phrase.Group(t.Series, func(s result.TrendSeries) [2]string { return [2]string{s.Target, s.Program} }) {
		p.add(programTrend(t, series))
	}
	return p
}

func commitName(c result.TrendCommit) string {
	if c.Commit == "" {
		return c.Subject
	}
	return c.Date + " " + c.Commit[:min(8, len(c.Commit))]
}

// programTrend is a table of the facts that changed, the key facts first: a row for each commit that changed one, with the values that it changed, and the limits of
// the rule file below.
func programTrend(t *result.Trend, series []result.TrendSeries) section {
	const maxSeries = 4 // columns, so that a terminal shows a commit on a line; -f json and csv have all
	rank := func(s result.TrendSeries) int { return rankIn(slices.Concat(keyFacts, moreFacts), facts.ID(s.Fact)) }
	shown := phrase.Filter(series, func(s result.TrendSeries) bool {
		return len(s.Points) > 1 || len(series) == 1 || rank(s) < len(keyFacts)
	})
	slices.SortStableFunc(shown, func(a, b result.TrendSeries) int { return cmp.Compare(rank(a), rank(b)) })
	still, more := len(series)-len(shown), max(0, len(shown)-maxSeries)
	shown, hidden := shown[:len(shown)-more], shown[len(shown)-more:]

	values := table{Head: []string{"commit"}, Right: []bool{false}}
	limits := []line{in(dim, "limit now")}
	for _, s := range shown {
		values.Head, values.Right = append(values.Head, factLabel(facts.ID(s.Fact))), append(values.Right, true)
		limit := line(nil)
		if s.Limit > 0 {
			limit = in(dim, phrase.Show(s.Limit, s.Unit))
		}
		limits = append(limits, limit)
	}
	values.Head = append(values.Head, "reason")
	for at, c := range t.Commits {
		row, reason, moved := []line{in(dim, commitName(c))}, c.Subject, false
		for n, s := range slices.Concat(shown, hidden) {
			value := line(nil)
			if i, ok := slices.BinarySearchFunc(s.Points, at, func(p result.TrendPoint, at int) int { return p.At - at }); ok {
				p := s.Points[i]
				reason, moved = cmp.Or(p.Reason, reason), true
				if value = say(phrase.Show(p.Value, s.Unit)); p.Gone {
					value = in(dim, "gone")
				}
			}
			if n < len(shown) {
				row = append(row, value)
			}
		}
		if moved {
			values.Rows = append(values.Rows, append(row, say(reason)))
		}
	}
	if slices.ContainsFunc(shown, func(s result.TrendSeries) bool { return s.Limit > 0 }) {
		values.Rows = append(values.Rows, append(limits, nil))
	}
	s := section{Title: in(name, series[0].Program).in(dim, "  "+series[0].Target)}
	s.add(values)
	if more > 0 {
		s.add(para{in(dim, fmt.Sprintf("… %s; --fact selects one, -f csv lists all", phrase.Some(more, "more fact")))})
	}
	if still > 0 {
		s.add(para{in(dim, phrase.Some(still, "fact")+" never changed")})
	}
	return s
}

// cell is a text that a spreadsheet does not take for a formula: a commit message may begin with one.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// trendCSV writes a row for each value that was accepted.
func trendCSV(w io.Writer, t *result.Trend, _ Options) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"target", "program", "fact", "unit", "limit", "commit", "date", "subject", "value", "reason"}}
	for _, s := range t.Series {
		limit := ""
		if s.Limit > 0 {
			limit = strconv.FormatFloat(s.Limit, 'f', -1, 64)
		}
		for _, p := range s.Points {
			value := ""
			if !p.Gone {
				value = strconv.FormatFloat(p.Value, 'f', -1, 64)
			}
			c := t.Commits[p.At]
			rows = append(rows, []string{cell(s.Target), cell(s.Program), s.Fact, s.Unit, limit, c.Commit, c.Date, cell(c.Subject), value, cell(p.Reason)})
		}
	}
	return out.WriteAll(rows)
}
