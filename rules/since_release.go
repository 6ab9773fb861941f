package rules

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

const maxGrowth = "max_growth"

var sinceRelease = rule.Rule{
	ID:    "since-release",
	Title: "the predicted step time and the peak memory stay near those of a release",
	Why:   "Ten accepted changes of one percent are ten percent: the accepted baseline moves with each, that of a release does not.",
	Options: []rule.Option{
		{Key: "release", Type: rule.Text, Require: true, Doc: "its baseline: git:REF:PATH or a directory"},
		{Key: maxGrowth, Type: rule.Share, Default: 0.1, Doc: "how much more time or memory there may be: 10%"},
	},
	Bounds: []string{maxGrowth},
	Fails: rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: since-release, release: \"git:v1.2:.xlagate\", max_growth: 10% }",
		Says: "144 % slower (21.2 µs → 51.8 µs) and 49.6 % more memory (129.0 KiB → 193.0 KiB) than release v1.2; at most 10 % allowed"},
	Passes:  rule.Example{On: "cpu-unfused/after", Config: "- { rule: since-release, release: \"git:v1.2:.xlagate\", max_growth: 100% }"},
	Fix:     "`xlagate trend --since RELEASE` shows what each accepted change added. Raise max_growth, or name a newer release, if that is wanted.",
	Threads: []string{"iree-org/iree#24258", "iree-org/iree#24259"},
	Check: func(s *rule.Settings) []rule.Refusal {
		if err := baseline.CheckPlace(s.Text("release")); err != nil {
			return []rule.Refusal{{Path: []string{"release"}, Err: err}}
		}
		return nil
	},
	Program: func(c *rule.Context, p *changes.Program) {
		if p.New == nil || c.Target.Release == nil {
			return
		}
		where := c.Text("release")
		release, err := c.Target.Release(where)
		if err != nil {
			fix := "name a release that has one: git log --oneline -- .xlagate"
			if said := (*baseline.Error)(nil); errors.As(err, &said) {
				err, fix = errors.New(said.Message), said.Fix
			}
			c.Problems = append(c.Problems, result.Problem{Rule: c.Rule.ID, File: where, Message: err.Error(), Fix: fix})
			return
		}
		at := slices.IndexFunc(release.Programs, func(since *changes.Program) bool { return since.Name == p.Name && since.Old != nil })
		if at < 0 {
			c.NotCovered = append(c.NotCovered, fmt.Sprintf("%s (%s does not hold %s)", c.Rule.ID, where, p.Name))
			return
		}
		for _, v := range release.Programs[at].Variants {
			if v.Old != nil && v.New != nil {
				judgeSince(c, v, releaseName(where), release.Accepted(p.Name))
			}
		}
	},
}

// releaseName is the revision of git:REF:PATH; of a directory it is the path.
func releaseName(where string) string {
	if ref, _, err := baseline.CutGit(where); err == nil && baseline.Remote(where) {
		return ref
	}
	return where
}

// judgeSince judges what one variant needs more than in the release. Time that may be within the error of the price is a warning.
func judgeSince(c *rule.Context, v *changes.Variant, release, accepted string) {
	if !v.Knows(facts.PriceStep) && !v.Knows(facts.MemoryPeak) {
		c.Gap("neither its step time nor its peak memory is known on both sides", "name the device below the target, such as device: h100-sxm; dump the buffer assignment")
		return
	}
	c.Checked()
	allowed, _ := c.Number(maxGrowth)
	var said []string
	largest, sure := 0.0, false
	for _, of := range []struct {
		fact       facts.ID
		unit, more string
		surely     float64 // by how much it grew at least
	}{
		{facts.PriceStep, "nanoseconds", "slower", v.StepInterval().Low},
		{facts.MemoryPeak, "bytes", "more memory", math.Inf(1)},
	} {
		was, is := v.Old.Facts[of.fact], v.New.Facts[of.fact]
		if !v.Knows(of.fact) || is <= was*(1+allowed) {
			continue
		}
		before, now := phrase.Apart(was, is, of.unit)
		text := fmt.Sprintf("%s %s (%s → %s)", phrase.Show(is/was-1, "share"), of.more, before, now)
		if largest = max(largest, is/was-1); of.surely > was*allowed {
			sure = true
		} else {
			text = "probably " + text
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return
	}
	message := fmt.Sprintf("%s than release %s; at most %s allowed", strings.Join(said, " and "), release, phrase.Show(allowed, "share"))
	if accepted != "" {
		message += "; accepted since: " + accepted
	}
	f := c.Find(result.Finding{
		Subject: "release", Variant: v.New.Signature, Message: message,
		Actual: largest, Limit: allowed, Unit: "share", Bound: &result.Bound{Key: maxGrowth, Needs: largest},
	})
	if !sure && c.Severity() == "error" {
		f.Level = "warning"
	}
}
