package report

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
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

// moreFacts follow them, most telling first.
var moreFacts = []label{
	{facts.FusionsTotal, "fusions"},
	{facts.MemoryTemp, "temp"},
	{facts.CostBytes, "moved"},
	{facts.DonationAliased, "aliased"},
	{facts.MemoryConstant, "constants"},
	{facts.CopiesCount, "copies"},
	{facts.TransposesCount, "transposes"},
	{facts.LoopsWhile, "loops"},
	{facts.CostFlops, "flops"},
	{facts.MemoryArgument, "arguments"},
	{facts.MemoryOutput, "output"},
	{facts.MemoryAlias, "aliased bytes"},
	{facts.InstructionsAfter, "instructions"},
	{facts.CostTranscendentals, "transcendentals"},
	{facts.CostCycles, "cycles"},
	{facts.CostWeightedBytes, "moved with all loops"},
	{facts.CostWeightedFlops, "flops with all loops"},
	{facts.ClustersCount, "clusters"},
	{facts.ClustersClustered, "clustered ops"},
	{facts.ClustersUnclustered, "unclustered ops"},
}

// labelOf is what the tables call a fact, "" where they do not name it.
func labelOf(fact facts.ID) string {
	for _, l := range slices.Concat(keyFacts, moreFacts) {
		if l.fact == fact {
			return l.text
		}
	}
	return ""
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
	if rule == "no-recompilation" {
		return "compilations"
	}
	if text := labelOf(facts.ID(subject)); text != "" {
		return text
	}
	return strings.ReplaceAll(strings.TrimPrefix(rule, "max-"), "-", " ")
}
