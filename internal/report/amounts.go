package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// label is how reports call a fact.
type label struct {
	fact facts.ID
	text string
}

// keyFacts are shown of every program: the two budgets, and how many kernels there are. The others are shown only where they changed.
var keyFacts = []label{
	{facts.PriceStep, "predicted step"},
	{facts.MemoryPeak, "peak"},
	{facts.KernelsTotal, "kernels"},
}

// moreFacts follow them, most telling first. A cost with each loop counted once is shown only where that of a run is not known; see [facts.Values.OfRun].
var moreFacts = []label{
	{facts.MemoryHeld, "peak with vmem"},
	{facts.KernelsWeighted, "launches"},
	{facts.FusionsTotal, "fusions"},
	{facts.MemoryTemp, "temp"},
	{facts.CostWeightedBytes, "moved"},
	{facts.DonationAliased, "aliased"},
	{facts.MemoryConstant, "constant buffers"},
	{facts.CopiesCount, "copies"},
	{facts.TransposesCount, "transposes"},
	{facts.LoopsWhile, "loops"},
	{facts.CostWeightedFlops, "flops"},
	{facts.CostBytes, "moved (static)"},
	{facts.CostFlops, "flops (static)"},
	{facts.MemoryArgument, "arguments"},
	{facts.MemoryOutput, "output"},
	{facts.MemoryAlias, "aliased bytes"},
	{facts.InstructionsAfter, "instructions"},
	{facts.CostTranscendentals, "transcendentals (static)"},
	{facts.CostCycles, "cycles"},
	{facts.ClustersCount, "clusters"},
	{facts.ClustersClustered, "clustered ops"},
	{facts.ClustersUnclustered, "unclustered ops"},
}

// hasLaunches reports whether launches are shown beside kernels: a program has loops, and each runs a known number of times.
func hasLaunches(programs ...facts.Values) bool {
	loops := false
	for _, f := range programs {
		launches, known := f.Launches()
		if !known {
			return false
		}
		loops = loops || launches != f[facts.KernelsTotal]
	}
	return loops
}

// labelOf is what the tables call a fact, "" where they do not name it.
func labelOf(fact facts.ID) string {
	all := slices.Concat(keyFacts, moreFacts)
	if at := rankIn(all, fact); at < len(all) {
		return all[at].text
	}
	return ""
}

// rankIn is the place of a fact in a list, its length for one that is not there.
func rankIn(list []label, fact facts.ID) int {
	if at := slices.IndexFunc(list, func(l label) bool { return l.fact == fact }); at >= 0 {
		return at
	}
	return len(list)
}

// factLabel is the short name of a fact: "temp" for memory.temp_bytes, "all-gather" for collectives.all-gather.count.
func factLabel(fact facts.ID) string {
	if text := labelOf(fact); text != "" {
		return text
	}
	if opcode, ok := facts.CollectiveCount.Member(fact); ok {
		return opcode
	}
	if opcode, ok := facts.CollectiveBytes.Member(fact); ok {
		return opcode + " bytes"
	}
	family, rest, ok := strings.Cut(string(fact), ".")
	switch {
	case !ok:
		return string(fact)
	case family == "dtypes":
		return rest + " values"
	case family == "custom_calls":
		return rest + " calls"
	case family == "kernels" || family == "fusions":
		return rest + " " + family
	}
	return strings.ReplaceAll(rest, "_", " ")
}

// budgetLabel is the short name of what a budget bounds: by its fact, else by its rule.
func budgetLabel(rule, subject string) string {
	if subject == "kernels.all" || subject == string(facts.KernelsTotal) {
		return "kernels"
	}
	if text := labelOf(facts.ID(subject)); text != "" {
		return text
	}
	if space, ok := facts.MemorySpace.Member(facts.ID(subject)); ok {
		return space
	}
	return strings.ReplaceAll(strings.TrimPrefix(rule, "max-"), "-", " ")
}

func unitOf(fact facts.ID) string { return facts.About(fact).Unit }

// count is a number of things as a cell.
func count(n int) line { return say(phrase.Number(float64(n))) }

// shown is how many of n things are shown: all with --all, else at most so many.
func (o Options) shown(n, most int) int {
	if o.All {
		return n
	}
	return min(n, most)
}

// more says how many things are not shown, nothing where all are.
func more(n int, noun string) para {
	if n <= 0 {
		return para{}
	}
	return para{in(dim, "… "+phrase.Some(n, "more "+noun)+" (--all lists them)")}
}

// atMost bounds lines, and says how many more there are.
func atMost(lines []line, most int, noun, hint string) []line {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], in(dim, "… "+phrase.Some(len(lines)-most, "more "+noun)+hint))
}

// value writes a fact's value; one that was not dumped has none.
func value(fact facts.ID, v float64) string {
	if math.IsNaN(v) {
		return "not dumped"
	}
	return phrase.Show(v, unitOf(fact))
}

