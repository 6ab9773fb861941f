package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// callFields are the keys that say which custom calls are meant.
var callFields = []rule.Option{
	{Key: "call", Type: rule.Glob, Require: true, Doc: "the call's target: \"__cudnn$fmha*\", \"tpu_custom_call\", \"TopK\", or the kind of a custom fusion: \"__triton_gemm\""},
	{Key: "backend_config", Type: rule.Pairs, Doc: "only those whose backend_config matches these globs, by key at any depth: { epilogue: \"*GELU*\", precision_config.algorithm: ALG_UNSET }"},
	{Key: "function", Type: rule.Glob, Doc: "only kernels of Pallas, Mosaic or Triton whose function has this name"},
	{Key: "op_name", Type: rule.Glob, Doc: "only those in this part of the model"},
	{Key: "source", Type: rule.Glob, Doc: "only those from these source files"},
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
		config := e.Pairs("backend_config")
		for _, key := range slices.Sorted(maps.Keys(config)) {
			path := []string{"calls", fmt.Sprint(i), "backend_config", key}
			last := key[strings.LastIndex(key, ".")+1:]
			switch pattern := config[key]; {
			case hlo.IsNoise(last):
				wrong = append(wrong, rule.Refusal{Path: path, Err: fmt.Errorf("backend_config: %s differs in every compile or only numbers the call, so a rule cannot pin it; name a key that says what is computed", key)})
			case pattern == "" || !phrase.ValidGlob(pattern):
				wrong = append(wrong, rule.Refusal{Path: path, Err: fmt.Errorf("backend_config: %q is no glob for %s; expected one such as *GELU*, or * for any value",
					pattern, key)})
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

// recorded reports whether the baseline records the backend_config of calls, where that is asked for.
func (q callQuery) recorded(v *changes.Variant) bool {
	says := func(k *facts.Kernel) bool { return len(k.Config) > 0 }
	old := q.almost(v.Old)
	return len(q.config) == 0 || len(old) == 0 || slices.ContainsFunc(old, says) || !slices.ContainsFunc(q.almost(v.New), says)
}
