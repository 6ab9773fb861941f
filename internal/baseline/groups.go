package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Predicted is the part of a readable file that is not compared: the prices and source lines at the time of acceptance.
type Predicted struct {
	Device  string    // the device of the prices; "" without prices
	Steps   []int64   // the predicted time of a run of each variant, in nanoseconds
	Kernels []Dearest // the most expensive first
}

// Dearest identifies a group of kernels by its displayed fields.
type Dearest struct {
	Key groupKey
	NS  int64    // the predicted time per run, in nanoseconds
	At  []string // "train.py:98"
}

// groupKey holds the displayed properties that the kernels of a group share.
type groupKey struct{ Kind, Do, Target, Out string }

// group is a set of kernels with equal displayed properties.
type group struct {
	key      groupKey
	launches int64 // per run of each variant
	name     *name
	ns       float64
	bytes    int64
	at       []string
}

// maxGroups bounds the groups of kernels that are shown.
const maxGroups = 20

// groups groups the kernels of all variants.
func groups(p *Program) map[*facts.Form]*group {
	forms, all := map[*facts.Form]*group{}, map[groupKey]*group{}
	for _, v := range p.Variants {
		for i := range v.Kernels {
			k := &v.Kernels[i]
			g := forms[k.Form]
			if g == nil {
				key := groupKey{k.Kind, shortened(strings.Join(k.Do.Folded(), " "), maxDo), k.Target, shortened(k.Out, maxShape)}
				if g = all[key]; g == nil {
					g = &group{key: key, name: nameOf(k.OpName)}
					all[key] = g
				}
				forms[k.Form] = g
			}
			runs := max(1, k.Times) * max(1, k.Guess)
			g.launches += runs
			g.bytes += runs * k.Bytes
			g.name.add(k.OpName)
		}
	}
	return forms
}

// name is the common part of the op_names of several kernels.
type name struct {
	prefix, suffix string
	shortest       int
	several        bool
}

func nameOf(s string) *name { return &name{prefix: s, suffix: s, shortest: len(s)} }

func (n *name) add(s string) {
	if s == n.prefix && !n.several {
		return
	}
	n.several, n.shortest = true, min(n.shortest, len(s))
	head, tail := 0, 0
	for head < min(len(n.prefix), len(s)) && n.prefix[head] == s[head] {
		head++
	}
	for tail < min(len(n.suffix), len(s)) && n.suffix[len(n.suffix)-1-tail] == s[len(s)-1-tail] {
		tail++
	}
	n.prefix, n.suffix = n.prefix[:head], n.suffix[len(n.suffix)-tail:]
}

// String returns the name with a * for the part that differs.
func (n *name) String() string {
	if !n.several {
		return shortened(n.prefix, maxName)
	}
	suffix := n.suffix[max(0, len(n.prefix)+len(n.suffix)-n.shortest):]
	return shortened(strings.ToValidUTF8(n.prefix, "")+"*"+strings.ToValidUTF8(suffix, ""), maxName)
}

// The bounds of displayed texts, in characters.
const (
	maxShape     = 60
	maxDo        = 80
	maxName      = 100
	maxSignature = 160
)

// shortened removes the middle of a long text.
func shortened(s string, most int) string { return phrase.Cut(s, most, most*2/3) }

// predict returns the prices and the source lines of a program's kernels.
func predict(p *Program) *Predicted {
	all, out := groups(p), &Predicted{}
	for _, v := range p.Variants {
		for i := range v.Kernels {
			if at := v.Kernels[i].Source; at.File != "" {
				g := all[v.Kernels[i].Form]
				g.at = append(g.at, fmt.Sprintf("%s:%d", path.Base(at.File), at.Line))
			}
		}
		if v.Device == nil || v.WorkVersion == 0 {
			out.Steps = append(out.Steps, 0)
			continue
		}
		out.Device = v.Device.Name
		out.Steps = append(out.Steps, threeDigits(v.Facts[facts.PriceStep]))
		for _, priced := range v.Prices(v.Device) {
			all[priced.Form].ns += priced.NS()
		}
	}
	for _, g := range dearest(all) {
		out.Kernels = append(out.Kernels, Dearest{g.key, threeDigits(g.ns), places(g.at)})
	}
	return out
}

// dearest returns the groups with the longest predicted time; without prices, those that move the most bytes.
func dearest(all map[*facts.Form]*group) []*group {
	list := distinct(all)
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(threeDigits(b.ns), threeDigits(a.ns)), cmp.Compare(b.bytes, a.bytes), a.key.compare(b.key))
	})
	return list[:min(len(list), maxGroups)]
}

func distinct(all map[*facts.Form]*group) []*group {
	known := map[*group]bool{}
	for _, g := range all {
		known[g] = true
	}
	return slices.Collect(maps.Keys(known))
}

func (k groupKey) compare(other groupKey) int {
	return cmp.Or(strings.Compare(k.Do, other.Do), strings.Compare(k.Kind, other.Kind), strings.Compare(k.Out, other.Out), strings.Compare(k.Target, other.Target))
}

// maxPlaces bounds the displayed source lines of a group.
const maxPlaces = 3

func places(at []string) []string {
	slices.Sort(at)
	at = slices.Compact(at)
	return slices.Clone(at[:min(len(at), maxPlaces)])
}

// threeDigits rounds a predicted price to three significant digits.
func threeDigits(ns float64) int64 {
	if ns < 1 || !finite(ns) || ns > 1e18 {
		return 0
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(ns))-2))
	return int64(math.Round(ns/unit) * unit)
}
