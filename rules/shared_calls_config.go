package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// configs is what a call's backend_config has to say: globs by key.
type configs map[string]string

// fit says whether every key stands in it with a value that fits.
func (c configs) fit(said []string) bool {
	for key, pattern := range c {
		if !slices.ContainsFunc(said, func(s string) bool { return saysKey(s, key) && match.Glob(pattern, valueSaid(s)) }) {
			return false
		}
	}
	return true
}

// saysKey says whether a setting is of a key: the whole way to it, or its end.
func saysKey(setting, key string) bool {
	way, _, _ := strings.Cut(setting, "=")
	return way == key || strings.HasSuffix(way, "."+key)
}

func valueSaid(setting string) string {
	_, value, _ := strings.Cut(setting, "=")
	return value
}

// String writes what is asked for as a rule file does.
func (c configs) String() string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(c)) {
		list = append(list, key+": "+c[key])
	}
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
				wrong = append(wrong, rule.Refusal{Path: path, Err: fmt.Errorf("backend_config: %s is picked anew in every compile, or numbers the call: no rule can hold to it; name what says what is computed", key)})
			case pattern == "" || !match.ValidGlob(pattern):
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

// told says what calls say instead of what is asked for, "" where there are none: of each key its values, or that nobody says it.
func (q callQuery) told(calls []*facts.Kernel) string {
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
		return "nothing says " + key + ", but " + strings.Join(phrase.First(others, 8), ", ")
	}
	return "nothing says " + key
}

// unheld says whether a baseline does not hold what a call's backend_config said: it was accepted before xlagate recorded that.
func (q callQuery) unheld(old, fresh *facts.Variant) bool {
	says := func(k *facts.Kernel) bool { return len(k.Config) > 0 }
	return len(q.config) > 0 && slices.ContainsFunc(q.almost(fresh), says) && len(q.almost(old)) > 0 && !slices.ContainsFunc(q.almost(old), says)
}
