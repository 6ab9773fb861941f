// Package rules holds the checks that the gate makes, one file each, with their documentation as data, and the packs of them
// that ship with xlagate. What a rule is, is said in package rule.
package rules

import (
	"embed"
	"strings"

	"github.com/xlagate/xlagate/internal/rule"
)

// All lists every rule, category by category.
func All() []*rule.Rule { return registry }

// registry holds the rules in the order in which they are listed. A new rule is added here and nowhere else.
var registry = []*rule.Rule{
	&maxKernels, &requiredFusions, &forbiddenFusions, &fusionDrift, &maxUnfused, &requiredCustomCalls, &forbiddenCustomCalls, &kernelBodies, &noHostCallback, &launchShape, &noSpills, &maxRegisters,
	&noRecompilation, &maxCompilations, &maxHelperModules, &maxCompileTime, &maxInstructions, &loopsKept, &maxConstantBytes,
	&donationKept, &maxTempBytes, &maxPeakBytes, &maxAllocationBytes, &maxOutputBytes, &maxRemat, &maxCopies, &maxTransposes,
	&noNewCollectives, &maxCollectives, &minCollectiveBytes, &asyncCollectives, &shardingPin, &noInvoluntaryRemat,
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
