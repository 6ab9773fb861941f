package facts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every number in a model is in the prints of its statements, also one that is broadcast, handed to a function, or that a loop begins with.
func TestStatementsHoldConstants(t *testing.T) {
	constant := regexp.MustCompile(`(= (?:f32|s32|u32)\[\] constant\()(\d+)\)`)
	for _, name := range []string{"cpu-while", "cpu-noisy", "cpu-scan", "gpu-h100-convnet"} {
		sum := func(changed int) (prints uint64, constants int) {
			dir := unpack(t, name, func(file string, data []byte) []byte {
				if !strings.Contains(file, "before_optimizations") {
					return data
				}
				return constant.ReplaceAllFunc(data, func(found []byte) []byte {
					if constants++; constants-1 == changed {
						return constant.ReplaceAll(found, []byte("${1}1${2}7)"))
					}
					return found
				})
			})
			r := measureDir(t, dir)
			for _, p := range slices.Concat(r.Programs, r.Helpers) {
				for _, v := range p.Variants {
					for i := range v.Model {
						prints += v.Model[i].Print
					}
				}
			}
			return prints, constants
		}
		before, n := sum(-1)
		if n == 0 || before == 0 {
			t.Fatalf("%s: %d constants, prints %x", name, n, before)
		}
		for i := range min(n, 40) {
			if now, _ := sum(i); now == before {
				t.Errorf("%s: constant %d changed, and no statement", name, i)
			}
		}
	}
}
