package rules_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// What sharding-pin says of results: "" where it passes.
func TestShardingOfResults(t *testing.T) {
	const gathered, split = "cpu-result_gathered/after", "cpu-result_gathered/before"
	for _, c := range []struct{ on, base, keys, says string }{
		{gathered, split, "", "1 result is not spread over the devices as agreed: result 0 (jit(layer)/tanh)"},
		{split, gathered, "", "1 result is not spread over the devices as agreed: result 0 (jit(layer)/tanh)"},
		{split, split, "", ""},
		{gathered, gathered, "", ""},
		{"cpu-result_gathered/proto", split, "", ""},
		{split, "cpu-result_gathered/proto", "", ""},
		{split, "", "outputs: [{ output: \"0\", sharding: \"P('data', 'model')\" }]", ""},
		{split, "", "outputs: [{ output: 0, sharding: \"{devices=[2,2]<=[4]}\" }]", ""},
		{split, "", "outputs: [{ output: 0, sharding: \"[2,2]\" }, { output: 1, sharding: replicated }]", ""},
		{split, "", "outputs: [{ output: \"*\", sharding: replicated }]", "1 result is not spread over the devices as agreed: result 0 (jit(layer)/tanh)"},
		{gathered, "", "outputs: [{ output: 0, sharding: \"[2,2]\" }]", "1 result is not spread over the devices as agreed: result 0 (jit(layer)/tanh)"},
		{gathered, "", "outputs: [{ output: 2, sharding: replicated }]", "sharding-pin: no result of layer fits \"2\"; it returns 2 results, numbered from 0"},
		{"cpu-unfused/before", "", "outputs: [{ output: 0, sharding: replicated }]", ""},
		{gathered, "", "max_replicated: 4095", "1 result is not spread over the devices as agreed: result 0 (jit(layer)/tanh)"},
		{gathered, "", "max_replicated: 4096", ""},
		{split, "", "max_replicated: 4", ""},
		{gathered, "", "params: [{ param: x, sharding: replicated }], outputs: [{ output: 0, sharding: \"[2,2]\" }]",
			"1 argument and 1 result are not spread over the devices as agreed: x, result 0 (jit(layer)/tanh)"},
	} {
		entry := "- { " + strings.TrimSuffix("rule: sharding-pin, "+c.keys, ", ") + " }"
		r := try(t, rules.ByID("sharding-pin"), rule.Example{On: c.on, Base: c.base, Config: entry})
		if got := firstMessage(r, "sharding-pin"); got != c.says {
			t.Errorf("%s against %q, %s:\n%q, wanted\n%q", c.on, c.base, entry, got, c.says)
		}
	}
}

// A baseline that was stored says the same as the dump that it was accepted from.
func TestShardingOfResultsIsStored(t *testing.T) {
	k := keyRun{t, "sharding-pin", files.CacheAt(t.TempDir(), "test", files.CacheBytes), t.TempDir()}
	if o := k.run(sides{}, "cpu-result_gathered/after", "cpu-result_gathered/before"); !o.finds("sharding-pin") {
		t.Errorf("finds nothing against the stored baseline: %d %s", o.code, o.err)
	}
	if o := k.run(sides{}, "cpu-result_gathered/proto", "cpu-result_gathered/before"); !o.silent("sharding-pin") {
		t.Errorf("the proto is another program than the text: %+v", o.r.Findings)
	}
}
