package report

import (
	"slices"
	"strings"
)

// label is how reports call a fact.
type label struct{ fact, text string }

// keyFacts are shown of every program: the two budgets, and how many kernels there are. The others are shown only where they changed.
var keyFacts = []label{
	{"price.step_ns", "predicted step"},
	{"memory.peak_bytes", "peak"},
	{"kernels.total", "kernels"},
}

// moreFacts follow them, most telling first.
var moreFacts = []label{
	{"fusions.total", "fusions"},
	{"memory.temp_bytes", "temp"},
	{"cost.bytes_accessed", "moved"},
	{"donation.aliased", "aliased"},
	{"memory.constant_bytes", "constants"},
	{"copies.count", "copies"},
	{"transposes.count", "transposes"},
	{"loops.while", "loops"},
	{"cost.flops", "flops"},
	{"memory.argument_bytes", "arguments"},
	{"memory.output_bytes", "output"},
	{"memory.alias_bytes", "aliased bytes"},
	{"instructions.after", "instructions"},
	{"cost.transcendentals", "transcendentals"},
	{"cost.estimated_cycles", "cycles"},
	{"cost.weighted_bytes_accessed", "moved with all loops"},
	{"cost.weighted_flops", "flops with all loops"},
	{"clusters.count", "clusters"},
	{"clusters.clustered_ops", "clustered ops"},
	{"clusters.unclustered_ops", "unclustered ops"},
}

// labelOf is what the tables call a fact, "" where they do not name it.
func labelOf(fact string) string {
	for _, l := range slices.Concat(keyFacts, moreFacts) {
		if l.fact == fact {
			return l.text
		}
	}
	return ""
}

// factLabel is the short name of a fact: "temp" for memory.temp_bytes, "all-gather" for collectives.all-gather.count.
func factLabel(fact string) string {
	if text := labelOf(fact); text != "" {
		return text
	}
	if rest, ok := strings.CutPrefix(fact, "collectives."); ok {
		return strings.TrimSuffix(strings.Replace(rest, ".bytes", " bytes", 1), ".count")
	}
	family, rest, ok := strings.Cut(fact, ".")
	switch {
	case !ok:
		return fact
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
	if subject == "kernels.all" || subject == "kernels.total" {
		return "kernels"
	}
	if rule == "no-recompilation" {
		return "compilations"
	}
	if text := labelOf(subject); text != "" {
		return text
	}
	return strings.ReplaceAll(strings.TrimPrefix(rule, "max-"), "-", " ")
}
