// Package rules holds the checks that the gate makes, with their documentation as data, and the packs of them that ship with xlagate. A rule or a family
// of them has a file of its own; those that only hold a fact to a limit are in fact_limits.go. What a rule is, is said in package rule.
package rules

import (
	"embed"

	"github.com/xlagate/xlagate/internal/rule"
)

//go:embed packs/*.yaml
var packs embed.FS

// All holds the rules in the order in which they are listed, category by category, and the packs. A new rule is added here and nowhere else.
var All = rule.Catalogue{Packs: packs, Rules: []*rule.Rule{
	&maxKernels, &requiredFusions, &forbiddenFusions, &fusionDrift, &maxUnfused, &requiredCustomCalls, &forbiddenCustomCalls, &kernelBodies, &noHostCallback, &launchShape, &noSpills, &maxRegisters,
	&noRecompilation, &maxCompilations, &maxHelperModules, &maxCompileTime, &maxInstructions, &loopsKept, &maxConstantBytes,
	&donationKept, &updatesKept, &maxTempBytes, &maxPeakBytes, &maxAllocationBytes, &maxOutputBytes, &maxRemat, &maxCopies, &maxTransposes,
	&noNewCollectives, &maxCollectives, &minCollectiveBytes, &asyncCollectives, &shardingPin, &noInvoluntaryRemat,
	&noDtype, &dtypeFloor, &precision, &layoutPin,
	&noUnclusteredOps, &maxClusters, &maxOutsideCollectives, &noCPUFallback,
	&maxStepTime, &maxFlops, &maxBytesAccessed, &maxEstimatedCycles, &maxCodeBytes,
	&targetRan, &factsComplete, &baselinePresent, &orphanBaseline, &waiverValid, &toolchain, &flags, &stableCompile, &unusedParameters,
	&assert,
}}
