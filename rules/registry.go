package rules

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// All lists every rule, category by category.
func All() []*Rule { return registry }

// growthRules are the rules that hold an amount against the baseline. A program whose arguments changed breaks many of them at
// once, and that is one finding.
var growthRules = append([]string{"max-constant-bytes", "max-collectives"}, allGrowth...)

// allGrowth are the rules whose amounts grow with whatever a program does more of, the most telling first.
var allGrowth = []string{
	"fusion-drift", "max-kernels", "max-transposes", "max-copies", "max-output-bytes", "max-temp-bytes", "max-peak-bytes", "max-flops",
	"max-bytes-accessed", "max-instructions",
}

// GrowthRank ranks the rules whose amounts grow with whatever a program does more of, so that their findings tell little by themselves:
// the most telling is 0. It is -1 for every other rule.
func GrowthRank(id string) int { return slices.Index(allGrowth, id) }

// Reach is how many kinds of findings follow from a rule's, directly or not.
func Reach(id string) int {
	seen := map[string]bool{}
	var follow func(string)
	follow = func(id string) {
		r := ByID(id)
		if r == nil || seen[id] {
			return
		}
		seen[id] = true
		for _, next := range r.Explains {
			follow(next)
		}
	}
	follow(id)
	return len(seen)
}

// registry holds the rules in the order in which they are listed. A new rule is added here and nowhere else.
var registry = []*Rule{
	&maxKernels, &requiredFusions, &forbiddenFusions, &fusionDrift, &maxUnfused, &requiredCustomCalls, &forbiddenCustomCalls, &kernelBodies, &noHostCallback, &launchShape,
	&noRecompilation, &maxCompilations, &maxHelperModules, &maxCompileTime, &maxInstructions, &loopsKept, &maxConstantBytes,
	&donationKept, &maxTempBytes, &maxPeakBytes, &maxAllocationBytes, &maxOutputBytes, &maxRemat, &maxCopies, &maxTransposes,
	&maxCollectives, &minCollectiveBytes, &asyncCollectives, &shardingPin, &noInvoluntaryRemat,
	&noDtype, &dtypeFloor, &precision, &layoutPin,
	&noUnclusteredOps, &maxClusters, &noCPUFallback,
	&maxFlops, &maxBytesAccessed, &maxEstimatedCycles, &maxCodeBytes,
	&targetRan, &factsComplete, &baselinePresent, &orphanBaseline, &waiverValid, &toolchain, &flags, &stableCompile, &unusedParameters,
	&assert,
}

// ByID finds a rule, nil when there is none of that id.
func ByID(id string) *Rule {
	for _, r := range registry {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// IDs lists the ids of all rules.
func IDs() []string {
	var ids []string
	for _, r := range registry {
		ids = append(ids, r.ID)
	}
	return ids
}

// Keys are all keys that an entry of this rule may have: its own, the bounds of what it counts, and those that every rule has.
func (r *Rule) Keys() []Option {
	keys := append(slices.Clone(r.Options), r.bounds()...)
	for _, o := range CommonOptions {
		switch {
		case r.Without[o.Key] != "":
			continue
		case o.Key == "level":
			o = r.levels(o)
		case o.Key == "program" && r.Whole:
			o.Enum, o.Doc = []string{"*"}, "it looks at the target as a whole"
		}
		keys = append(keys, o)
	}
	return keys
}

// levels are the levels that the rule may have. One that is always on is not turned off.
func (r *Rule) levels(o Option) Option {
	if r.Level != "" {
		o.Default = r.Level
	}
	if r.Always {
		o.Enum = slices.DeleteFunc(slices.Clone(o.Enum), func(level string) bool { return level == "off" })
	}
	return o
}

// Validate finds what is wrong with settings beyond their types.
func (r *Rule) Validate(s *Settings) []Refusal {
	var wrong []Refusal
	if s.Equal != nil && (s.Max != nil || s.Min != nil) {
		wrong = append(wrong, Refusal{[]string{"equal"}, fmt.Errorf("equal stands beside max or min; keep one")})
	}
	if s.Max != nil && s.Min != nil && *s.Min > *s.Max {
		wrong = append(wrong, Refusal{[]string{"min"}, fmt.Errorf("min %v is above max %v", *s.Min, *s.Max)})
	}
	if len(r.NeedsOne) > 0 && !slices.ContainsFunc(r.NeedsOne, s.has) {
		wrong = append(wrong, Refusal{nil, fmt.Errorf("bounds nothing: say %s", OrOf(r.NeedsOne))})
	}
	if r.Check != nil {
		wrong = append(wrong, r.Check(s)...)
	}
	return wrong
}

//go:embed packs/*.yaml
var packFiles embed.FS

// Pack returns the YAML of a pack.
func Pack(name string) ([]byte, error) { return packFiles.ReadFile("packs/" + name + ".yaml") }

// Packs lists the names of the packs.
func Packs() []string {
	entries, _ := packFiles.ReadDir("packs")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}
