package facts

import (
	"cmp"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// shardingTarget is the custom call that with_sharding_constraint becomes.
const shardingTarget = "Sharding"

// constraint is a sharding constraint with how it spreads its value, as the model spells it: "Sharding P('data', None)". Where the model's
// spelling was not dumped it is the compiler's.
func (w *modelWalk) constraint(id hlo.InstrID) string {
	frontend, _ := w.r.m.Attr(id, "frontend_attributes")
	if _, spec, ok := strings.Cut(frontend, `xla.sdy.sharding="#sdy.sharding_per_value<[<@`); ok {
		if spelled := spelledSpec(spec); spelled != "" {
			return shardingTarget + " " + spelled
		}
		return shardingTarget + " P()"
	}
	printed, _ := w.r.m.Attr(id, "sharding")
	sharding, spec := InTiles(printed)
	if sharding == replicatedSharding && sharding != printed {
		spec = "P()"
	}
	return strings.TrimSpace(shardingTarget + " " + cmp.Or(spec, sharding))
}
