package rules_test

import "testing"

// A baseline that was stored says the same as the dump that it was accepted from.
func TestShardingOfResultsIsStored(t *testing.T) {
	k := keyRun{t, "sharding-pin", t.TempDir()}
	if o := k.run(sides{}, "cpu-result_gathered/after", "cpu-result_gathered/before"); !o.finds("sharding-pin") {
		t.Errorf("finds nothing against the stored baseline: %d %s", o.code, o.err)
	}
	if o := k.run(sides{}, "cpu-result_gathered/proto", "cpu-result_gathered/before"); !o.silent("sharding-pin") {
		t.Errorf("the proto is another program than the text: %+v", o.r.Findings)
	}
}
