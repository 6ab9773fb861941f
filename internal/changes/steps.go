package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

const barrier = "opt-barrier"

// heavyEffort is from where an operation is worth naming before others.
const heavyEffort = 8

// efforts weigh operations by how much they explain: what splits or serialises a program before what computes most,
// before what moves data, before arithmetic on single elements, which weighs 1.
var efforts = map[string]int{
	barrier: 32, "infeed": 32, "outfeed": 32, "send": 32, "recv": 32,
	"while": 24, "conditional": 16,
	"dot": 16, "convolution": 16, "ragged-dot": 16, "sort": 16, "fft": 16, "cholesky": 16, "triangular-solve": 16, "scaled-dot": 16,
	"scatter": 12, "gather": 8, "reduce": 8, "reduce-window": 8, "select-and-scatter": 8, "rng-bit-generator": 8, "rng": 8, facts.Threefry: 8,
	"topk": 12, "transpose": 8, "copy": 4, "concatenate": 4, "dynamic-update-slice": 4, "dynamic-slice": 2, "pad": 2, "reverse": 4,
	"tanh": 2, "exponential": 2, "log": 2, "logistic": 2, "power": 2, "divide": 2, "sqrt": 2, "rsqrt": 2, "erf": 2, "sine": 2, "cosine": 2,
	"slice": 1, "iota": 0,
}

func effort(opcode string) int {
	opcode, _, _ = strings.Cut(opcode, " ") // without what makes it a special one
	if n, ok := efforts[opcode]; ok {
		return n
	}
	if callsHost(opcode) {
		return 32
	}
	if IsCollective(opcode) || !plainOpcode(opcode) {
		return 16
	}
	return 1
}

// callsHost reports whether an opcode, or a custom call's target, makes the device wait for the host.
func callsHost(opcode string) bool {
	return strings.Contains(opcode, "callback") || hostTransfers[opcode]
}

var hostTransfers = map[string]bool{"send": true, "recv": true, "infeed": true, "outfeed": true}

// IsCollective reports whether devices communicate by an operation.
func IsCollective(opcode string) bool {
	prefixes := []string{"all-", "reduce-scatter", "collective-", "ragged-all"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(opcode, prefix) })
}

// plainOpcode reports whether a step is one of HLO's own opcodes rather than a custom call's target.
func plainOpcode(opcode string) bool {
	return strings.IndexFunc(opcode, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) < 0
}

// effort is what an edit added, less a little for what it removed.
func (e *Edit) effort() int {
	n := 0
	for _, s := range e.Added {
		n += 4 * s.Count * effort(s.Opcode)
	}
	for _, s := range e.Removed {
		n += s.Count * effort(s.Opcode)
	}
	return n
}

// lead is how soon a title names what an edit added: 2 for what the device waits for, 1 for products, sorts and collectives, 0 for other operations. What a
// loop does tells more than the loop.
func (e *Edit) lead() (rank int) {
	for _, s := range e.Added {
		switch n := effort(s.Opcode); {
		case n >= effort(barrier):
			return 2
		case n >= effort("dot") && s.Opcode != "while":
			rank = 1
		}
	}
	return rank
}

// adds reports whether an edit added a collective of a kind.
func (e *Edit) adds(kind string) bool {
	return slices.ContainsFunc(e.Added, func(s Step) bool { return s.Opcode == kind || strings.HasPrefix(s.Opcode, kind+" ") })
}

// opsOf lists the operations in a kernel; of a launch of a single one, that one.
func opsOf(k *facts.Kernel) []facts.FusedOp {
	if len(k.Ops) > 0 {
		return k.Ops
	}
	return []facts.FusedOp{{Op: &facts.Op{Opcode: k.Root, OpName: k.OpName, Shape: k.Out, Source: k.Source, Stack: k.Stack}}}
}

// weightiest is the operation of the most effort.
func weightiest(do []string) string {
	best := ""
	for _, op := range do {
		if best == "" || effort(op) > effort(best) {
			best = op
		}
	}
	return best
}

