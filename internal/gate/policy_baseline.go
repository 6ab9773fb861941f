package gate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// baselines lists the accepted facts that a pull request replaces.
func baselines(base, head Policy) ([]PolicyChange, error) {
	names, err := storedTargets(base.Store, head.Store)
	if err != nil {
		return nil, err
	}
	var out []PolicyChange
	for _, target := range names {
		old, err := loadAccepted(base.Store, target)
		if err != nil {
			return nil, fmt.Errorf("read the baseline of %s: %w", base.Name, err)
		}
		fresh, err := loadAccepted(head.Store, target)
		if err != nil {
			return nil, fmt.Errorf("read the pull request's baseline: %w", err)
		}
		out = append(out, setChanges(head.Config.Baseline, target, old, fresh)...)
	}
	return out, nil
}

func storedTargets(stores ...fs.FS) ([]string, error) {
	all := map[string]bool{}
	for _, store := range stores {
		if store == nil {
			continue
		}
		names, err := baseline.Targets(store)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			all[n] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// loadAccepted reads a target's baseline; none is an empty one.
func loadAccepted(store fs.FS, target string) (*baseline.Set, error) {
	if store == nil {
		return nil, nil
	}
	set, err := baseline.Load(store, target)
	if errors.Is(err, baseline.ErrNone) {
		return nil, nil
	}
	return set, err
}

func setChanges(dir, target string, old, fresh *baseline.Set) []PolicyChange {
	names := map[string]bool{}
	for _, set := range []*baseline.Set{old, fresh} {
		if set != nil {
			for _, p := range set.Programs {
				names[p.Name] = true
			}
		}
	}
	var out []PolicyChange
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c, changed := programChange(old.Find(name), fresh.Find(name))
		if !changed {
			continue
		}
		c.File, c.Subject = path.Join(dir, target, baseline.FileName(name)), name
		out = append(out, c)
	}
	return out
}

func programChange(old, fresh *baseline.Program) (PolicyChange, bool) {
	switch {
	case fresh == nil:
		return PolicyChange{Effect: Looser, Text: "the accepted facts are removed: nothing is compared with them any more"}, true
	case old == nil:
		return PolicyChange{Effect: Other, Text: "accepted for the first time" + reasonText(fresh.ReasonSince(nil))}, true
	case fresh.ReasonSince(old) == "" && baseline.Same(old, fresh):
		return PolicyChange{}, false
	}
	worse, better := moved(old, fresh)
	c := PolicyChange{Effect: Other, Text: "accepted anew"}
	switch {
	case len(worse) > 0 || len(fresh.Ceilings) > len(old.Ceilings):
		c.Effect = Looser
	case len(better) > 0:
		c.Effect = Stricter
	}
	if all := append(worse, better...); len(all) > 0 {
		c.Text += ": " + listMoved(all)
	}
	c.Text += reasonText(cmp.Or(fresh.ReasonSince(old), fresh.ReasonSince(nil)))
	return c, true
}

func reasonText(reason string) string {
	if reason == "" {
		return " (no reason given)"
	}
	return fmt.Sprintf(" (%s)", reason)
}

// maxMoved bounds the facts that are named of one program.
const maxMoved = 6

func listMoved(list []string) string {
	if left := len(list) - maxMoved; left > 0 {
		list = append(list[:maxMoved:maxMoved], fmt.Sprintf("and %d more", left))
	}
	return strings.Join(list, ", ")
}

// moved lists the facts that got worse and those that got better, by the direction that each fact has.
func moved(old, fresh *baseline.Program) (worse, improved []string) {
	add := func(better bool, text string) {
		if better {
			improved = append(improved, text)
		} else {
			worse = append(worse, text)
		}
	}
	if was, is := len(old.Variants), len(fresh.Variants); was != is {
		add(is < was, fmt.Sprintf("%s → %s", phrase.Counted(float64(was), "", "variants"), phrase.Number(float64(is))))
	}
	for _, v := range fresh.Variants {
		o := old.WithSignature(v.Signature)
		if o == nil {
			continue
		}
		for _, m := range metrics() {
			was, had := o.Facts[m.Fact]
			is, has := v.Facts[m.Fact]
			if had && has && was != is && m.Better != rule.Exact {
				before, now := phrase.Apart(was, is, m.Unit)
				add(better(m, was, v.Facts), fmt.Sprintf("%s %s → %s", m.Noun, before, now))
			}
		}
	}
	return worse, improved
}
