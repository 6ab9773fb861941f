package facts

import (
	"maps"
	"testing"
)

// What is dumped, and where, makes no difference; any other flag does, and is named where both sides hold every flag.
func TestFlagDigest(t *testing.T) {
	flags := map[string]string{"xla_tpu_enable_latency_hiding_scheduler": "true", "xla_tpu_scoped_vmem_limit_kib": "-1"}
	other := maps.Clone(flags)
	if flagDigest(flags) != flagDigest(other) {
		t.Error("equal flags have unequal digests")
	}
	other["xla_tpu_scoped_vmem_limit_kib"] = "8192"
	if flagDigest(flags) == flagDigest(other) {
		t.Error("unequal flags have equal digests")
	}
	a := Toolchain{Flags: map[string]string{DigestFlag: flagDigest(flags), "xla_x": "1"}, Every: flags}
	b := Toolchain{Flags: map[string]string{DigestFlag: flagDigest(other), "xla_x": "1"}, Every: other}
	of, against := ComparableFlags(&a, &b)
	if of["xla_tpu_scoped_vmem_limit_kib"] != "-1" || against["xla_tpu_scoped_vmem_limit_kib"] != "8192" || of["xla_x"] != "1" || of[DigestFlag] != "" {
		t.Errorf("%v against %v", of, against)
	}
	stored := Toolchain{Flags: a.Flags}
	if of, against := ComparableFlags(&stored, &b); of[DigestFlag] == against[DigestFlag] || of["xla_tpu_scoped_vmem_limit_kib"] != "" {
		t.Errorf("%v against %v", of, against)
	}
	if v, set := b.Flag("xla_tpu_scoped_vmem_limit_kib"); !set || v != "8192" {
		t.Errorf("%q %v", v, set)
	}
}
