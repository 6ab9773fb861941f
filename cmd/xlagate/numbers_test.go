package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// labelled are the facts that people read, by the words that stand before their numbers.
var labelled = map[string]facts.ID{
	"predicted step": facts.PriceStep, "peak": facts.MemoryPeak, "kernels": facts.KernelsTotal, "launches": facts.KernelsWeighted, "fusions": facts.FusionsTotal,
	"temp": facts.MemoryTemp, "moved": facts.CostWeightedBytes, "flops": facts.CostWeightedFlops, "moved (static)": facts.CostBytes, "flops (static)": facts.CostFlops,
	"copies": facts.CopiesCount, "transposes": facts.TransposesCount, "loops": facts.LoopsWhile, "constant buffers": facts.MemoryConstant,
}

// told is a label and its number, or the numbers before and after. A share of the step is another number, and so is the delta of a change.
var told = regexp.MustCompile(`(?:^|   |, |; )(predicted step|peak|kernels|launches|fusions|temp|moved|flops|moved \(static\)|flops \(static\)|copies|transposes|loops|constant buffers) ` +
	`([0-9][0-9,.]*)( ?[KMGµm]?i?[Bs]|)\b(?: → ([0-9][0-9,.]*)( ?[KMGµmn]?i?[Bs]|)\b)?( %| of|)`)

var units = map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}

// Every number of a program has one name: what check, diff and inspect print under a name is the fact of that name.
func TestOneNumberOneName(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"cpu-forward_again", "cpu-psum_in_loop", "gpu-product_in_loop", "cpu-bound_given", "tpu-branch_lost", "cpu-kept_for_backward", "tf-traced_again", "tpu-states_dropped", "cpu-gelu_approximated"} {
		t.Run(name, func(t *testing.T) {
			exit := 0
			for _, p := range pairs {
				if p.name == name && p.breaks != "" && !p.warned {
					exit = 1
				}
			}
			numbers := numbersOf(checkPair(t, name, exit))
			texts := []string{mustRead(t, "checked.txt"), string(mustExit(t, 0, "diff", "before.tar.xz", "after.tar.xz")), string(mustExit(t, 0, "inspect", "after.tar.xz"))}
			texts = append(texts, string(mustExit(t, exit, "check", "after.tar.xz", "-f", "markdown")), string(mustExit(t, 0, "diff", "before.tar.xz", "after.tar.xz", "-f", "markdown")))
			for i, text := range texts {
				for line := range strings.Lines(strings.NewReplacer("*", "", "`", "").Replace(text)) {
					for _, m := range told.FindAllStringSubmatch(strings.TrimRight(line, "\n"), -1) {
						if m[6] == " %" {
							continue
						}
						seen[m[1]] = true
						for _, n := range amounts(t, m) {
							if !n.among(numbers[labelled[m[1]]]) {
								t.Errorf("text %d says %q; %s is %v", i, m[0], labelled[m[1]], numbers[labelled[m[1]]])
							}
						}
					}
				}
			}
		})
	}
	for label := range labelled {
		if !seen[label] && !strings.HasSuffix(label, "(static)") {
			t.Errorf("nothing tells of %s", label)
		}
	}
}

// numbersOf lists the values of each fact, before and after.
func numbersOf(r *result.Result) map[facts.ID][]float64 {
	out := map[facts.ID][]float64{}
	for _, target := range r.Targets {
		for _, p := range target.Programs {
			for _, v := range p.Variants {
				for id, n := range v.Facts {
					out[id] = append(out[id], n)
				}
				for id, n := range v.Base {
					out[id] = append(out[id], n)
				}
			}
		}
	}
	return out
}

// amount is a number as it is printed, and by how much it may be rounded.
type amount struct{ n, rounded float64 }

func (a amount) among(list []float64) bool {
	for _, n := range list {
		if math.Abs(n-a.n) <= a.rounded+1e-9 {
			return true
		}
	}
	return false
}

// amounts reads the numbers of a match.
func amounts(t *testing.T, m []string) (list []amount) {
	t.Helper()
	for _, at := range []int{2, 4} {
		if m[at] == "" {
			continue
		}
		text, unit := strings.ReplaceAll(strings.TrimRight(m[at], ",."), ",", ""), strings.TrimSpace(m[at+1])
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		scale, rounded := units[unit], 0.0
		if _, digits, ok := strings.Cut(text, "."); ok || scale > 1 {
			rounded = 0.500001 * math.Pow10(-len(digits)) * scale
		}
		list = append(list, amount{n * scale, rounded})
	}
	return list
}
