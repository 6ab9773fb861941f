package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// callFields are the keys that say which custom calls are meant.
var callFields = []rule.Option{
	{Key: "call", Type: rule.Glob, Sense: rule.Selects, Require: true, Doc: "a glob over the call's target: \"__cudnn$fmha*\", \"tpu_custom_call\", \"TopK\"; or over the kind of a custom fusion: \"__triton_gemm\""},
	{Key: "backend_config", Type: rule.Pairs, Sense: rule.Narrows, Doc: "only those whose backend_config matches these globs, by key at any depth: { epilogue: \"*GELU*\", precision_config.algorithm: ALG_UNSET }"},
	{Key: "function", Type: rule.Glob, Sense: rule.Selects, Doc: "only kernels of Pallas, Mosaic or Triton whose function has this name"},
	{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only those in this part of the model"},
	{Key: "source", Type: rule.Glob, Sense: rule.Selects, Doc: "only those from these source files"},
}

// callQuery says which custom calls are meant.
type callQuery struct {
	call, function, opName, source string
	config                         configs
}

func callOf(e rule.Entry) callQuery {
	return callQuery{e.Text("call"), e.Text("function"), e.Text("op_name"), e.Text("source"), e.Pairs("backend_config")}
}

func (q callQuery) matches(k *facts.Kernel) bool {
	called := calls(k)
	return called != "" && phrase.Glob(q.call, called) && (q.opName == "" || phrase.Glob(q.opName, k.OpName)) &&
		(q.source == "" || rule.FitsPath(q.source, k.Source.File)) && (q.function == "" || k.Function != "" && phrase.Glob(q.function, k.Function)) && q.config.fit(k.Config)
}

// String is how findings call what is meant.
func (q callQuery) String() string {
	text := q.call
	if q.function != "" {
		text += " of " + q.function
	}
	if len(q.config) > 0 {
		text += " with " + q.config.String()
	}
	return text
}

// calls is what a kernel calls: a custom call's target, or the kind of a fusion that is handed to a library or to Triton.
func calls(k *facts.Kernel) string {
	switch {
	case k.Class == facts.ClassCollective || k.Class == facts.ClassCopy:
		return ""
	case k.Target != "":
		return k.Target
	case k.Fusion && strings.HasPrefix(k.Attrs, "__"):
		return k.Attrs
	}
	return ""
}

// configs is what a call's backend_config has to say: globs by key.
type configs map[string]string

// fit reports whether every key is set to a value that fits.
func (c configs) fit(said []string) bool {
	for key, pattern := range c {
		fits := func(s string) bool {
			_, value, _ := strings.Cut(s, "=")
			return saysKey(s, key) && phrase.Glob(pattern, value)
		}
		if !slices.ContainsFunc(said, fits) {
			return false
		}
	}
	return true
}

// saysKey reports whether a setting has a key: its whole path, or the end of it.
func saysKey(setting, key string) bool {
	way, _, _ := strings.Cut(setting, "=")
	return way == key || strings.HasSuffix(way, "."+key)
}

// String writes the query as in a rule file.
func (c configs) String() string {
	list := phrase.Map(slices.Sorted(maps.Keys(c)), func(key string) string { return key + ": " + c[key] })
	return "{" + strings.Join(list, ", ") + "}"
}

// checkCalls finds keys of a backend_config that no rule can hold to.
func checkCalls(s *rule.Settings) (wrong []rule.Refusal) {
	for i, e := range s.Entries("calls") {
		for _, key := range slices.Sorted(maps.Keys(callOf(e).config)) {
			path := []string{"calls", fmt.Sprint(i), "backend_config", key}
			last := key[strings.LastIndex(key, ".")+1:]
			switch pattern := callOf(e).config[key]; {
			case hlo.IsNoise(last):
				wrong = append(wrong, rule.Refusal{Path: path, Err: fmt.Errorf("backend_config: %s differs in every compile or only numbers the call, so a rule cannot pin it; name a key that says what is computed", key)})
			case pattern == "" || !phrase.ValidGlob(pattern):
				wrong = append(wrong, rule.Refusal{Path: path, Err: fmt.Errorf("backend_config: %q is no glob for %s; expected one such as *GELU*, or * for any value", pattern, key)})
			}
		}
	}
	return wrong
}

// almost lists the calls that are meant but for what their backend_config says.
func (q callQuery) almost(v *facts.Variant) []*facts.Kernel {
	q.config = nil
	return slices.Collect(v.KernelsThat(q.matches))
}

// configsOf says what the backend_config of calls holds instead of what is asked for: for each key its values, or that no call has it.
func (q callQuery) configsOf(calls []*facts.Kernel) string {
	if len(q.config) == 0 || len(calls) == 0 {
		return ""
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(q.config)) {
		values, others := map[string]bool{}, map[string]bool{}
		for _, k := range calls {
			for _, s := range k.Config {
				way, value, _ := strings.Cut(s, "=")
				if others[way] = true; saysKey(s, key) {
					values[value] = true
				}
			}
		}
		parts = append(parts, keyTold(key, slices.Sorted(maps.Keys(values)), slices.Sorted(maps.Keys(others))))
	}
	return phrase.Count(len(calls), "call", "calls") + " of " + q.call + ": " + strings.Join(parts, "; ")
}

func keyTold(key string, values, others []string) string {
	switch {
	case len(values) > 0:
		return key + " is " + strings.Join(phrase.First(values, 6), " or ")
	case len(others) > 0:
		return "the calls have no " + key + ", but " + strings.Join(phrase.First(others, 8), ", ")
	}
	return "the calls have no " + key
}

// unrecorded reports whether a baseline does not record the backend_config of calls.
func (q callQuery) unrecorded(old, fresh *facts.Variant) bool {
	says := func(k *facts.Kernel) bool { return len(k.Config) > 0 }
	return len(q.config) > 0 && slices.ContainsFunc(q.almost(fresh), says) && len(q.almost(old)) > 0 && !slices.ContainsFunc(q.almost(old), says)
}

var requiredCustomCalls = rule.Rule{
	ID:    "required-custom-calls",
	Title: "required libraries and hand-written kernels are called",
	Why: "Flash attention, an FP8 product or a Pallas kernel depends on pattern matchers and version checks that fail silently: the model still " +
		"runs, on the slow path. This way scaled dot-product attention on a TPU took 115.9 ms instead of 0.7 ms.",
	Options: []rule.Option{
		{Key: "calls", Type: rule.Table, Sense: rule.Demands, Wanted: true, Require: true, Doc: "the calls that must be there", Fields: append(slices.Clone(callFields),
			rule.Option{Key: "min", Type: rule.Count, Sense: rule.Demands, Least: 1, Default: 1.0, Doc: "how many there must be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "missing custom calls", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-topk_sorted/after", Config: "- { rule: required-custom-calls, calls: [{ call: TopK }] }", Says: "TopK is not called"},
	Passes:  rule.Example{On: "cpu-topk_sorted/before", Config: "- { rule: required-custom-calls, calls: [{ call: TopK }] }"},
	Fix:     "Look at the shapes, dtypes and layouts that the library needs, at the flags that enable it, and at its version and the compiler's.",
	Threads: []string{"tensorflow/tensorflow#62661", "jax-ml/jax#22313", "tensorflow/tensorflow#59768", "openxla/xla#23389", "pytorch/xla#8746"},
	Accepts: []string{"custom_calls.*", "kernels.*", "fusions.*", "kernel list"},
	Check:   checkCalls,
	Variant: func(c *rule.Context, v *diff.Variant) {
		requireEach(c, v, required{
			key:      "calls",
			count:    func(v *facts.Variant, e rule.Entry) float64 { return v.CountKernels(callOf(e).matches) },
			recorded: func(e rule.Entry) bool { return !callOf(e).unrecorded(v.Old, v.New) },
			missing:  func(e rule.Entry, found, least float64) rule.Finding { return missingCall(v, callOf(e), found, least) },
		})
	},
}

// required says how the entries of a table are counted that must be there.
type required struct {
	key      string // of the table
	count    func(v *facts.Variant, e rule.Entry) float64
	recorded func(e rule.Entry) bool // reports whether the baseline tells how many it had
	missing  func(e rule.Entry, found, least float64) rule.Finding
}

// requireEach judges how many entries a variant has too few of, and reports each.
func requireEach(c *rule.Context, v *diff.Variant, r required) {
	var missing []rule.Finding
	had, known := 0.0, true
	for _, e := range c.Entries(r.key) {
		least, set := e.Number("min")
		if !set {
			least = 1
		}
		if n := r.count(v.New, e); n < least {
			missing = append(missing, r.missing(e, n, least))
		}
		if v.Old != nil {
			had += float64(diff.Flag(r.count(v.Old, e) < least))
			known = known && r.recorded(e)
		}
	}
	a := c.Budget(c.Rule.Budget.Noun, float64(len(missing)))
	if v.Old != nil {
		a.SetBase(known, had)
	}
	if f := c.Forbid(a); f != nil {
		c.Split(f, missing)
	}
}

func missingCall(v *diff.Variant, q callQuery, found, least float64) rule.Finding {
	f := rule.Finding{Finding: result.Finding{Subject: q.String(), Actual: found, Limit: least, Message: fmt.Sprintf("%s is not called", q)}}
	if found > 0 {
		f.Message = fmt.Sprintf("%s is called %s, %v wanted", q, phrase.Times(found), least)
	}
	almost := q.almost(v.New)
	if configs := q.configsOf(almost); configs != "" {
		f.Message += "; " + configs
	} else if names := called(v.New); len(names) > 0 {
		f.Message += "; what is called: " + strings.Join(phrase.First(names, 6), ", ")
	}
	if len(almost) > 0 && len(q.config) > 0 {
		f.Cause = diff.CauseAt(fmt.Sprintf("%s is called", calls(almost[0])), almost[0])
	}
	if v.Old != nil {
		f.Baseline = v.Old.CountKernels(q.matches)
		if cause, e := v.Growth(facts.AnyKernel); cause != nil {
			f.Cause, f.Evidence = cause, e
		}
	}
	return f
}

// called lists what a program calls, each once, in order of name.
func called(v *facts.Variant) []string {
	seen := map[string]bool{}
	for i := range v.Kernels {
		if name := calls(&v.Kernels[i]); name != "" {
			seen[name] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

var forbiddenCustomCalls = rule.Rule{
	ID:    "forbidden-custom-calls",
	Title: "slow paths and unwanted libraries are not called",
	Why: "A fallback is also a call: a solver that runs on the host, a convolution that silently uses BF16, a sort where a top-k kernel should be. " +
		"Its result is right, it is slow, and only its name shows it.",
	Options: []rule.Option{
		{Key: "calls", Type: rule.Table, Sense: rule.Demands, Require: true, Doc: "the calls that must not be there", Fields: append(slices.Clone(callFields),
			rule.Option{Key: "max", Type: rule.Count, Sense: rule.Caps, Default: 0.0, Doc: "how many there may be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "forbidden custom calls", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*callback\" }] }", Says: "1 call of *callback, 0 allowed: xla_ffi_python_cpu_callback"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/before", Config: "- { rule: forbidden-custom-calls, calls: [{ call: \"*callback\" }] }"},
	Fix:     "Look at the source line that the finding names: use the operation that the device has a kernel for, or the shape and dtype that its library wants.",
	Threads: []string{"openxla/xla#40021", "jax-ml/jax#25842"},
	Accepts: []string{"custom_calls.*", "kernels.*", "kernel list"},
	Check:   checkCalls,
	Variant: func(c *rule.Context, v *diff.Variant) {
		for _, e := range c.Entries("calls") {
			forbidCall(c, v, e, callOf(e))
		}
	},
}

func forbidCall(c *rule.Context, v *diff.Variant, e rule.Entry, q callQuery) {
	found := v.New.CountKernels(q.matches)
	limit, _ := e.Number("max")
	a := c.Budget(q.String(), max(0, found-limit))
	if v.Old != nil {
		a.SetBase(!q.unrecorded(v.Old, v.New), max(0, v.Old.CountKernels(q.matches)-limit))
	}
	if f := c.Forbid(a); f != nil {
		f.Actual, f.Limit = found, limit
		q.describe(f, v.New)
	}
	noteAbsentKey(c, v, q)
}

// noteAbsentKey notes a key of a backend_config that none of the calls has: a misspelt one would let everything pass.
func noteAbsentKey(c *rule.Context, v *diff.Variant, q callQuery) {
	almost := q.almost(v.New)
	for _, key := range slices.Sorted(maps.Keys(q.config)) {
		says := func(k *facts.Kernel) bool {
			return slices.ContainsFunc(k.Config, func(s string) bool { return saysKey(s, key) })
		}
		if len(almost) > 0 && !slices.ContainsFunc(almost, says) {
			q.config = configs{key: q.config[key]}
			c.Notes = append(c.Notes, result.Note{Kind: "not told", Program: c.Program.Name, Message: fmt.Sprintf("%s matches no call in the dump or the baseline: %s", c.Rule.ID, q.configsOf(almost))})
			return
		}
	}
}

// describe says what is called, and from where.
func (q callQuery) describe(f *rule.Finding, v *facts.Variant) {
	names := map[string]bool{}
	for k := range v.KernelsThat(q.matches) {
		names[calls(k)] = true
		f.Evidence.After = diff.AddLine(f.Evidence.After, k.Describe())
		if f.Cause == nil || f.Cause.Source.File == "" && k.Source.File != "" {
			f.Cause = diff.CauseAt(fmt.Sprintf("%s is called", calls(k)), k)
		}
	}
	f.Message = fmt.Sprintf("%s of %s, %v allowed", phrase.Count(int(v.CountKernels(q.matches)), "call", "calls"), q, f.Limit)
	if list := slices.Sorted(maps.Keys(names)); len(list) != 1 || list[0] != q.call {
		f.Message += ": " + strings.Join(phrase.First(list, 6), ", ")
	}
}

var noHostCallback = rule.Rule{
	ID:    "no-host-callback",
	Title: "the device does not wait for the host",
	Why:   "A debug print or a callback inside the step stops the device, moves data to the host and back, and splits the fusions around it.",
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "custom-call targets or op_names that may call the host"},
	},
	Budget:     &rule.Metric{Noun: "host callbacks", Better: rule.Lower},
	Forbids:    true,
	Fails:      rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback }", Says: "1 host callback: at most 0 allowed"},
	Passes:     rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback, allow: [\"*callback\"] }"},
	Fix:        "Remove the debug print or callback, or keep it behind a switch that is off in production.",
	Threads:    []string{"jax-ml/jax#25842"},
	FromSource: true,
	Accepts:    []string{"custom_calls.*", "kernels.*", "fusions.*", "kernel list"},
	Variant:    checkNoHostCallback,
}

func checkNoHostCallback(c *rule.Context, v *diff.Variant) {
	a := c.Count("host callbacks", func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).CountKernels) })
	var f *rule.Finding
	if c.Bounded() {
		f = c.JudgeRuns(a, func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).Launches) })
	} else {
		f = c.Forbid(a)
	}
	if f != nil {
		f.Cause, f.Evidence = v.Growth(callsHost(c))
	}
}

// hostCalls counts calls of the host. A TPU makes one of a send, or of a send and a receive: what is more counts.
func hostCalls(c *rule.Context, v *facts.Variant, count func(*facts.Variant, func(*facts.Kernel) bool) float64) float64 {
	transfers := func(opcode string) float64 {
		return count(v, func(k *facts.Kernel) bool { return k.Kind == facts.KindHost && k.Root == opcode && callsHost(c)(k) })
	}
	calls := count(v, func(k *facts.Kernel) bool { return k.Kind != facts.KindHost && callsHost(c)(k) })
	return calls + max(transfers("send"), transfers("recv"))
}

func callsHost(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		host := strings.Contains(k.Target, "callback") || k.Root == "infeed" || k.Root == "outfeed" || k.Target == "SendToHost" || k.Target == "RecvFromHost" ||
			k.Kind == facts.KindHost
		return host && !phrase.AnyGlob(c.List("allow"), k.Target) && !phrase.AnyGlob(c.List("allow"), k.OpName)
	}
}