// constraint begins a sharding constraint: "Sharding P('data')".
const constraint = "Sharding "

func constrains(s Step) bool { return strings.HasPrefix(s.Opcode, constraint) }

// movesData reports whether an operation computes nothing, but arranges what is there.
func movesData(s Step) bool { return wiring[s.Opcode] || s.Opcode == "iota" || s.Opcode == "reverse" }

// Computes reports whether an operation makes new numbers. What is done with integers mostly finds where a value lies.
func (s Step) Computes() bool {
	return !movesData(s) && s.Opcode != "convert" && kindOfType(s.Type) != "integer" && !constrains(s)
}

func stacks(s Step) bool { return s.Opcode == "dynamic-update-slice" || s.Opcode == "dynamic-slice" }

// roundsKept is what jax.checkpoint does to a value that it keeps, so that no more of its digits are used than are kept.
const roundsKept = "reduce-precision"

// likens reports whether jax.checkpoint adds a step to make two computations equal: a barrier between them, and rounding.
func likens(s Step) bool { return s.Opcode == barrier || s.Opcode == roundsKept }

// retypes reports whether an operation in one type may have replaced one in another. Arithmetic on indices does not replace arithmetic on numbers. A product of
// integers may replace any product.
func retypes(opcode, from, to string) bool {
	return opcode == "dot" || opcode == "convolution" || kindOfType(from) == kindOfType(to)
}

// kindOfType tells integers, which begin with s, u or p for pred, from floating-point and complex numbers.
func kindOfType(dtype string) string {
	if strings.HasPrefix(dtype, "s") || strings.HasPrefix(dtype, "u") || dtype == "pred" {
		return "integer"
	}
	return "number"
}

// cancelled sums steps that are alike, and takes away what both lists have.
func cancelled(added, removed []Step) (more, less []Step) {
	type kind struct{ opcode, dtype string }
	net := map[kind]int{}
	var order []kind
	count := func(list []Step, sign int) {
		for _, s := range list {
			k := kind{s.Opcode, s.Type}
			if _, seen := net[k]; !seen {
				order = append(order, k)
			}
			net[k] += sign * s.Count
		}
	}
	count(added, 1)
	count(removed, -1)
	for _, k := range order {
		if n := net[k]; n > 0 {
			more = append(more, Step{k.opcode, k.dtype, n})
		} else if n < 0 {
			less = append(less, Step{k.opcode, k.dtype, -n})
		}
	}
	return more, less
}

// takeSteps moves the steps that fit out of a list.
func takeSteps(list *[]Step, fits func(Step) bool) []Step {
	var taken []Step
	*list = slices.DeleteFunc(slices.Clone(*list), func(s Step) bool {
		if fits(s) {
			taken = append(taken, s)
		}
		return fits(s)
	})
	return taken
}

// stepList names steps, the weightiest first: "dot, 2 multiply, tanh". What the indices of a gather or scatter promise is not told here.
func stepList(steps []Step) string {
	count := map[string]int{}
	var ops []string
	for _, s := range steps {
		op, _, _ := strings.Cut(s.Opcode, " indices_are_sorted")
		op, _, _ = strings.Cut(op, " unique_indices")
		if count[op] == 0 {
			ops = append(ops, op)
		}
		count[op] += s.Count
	}
	slices.SortStableFunc(ops, func(a, b string) int { // what computes is not hidden by how it is spread
		spread := func(op string) bool { return strings.HasPrefix(op, constraint) }
		return cmp.Or(phrase.CompareBools(spread(a), spread(b)), cmp.Compare(effort(b), effort(a)))
	})
	for i, op := range ops {
		if n := count[op]; n > 1 {
			ops[i] = fmt.Sprintf("%d %s", n, op)
		}
	}
	return strings.Join(phrase.Within(ops, 6), ", ")
}

// stepsIn lists what a model computes.
func stepsIn(v *facts.Variant) map[Step]bool {
	had := map[Step]bool{}
	for i := range v.Model {
		for _, op := range v.Model[i].Do {
			had[Step{op, v.Model[i].Type, 1}] = true
		}
	}
	return had
}

