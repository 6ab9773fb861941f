// Package rules holds the checks that the gate makes, one file each, with their documentation as data, and the packs of them
// that ship with xlagate. What a rule is, is said in package rule.
package rules

import (
	"embed"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/rule"
)

// All lists every rule, category by category.
func All() []*rule.Rule { return registry }

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
var registry = []*rule.Rule{
	&maxKernels, &requiredFusions, &forbiddenFusions, &fusionDrift, &maxUnfused, &requiredCustomCalls, &forbiddenCustomCalls, &kernelBodies, &noHostCallback, &launchShape, &noSpills, &maxRegisters,
	&noRecompilation, &maxCompilations, &maxHelperModules, &maxCompileTime, &maxInstructions, &loopsKept, &maxConstantBytes,
	&donationKept, &maxTempBytes, &maxPeakBytes, &maxAllocationBytes, &maxOutputBytes, &maxRemat, &maxCopies, &maxTransposes,
	&maxCollectives, &minCollectiveBytes, &asyncCollectives, &shardingPin, &noInvoluntaryRemat,
	&noDtype, &dtypeFloor, &precision, &layoutPin,
	&noUnclusteredOps, &maxClusters, &maxOutsideCollectives, &noCPUFallback,
	&maxStepTime, &maxFlops, &maxBytesAccessed, &maxEstimatedCycles, &maxCodeBytes,
	&targetRan, &factsComplete, &baselinePresent, &orphanBaseline, &waiverValid, &toolchain, &flags, &stableCompile, &unusedParameters,
	&assert,
}

// ByID finds a rule, nil when there is none of that id.
func ByID(id string) *rule.Rule {
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
