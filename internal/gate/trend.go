package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/result"
)

// Trend follows the accepted facts over the commits that changed the baseline, or over those after a revision.
func Trend(ctx context.Context, o Options, since string) (*result.Trend, error) {
	where := BaselineOf(o)
	if baseline.Remote(where) {
		return nil, UsageError{fmt.Sprintf("the baseline is %s; a trend is made of commits, and needs it as a directory of a git repository", where)}
	}
	h := &history{ctx: ctx, o: o, dir: absolute(o.Config.Dir, where),
		trend: &result.Trend{Schema: result.TrendSchema, Baseline: where, Since: since}, at: map[seriesKey]int{}, last: map[string]*baseline.Program{}}
	if o.Baseline != "" {
		h.dir = absolute(o.Dir, where)
	}
	if err := h.commits(since); err != nil {
		return nil, err
	}
	store, err := OpenBaseline(ctx, o)
	if err == nil {
		known, at := h.points, len(h.trend.Commits)
		if err = h.read(store, at); h.points > known { // the baseline of the work tree differs
			h.trend.Commits = append(h.trend.Commits, result.TrendCommit{Subject: "not committed"})
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && len(h.trend.Commits) == 0 {
		err = &Unreadable{Where: h.trend.Baseline, Message: "no commit holds a baseline there", Fix: howToAccept(h.trend.Baseline)}
	}
	for i := range h.trend.Series {
		s := &h.trend.Series[i]
		s.Limit = limitOf(h.o.Config, s)
	}
	slices.SortFunc(h.trend.Series, func(a, b result.TrendSeries) int {
		return cmp.Or(strings.Compare(a.Target, b.Target), strings.Compare(a.Program, b.Program), strings.Compare(a.Fact, b.Fact))
	})
	return h.trend, err
}

type seriesKey struct{ target, program, fact string }

// history reads one baseline after the other.
type history struct {
	ctx   context.Context
	o     Options
	dir   string // of the baseline
	trend *result.Trend
	at    map[seriesKey]int            // into the series
	last  map[string]*baseline.Program // of each program, what was read last

	points int // of all series
}

// commits reads the baseline at every commit on the first-parent path to HEAD.
func (h *history) commits(since string) error {
	const separator = "\x1f"
	folder, name := filepath.Dir(h.dir), filepath.Base(h.dir)
	list := func(args ...string) (lines []string, err error) {
		out, err := git.Run(h.ctx, folder, append([]string{"log", "--format=%H" + separator + "%cs" + separator + "%s"}, append(args, "--", name)...)...)
		if err != nil {
			return nil, notInGit(err, since)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
	}
	var all []string
	span := "HEAD"
	if since != "" {
		if strings.HasPrefix(since, "-") {
			return UsageError{fmt.Sprintf("--since is %q; expected a commit, a branch or a tag", since)}
		}
		first, err := list("-1", since)
		if err != nil {
			return err
		}
		all, span = first, since+"..HEAD"
	}
	later, err := list("--first-parent", "--reverse", span)
	if err != nil {
		return err
	}
	for _, line := range append(all, later...) {
		if parts := strings.SplitN(line, separator, 3); len(parts) == 3 {
			h.commit(name, result.TrendCommit{Commit: parts[0], Date: parts[1], Subject: parts[2]})
		}
	}
	return h.ctx.Err()
}

func notInGit(err error, since string) error {
	said := err.Error()
	var failed *git.Failure
	if errors.As(err, &failed) {
		said = failed.Sentence()
	}
	if since != "" {
		return &Unreadable{Where: since, Message: said, Fix: "name a commit, a branch or a tag that this clone holds; with actions/checkout: fetch-depth: 0"}
	}
	return &Unreadable{Where: ".", Message: said, Fix: "run it inside the repository, after the first commit"}
}

// commit reads the baseline of one commit. An unreadable one is noted and skipped.
func (h *history) commit(name string, c result.TrendCommit) {
	at := len(h.trend.Commits)
	store, err := baseline.Place{Where: "git:" + c.Commit + ":" + name, Dir: filepath.Dir(h.dir)}.Open(h.ctx)
	if err == nil {
		err = h.read(store, at)
	} else if errors.Is(err, fs.ErrNotExist) {
		h.gone(at, map[seriesKey]bool{})
		err = nil
	}
	if err != nil {
		c.Unread = err.Error()
	}
	h.trend.Commits = append(h.trend.Commits, c)
}

func (h *history) read(store fs.FS, at int) error {
	targets, err := baseline.Targets(store)
	if err != nil {
		return err
	}
	seen := map[seriesKey]bool{}
	for _, target := range targets {
		set, err := accepted(store, target, false)
		if err != nil {
			return err
		}
		if set != nil {
			h.set(set, at, seen)
		}
	}
	h.gone(at, seen)
	return nil
}

func (h *history) set(set *baseline.Set, at int, seen map[seriesKey]bool) {
	priced := set.Report()
	for _, t := range declared(h.o.Config) {
		if t.Name == set.Target && price.Named(t.Device) != nil {
			priced.Device = t.Device
		}
	}
	priced.PriceAll()
	for _, p := range set.Programs {
		name := set.Target + "/" + p.Name
		reason := p.ReasonSince(h.last[name])
		h.last[name] = p
		values := facts.Values{}
		for _, v := range p.Variants {
			for fact, n := range v.Facts {
				if known, ok := values[fact]; !ok || n > known {
					values[fact] = n
				}
			}
		}
		for fact, n := range values {
			key := seriesKey{set.Target, p.Name, string(fact)}
			seen[key] = true
			h.add(key, result.TrendPoint{At: at, Value: n, Reason: reason})
		}
	}
}

// add adds a value that differs from the one before.
func (h *history) add(key seriesKey, p result.TrendPoint) {
	i, known := h.at[key]
	if !known {
		i = len(h.trend.Series)
		h.at[key] = i
		h.trend.Series = append(h.trend.Series, result.TrendSeries{Target: key.target, Program: key.program, Fact: key.fact, Unit: facts.About(facts.ID(key.fact)).Unit})
	}
	s := &h.trend.Series[i]
	if n := len(s.Points); n == 0 || s.Points[n-1].Value != p.Value || s.Points[n-1].Gone != p.Gone {
		s.Points = append(s.Points, p)
		h.points++
	}
}

// gone ends the series that a baseline lacks.
func (h *history) gone(at int, seen map[seriesKey]bool) {
	for key := range h.at {
		if !seen[key] {
			h.add(key, result.TrendPoint{At: at, Gone: true})
		}
	}
}

// limitOf is the lowest maximum that rules set on a fact of a program, 0 where none does.
func limitOf(cfg *config.Config, s *result.TrendSeries) (limit float64) {
	known := false
	for _, r := range cfg.Rules {
		b := r.Rule.Budget
		if r.Max == nil || b == nil || string(b.Fact) != s.Fact && string(b.Weighted) != s.Fact || !r.Covers(s.Target, s.Program) {
			continue
		}
		if !known || *r.Max < limit {
			limit, known = *r.Max, true
		}
	}
	return limit
}
