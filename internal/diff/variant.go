package diff

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

func compareVariant(old, fresh *facts.Variant, compiler []FlagChange) *Variant {
	v := &Variant{Old: old, New: fresh}
	switch {
	case old == nil:
		v.Change = Added
		return v
	case fresh == nil:
		v.Change = Removed
		return v
	}
	v.Params = compareParams(old.Params, fresh.Params)
	v.Rescaled = rescaled(old.Params, fresh.Params)
	v.Facts = compareFacts(old.Facts, fresh.Facts)
	if old.Fingerprint == fresh.Fingerprint && len(v.Params) == 0 {
		v.Change, v.Kernels.Kept = Same, len(fresh.Kernels)
		return v
	}
	v.Change = Changed
	v.Kernels = compareKernels(old, fresh, v.Rescaled)
	v.Dtypes = compareDtypes(old, fresh)
	v.Buffers = compareBuffers(old.Buffers, fresh.Buffers)
	v.Model = compareModels(old, fresh)
	v.Causes = findCauses(v, compiler)
	return v
}

// rescaled reports whether the arguments are the same but for their sizes: another batch, not another program.
func rescaled(old, fresh []facts.Parameter) bool {
	if len(old) != len(fresh) {
		return false
	}
	differ := false
	for i := range old {
		a, b := old[i].Shape, fresh[i].Shape
		if a == b {
			continue
		}
		typeA, _, _ := strings.Cut(a, "[")
		typeB, _, _ := strings.Cut(b, "[")
		if typeA != typeB || len(dimensions(a)) != len(dimensions(b)) {
			return false
		}
		differ = true
	}
	return differ
}

func compareFacts(old, fresh facts.Numbers) []FactChange {
	var out []FactChange
	for name, is := range fresh {
		if was, ok := old[name]; !ok {
			out = append(out, FactChange{name, math.NaN(), is})
		} else if was != is {
			out = append(out, FactChange{name, was, is})
		}
	}
	for name, was := range old {
		if _, ok := fresh[name]; !ok {
			out = append(out, FactChange{name, was, math.NaN()})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func appendParam(out []ParamChange, old, fresh *facts.Parameter) []ParamChange {
	if what := paramSentence(old, fresh); what != "" {
		return append(out, ParamChange{Name: fresh.Name, Old: old, New: fresh, What: what})
	}
	return out
}

func paramSentence(old, fresh *facts.Parameter) string {
	var parts []string
	say := func(format string, a, b string) {
		if a != b {
			parts = append(parts, fmt.Sprintf(format, a, b))
		}
	}
	say("%s → %s", old.Shape, fresh.Shape)
	say("layout {%s} → {%s}", old.Layout, fresh.Layout)
	say("sharding %s → %s", cmp.Or(old.Sharding, "none"), cmp.Or(fresh.Sharding, "none"))
	say("constant %s → %s", cmp.Or(old.Constant, "none"), cmp.Or(fresh.Constant, "none"))
	switch {
	case old.Aliased && !fresh.Aliased && fresh.Donated:
		parts = append(parts, "donated still, but no output has its shape "+fresh.Shape)
	case old.Aliased && !fresh.Aliased:
		parts = append(parts, "no longer donated")
	case !old.Aliased && fresh.Aliased:
		parts = append(parts, "donated now")
	}
	if !old.Unused && fresh.Unused {
		parts = append(parts, "nothing reads it any more")
	}
	return strings.Join(parts, ", ")
}

// compareDtypes lists the types that more instructions have than before, each with the first kernel operation that is new with it.
func compareDtypes(old, fresh *facts.Variant) []DtypeChange {
	var out []DtypeChange
	for name, is := range fresh.Facts {
		dtype, ok := strings.CutPrefix(name, "dtypes.")
		if !ok || is <= old.Facts[name] {
			continue
		}
		out = append(out, DtypeChange{Type: dtype, Old: int(old.Facts[name]), New: int(is), First: firstNew(old, fresh, dtype)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Type < out[j].Type })
	return out
}