// change writes "1 → 4", or the value alone when it is the same.
func change(fact facts.ID, old, fresh float64) string {
	if old == fresh {
		return value(fact, fresh)
	}
	if math.IsNaN(old) || math.IsNaN(fresh) {
		return value(fact, old) + " → " + value(fact, fresh)
	}
	from, to := phrase.Apart(old, fresh, unitOf(fact))
	return from + " → " + to
}

// negligible reports whether an amount moved by less than a thousandth. Sentences leave it out; counts of things are never negligible.
func negligible(fact facts.ID, old, fresh float64) bool {
	return (unitOf(fact) != "" || fact.Group() == facts.CostFlops.Group()) && math.Abs(fresh-old) < old/1000
}

// of writes "19 of 19" and "1.2 of 2.0 GiB"; a time, and what is above the limit, it writes "935 (limit 934)".
func of(actual, limit float64, unit string) string {
	a, l := phrase.Show(actual, unit), phrase.Show(limit, unit)
	if actual > limit {
		a, l = phrase.Apart(actual, limit, unit)
	}
	if actual > limit || unit == "nanoseconds" {
		return a + " (limit " + l + ")"
	}
	if number, ok := strings.CutSuffix(a, l[strings.LastIndexByte(l, ' ')+1:]); ok && unit != "" {
		a = strings.TrimSpace(number)
	}
	return a + " of " + l
}

// percent writes a share of a whole; "" when there is no whole.
func percent(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	if share := 100 * part / whole; share > 0 && share < 1 {
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*part/whole)
}

// priceLine is "predicted step 12.1 ms on h100-sxm: memory 61 %, launches 22 %, compute 17 %; not priced: 2 launches; 1 loop of unknown length taken to run 10
// times".
func priceLine(v *facts.Variant) line {
	step, priced := v.Facts[facts.PriceStep]
	if !priced || v.Device == nil {
		return nil
	}
	parts := []label{
		{facts.PriceMemory, "memory"}, {facts.PriceLaunch, "launches"}, {facts.PriceCompute, "compute"}, {facts.PriceNetwork, "network"}, {facts.PriceHost, "host"},
	}
	slices.SortStableFunc(parts, func(a, b label) int { return int(v.Facts[b.fact]) - int(v.Facts[a.fact]) })
	var said []string
	for _, part := range parts {
		if ns := v.Facts[part.fact]; ns >= step/200 {
			said = append(said, part.text+" "+percent(ns, step))
		}
	}
	l := say("predicted step ").in(strong, value(facts.PriceStep, step)).and(" on " + v.Device.Name + ": " + strings.Join(said, ", "))
	l = l.and(prefixed("; not priced: ", some(int(v.Facts[facts.PriceUnpriced]), "launch")))
	if times := phrase.Map(v.EndlessLoops(), (*facts.Kernel).Iterations); len(times) > 0 {
		least, most := slices.Min(times), slices.Max(times)
		l = l.and(fmt.Sprintf("; %s of unknown length taken to run %d", phrase.Some(len(times), "loop"), least))
		if most > least {
			l = l.and(fmt.Sprintf(" to %d", most))
		}
		l = l.and(" times")
	}
	return l
}

// asBeforeText is "; 2 loops of unknown length taken to run as often as before", where a comparison takes them to run another number of times than they do by
// themselves.
func asBeforeText(f facts.Values) string {
	if n := f[facts.LoopsAsBefore]; n > 0 {
		return "; " + phrase.Some(int(n), "loop") + " of unknown length taken to run as often as before"
	}
	return ""
}

// priceChange is "predicted step 12.1 → 12.9 ms on h100-sxm (+6.6 %)", nothing where a side has no price or both have the same.
func priceChange(v *changes.Variant) line {
	if v.Old == nil || v.New == nil || v.New.Device == nil || v.Old.Device != v.New.Device {
		return nil
	}
	was, is := v.Old.Facts[facts.PriceStep], v.New.Facts[facts.PriceStep]
	if was == is || was == 0 {
		return nil
	}
	l := say("predicted step ").in(strong, change(facts.PriceStep, was, is)).and(" on " + v.New.Device.Name)
	if share := growth(is-was, was); share != "" {
		l = l.and(" (" + share + ")")
	}
	l = l.and(prefixed("; not priced: ", some(int(v.New.Facts[facts.PriceUnpriced]), "launch")))
	return l.and(asBeforeText(v.New.Facts))
}

// weighed is what kernels are ranked by: what they are predicted to take, or where no price is known the bytes that they move.
func weighed(v *facts.Variant) (title string, weights []float64) {
	weights = make([]float64, len(v.Kernels))
	if v.Device == nil {
		for i := range v.Kernels {
			if k := &v.Kernels[i]; k.Class != facts.ClassControl {
				weights[i] = float64(k.Bytes) * k.Runs()
			}
		}
		return "most bytes moved", weights
	}
	for i, p := range v.Prices(v.Device) {
		weights[i] = p.NS()
	}
	return "longest predicted kernels, of " + phrase.Nanoseconds(v.Facts[facts.PriceStep]), weights
}
