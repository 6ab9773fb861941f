package facts

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

// flagFile adds the flags of a TPU's compiler. It writes all of them, thousands, whether they are at their defaults or not; what is kept
// is their number and a digest, so that a flag that was set is seen as a difference, and named where both dumps are at hand.
func (out *measuring) flagFile() {
	f := out.module.Companion(dump.KindFlagFile)
	if f == nil {
		return
	}
	flags := readCompanion(out, f, func(data []byte) (*artifacts.Flags, error) {
		flags, err := artifacts.ReadFlagFile(data)
		return &flags, err
	})
	if flags == nil || len(*flags) == 0 {
		return
	}
	every := telling(*flags)
	maps.DeleteFunc(every, func(name, _ string) bool { return strings.Contains(name, "dump") })
	out.Toolchain.Every = every
	out.Toolchain.Flags = union(out.Toolchain.Flags, map[string]string{DigestFlag: flagDigest(every)})
}

// DigestFlag stands for all flags of a TPU's compiler.
const DigestFlag = "libtpu_flags"

// flagDigest is the same for equal flags.
func flagDigest(flags map[string]string) string {
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		fmt.Fprintf(h, "%s=%s\n", name, flags[name])
	}
	return fmt.Sprintf("%d flags, digest %016x", len(flags), h.Sum64())
}

// Flag is the value of a flag, and whether it is known to be set.
func (t *Toolchain) Flag(name string) (value string, set bool) {
	if value, set = t.Flags[name]; !set {
		value, set = t.Every[name]
	}
	return value, set
}

// ComparableFlags are the flags of two toolchains that can be held against each other: every single one where both are known, none where one
// dump does not tell them.
func ComparableFlags(a, b *Toolchain) (of, other map[string]string) {
	if a.FlagsUntold() || b.FlagsUntold() {
		return nil, nil
	}
	if a.Every == nil || b.Every == nil {
		return a.Flags, b.Flags
	}
	return a.everyFlag(), b.everyFlag()
}

// FlagsUntold says whether a dump does not tell the flags: JAX sets some in every compilation, so there are none only where XLA is too old to
// dump them (before 0.6), or they were not kept.
func (t *Toolchain) FlagsUntold() bool { return t.Framework == "jax" && len(t.Flags) == 0 }

func (t *Toolchain) everyFlag() map[string]string {
	all := maps.Clone(t.Every)
	maps.Copy(all, t.Flags)
	delete(all, DigestFlag)
	return all
}