// repeats reports whether the old model had most of what came: the body of an unrolled loop.
func repeats(added []Step, had map[Step]bool) bool {
	again, work := 0, 0
	for _, s := range added {
		if wiring[s.Opcode] {
			continue
		}
		work++
		if had[Step{s.Opcode, s.Type, 1}] {
			again++
		}
	}
	return 2*again > work
}

// rematerialized is used as the function of everything that jax.checkpoint computes again.
const rematerialized = "rematerialized"

// forgotten reports whether jax.checkpoint no longer computes again what an edit removed. A conversion alone goes with the type that it was for.
func forgotten(e *Edit) bool {
	return recomputed(e) && len(e.Added) == 0 && slices.ContainsFunc(e.Removed, func(s Step) bool { return !wiring[s.Opcode] && !constrains(s) && s.Opcode != "convert" })
}

// dropped reports whether the forward pass lost as much as the backward pass no longer computes again: it is not needed any more, and not kept. The operations of the
// forward pass are counted, because equal ones of both passes are paired in any way where the scopes have other names without the checkpoint.
func (v *Variant) dropped() bool {
	again, once := 0, 0
	for i := range v.Model.Edits {
		if e := &v.Model.Edits[i]; recomputed(e) {
			for _, s := range e.Removed {
				again += s.Count * effort(s.Opcode)
			}
		}
	}
	is := forward(v.New.Model)
	for step, n := range forward(v.Old.Model) {
		once += max(0, n-is[step]) * effort(step.Opcode)
	}
	return once >= again
}

// forward counts the operations of the forward pass.
func forward(model []facts.Statement) map[Step]int {
	n := map[Step]int{}
	for i := range model {
		if s := &model[i]; !strings.Contains(s.Scope, "transpose(") && !strings.Contains(s.Scope, rematted) {
			for _, opcode := range s.Do {
				n[Step{Opcode: opcode, Type: s.Type}]++
			}
		}
	}
	return n
}

// keeps reports whether an edit follows from values that the backward pass now keeps instead of computing them again. A loop stacks them up for another loop;
// what was in the backward pass of the checkpoint is gone, or barriers and rounding that made two computations equal are.
func keeps(e *Edit) bool {
	if len(e.Added) == 0 {
		return inCheckpoint(e.Scope) || !slices.ContainsFunc(e.Removed, func(s Step) bool { return !likens(s) })
	}
	computes := func(s Step) bool { return !stacks(s) && !wiring[s.Opcode] }
	return inLoop(e.Scope) && slices.ContainsFunc(e.Added, stacks) && !slices.ContainsFunc(slices.Concat(e.Added, e.Removed), computes)
}

// recomputed reports whether an edit is in what jax.checkpoint computes again. A sharding constraint is no computation.
func recomputed(e *Edit) bool {
	return e.again && slices.ContainsFunc(slices.Concat(e.Added, e.Removed), func(s Step) bool { return !constrains(s) })
}

// markRecomputed marks the edits in what jax.checkpoint computes again. Newer JAX names it in the scope. Older JAX does not: there it is what lies in the scope
// of a checkpoint, in the transposition that makes a backward pass.
func markRecomputed(edits []Edit, models ...[]facts.Statement) {
	named := slices.ContainsFunc(models, rematerializes)
	for i := range edits {
		scope := edits[i].Scope
		edits[i].again = strings.Contains(scope, rematted) || !named && inCheckpoint(scope)
	}
}

// rematerializes reports whether newer JAX says that something in a model is computed again.
func rematerializes(model []facts.Statement) bool {
	return slices.ContainsFunc(model, func(s facts.Statement) bool { return strings.Contains(s.Scope, rematted) })
}

// inCheckpoint reports whether a scope is the backward pass of a checkpoint.
func inCheckpoint(scope string) bool {
	return strings.Contains(scope, "transpose(") && (strings.Contains(scope, "/checkpoint") || strings.Contains(scope, "/remat"))
}

// rematted is in the scope of what newer JAX computes again.
const rematted = "rematted"
