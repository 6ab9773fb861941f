package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
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

// maxSeries bounds the charts of one program; -f json and csv have all.
const maxSeries = 8

// trendPage is a chart for each fact that changed, the key facts first: a bar for each commit that changed it.
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

func programTrend(t *result.Trend, series []result.TrendSeries) section {
	s := section{Title: in(name, series[0].Program).in(dim, "  "+series[0].Target)}
	shown, still := toChart(series)
	for i := range shown {
		if i == maxSeries {
			s.add(para{in(dim, fmt.Sprintf("… %s; --fact '*' shows all", phrase.Some(len(shown)-i, "more fact")))})
			break
		}
		s.add(chart(t, &shown[i])...)
	}
	if still > 0 {
		s.add(para{in(dim, phrase.Some(still, "fact")+" never changed")})
	}
	return s
}

// toChart are the series to show, the most telling first, and how many never changed. Where one is all there is, it is shown in any case.
func toChart(series []result.TrendSeries) (shown []result.TrendSeries, still int) {
	rank := func(s result.TrendSeries) int { return rankIn(slices.Concat(keyFacts, moreFacts), facts.ID(s.Fact)) }
	shown = phrase.Filter(series, func(s result.TrendSeries) bool {
		return len(s.Points) > 1 || len(series) == 1 || rank(s) < len(keyFacts)
	})
	slices.SortStableFunc(shown, func(a, b result.TrendSeries) int { return cmp.Compare(rank(a), rank(b)) })
	return shown, len(series) - len(shown)
}

// chart is a fact with a bar for each value that it had.
func chart(t *result.Trend, s *result.TrendSeries) []block {
	last := s.Points[len(s.Points)-1]
	head := in(strong, factLabel(facts.ID(s.Fact)))
	if !last.Gone {
		text := phrase.Show(last.Value, s.Unit)
		if s.Limit > 0 {
			text = fmt.Sprintf("%s: %.0f %% used", of(last.Value, s.Limit, s.Unit), 100*last.Value/s.Limit)
		}
		head = head.and("  " + text)
	}
	most := s.Limit
	for _, p := range s.Points {
		most = max(most, p.Value)
	}
	var rows [][]line
	for i, p := range s.Points {
		c := t.Commits[p.At]
		row := []line{in(dim, commitName(c))}
		if p.Gone {
			rows = append(rows, append(row, in(dim, "gone"), nil, nil, say(c.Subject)))
			continue
		}
		delta := line(nil)
		if i > 0 && !s.Points[i-1].Gone {
			delta = changed(p.Value-s.Points[i-1].Value, s)
		}
		bar := "" // the share of the most, and a little of what is next to nothing
		if p.Value > 0 {
			bar = strings.Repeat("█", max(1, int(math.Round(p.Value/most*16))))
		}
		rows = append(rows, append(row, say(phrase.Show(p.Value, s.Unit)), say(bar), delta, say(cmp.Or(p.Reason, c.Subject))))
	}
	return []block{section{Title: head, Blocks: []block{table{Bare: true, Right: []bool{false, true, false, true}, Rows: rows}}}}
}

// changed is how much a value moved, in the voice of what that is.
func changed(by float64, s *result.TrendSeries) line {
	voice := plain
	switch better := facts.About(facts.ID(s.Fact)).Better; {
	case better == facts.Lower && by > 0, better == facts.Higher && by < 0:
		voice = warn
	case better != facts.Exact:
		voice = good
	}
	return in(voice, signed(by, s.Unit))
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
