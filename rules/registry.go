// Package rules holds the checks that the gate makes, with their documentation as data, and the packs of them that ship with xlagate. A rule or a family
// of them has a file of its own; those that only hold a fact to a limit are in fact_limits.go. What a rule is, is said in package rule.
package rules

import (
	"embed"

	"github.com/xlagate/xlagate/internal/rule"
)

//go:embed packs/*.yaml
var packs embed.FS

// All holds the rules in the order in which they are listed, and the packs. A new rule needs a line here, and its file.
var All = rule.NewCatalogue(packs,
	rule.Section{Category: rule.Kernels, Rules: []*rule.Rule{
		&maxKernels, &requiredFusions, &forbiddenFusions, &fusionDrift, &maxUnfused, &requiredCustomCalls,
		&forbiddenCustomCalls, &kernelBodies, &noHostCallback, &launchShape, &threadsKept, &noSpills, &maxRegisters,
	}},
	rule.Section{Category: rule.Compilation, Rules: []*rule.Rule{
		&noRecompilation, &sameOnEveryProcess, &maxCompilations, &maxHelperModules, &maxCompileTime, &maxInstructions, &loopsKept, &maxConstantBytes,
	}},
	rule.Section{Category: rule.Memory, Rules: []*rule.Rule{
		&donationKept, &updatesKept, &maxTempBytes, &maxPeakBytes, &fits, &offloadKept, &maxAllocationBytes, &maxOutputBytes, &maxRemat, &maxCopies, &maxTransposes,
	}},
	rule.Section{Category: rule.Collectives, Rules: []*rule.Rule{
		&noNewCollectives, &maxCollectives, &minCollectiveBytes, &asyncCollectives, &shardingPin, &partitioner, &noInvoluntaryRemat,
	}},
	rule.Section{Category: rule.Types, Rules: []*rule.Rule{&resultsKept, &noDtype, &dtypeFloor, &precision, &reductionsKept, &layoutPin}},
	rule.Section{Category: rule.Frameworks, Rules: []*rule.Rule{&noUnclusteredOps, &maxClusters, &maxOutsideCollectives, &noCPUFallback}},
	rule.Section{Category: rule.CostFacts, Rules: []*rule.Rule{&maxStepTime, &sinceRelease, &maxFlops, &maxBytesAccessed, &maxEstimatedCycles, &maxCodeBytes}},
	rule.Section{Category: rule.Integrity, Rules: []*rule.Rule{
		&targetRan, &factsComplete, &baselinePresent, &orphanBaseline, &waiverValid, &toolchain, &flags, &stableCompile, &unusedParameters,
	}},
	rule.Section{Category: rule.Custom, Rules: []*rule.Rule{&assert}},
)
