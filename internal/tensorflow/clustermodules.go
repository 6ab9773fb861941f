package tensorflow

import (
	"slices"
)

// matchModules notes with each cluster the HLO modules that were compiled from it. A module is named as in Variant.Modules
// ("module_0031.cluster_0__XlaCompiledKernel_true_…") or without its number.
func (c *Clusters) matchModules(modules []string) {
	for i := range c.Clusters {
		t := &c.Clusters[i]
		for _, m := range modules {
			if name, ok := ClusterOf(moduleStem(m)); ok && name == t.Name && !slices.Contains(t.Modules, m) {
				t.Modules = append(t.Modules, m)
			}
		}
		if len(t.Modules) > 0 {
			t.Module = t.Modules[0]
		}
	}
}

// moduleStem cuts "module_0031." off.
func moduleStem(module string) string {
	for i := 0; i < len(module); i++ {
		if module[i] == '.' {
			if len(module) > 7 && module[:7] == "module_" {
				return module[i+1:]
			}
			break
		}
	}
	return module
}
