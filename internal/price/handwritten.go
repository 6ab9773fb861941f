package price

import "github.com/xlagate/xlagate/internal/hlo"

// bodyEfforts tell what the operations of kernels that were written by hand take for each element. What only moves or names values takes
// nothing beside the traffic.
var bodyEfforts = map[string]effort{
	"arith.addf": {Vector, 1}, "arith.subf": {Vector, 1}, "arith.mulf": {Vector, 1}, "arith.negf": {Vector, 1}, "arith.divf": {Vector, 4},
	"arith.maximumf": {Vector, 1}, "arith.minimumf": {Vector, 1}, "arith.maxnumf": {Vector, 1}, "arith.minnumf": {Vector, 1}, "arith.cmpf": {Vector, 1},
	"arith.addi": {Vector, 1}, "arith.subi": {Vector, 1}, "arith.muli": {Vector, 1}, "arith.maxsi": {Vector, 1}, "arith.minsi": {Vector, 1},
	"arith.cmpi": {Vector, 1}, "arith.andi": {Vector, 1}, "arith.ori": {Vector, 1}, "arith.xori": {Vector, 1}, "arith.shli": {Vector, 1},
	"arith.shrui": {Vector, 1}, "arith.shrsi": {Vector, 1}, "arith.select": {Vector, 1}, "arith.extf": {Vector, 1}, "arith.truncf": {Rounds, 1},
	"arith.extui": {Vector, 1}, "arith.extsi": {Vector, 1}, "arith.trunci": {Vector, 1}, "arith.sitofp": {Vector, 1}, "arith.fptosi": {Vector, 1},
	"math.absf": {Vector, 1}, "math.exp": {Special, 1}, "math.exp2": {Special, 1}, "math.expm1": {Special, 1.5}, "math.log": {Special, 1.3},
	"math.log2": {Special, 1.3}, "math.log1p": {Special, 2}, "math.tanh": {Special, 1}, "math.erf": {Special, 1}, "math.sqrt": {Special, 0.3},
	"math.rsqrt": {Special, 0.3}, "math.sin": {Slow, 1.3}, "math.cos": {Slow, 1.3}, "math.powf": {Slow, 1},
	"vector.multi_reduction": {Vector, 1}, "tt.reduce": {Vector, 1}, "tpu.transpose": {Vector, 1}, "vector.transpose": {Vector, 1}, "tt.trans": {Vector, 1},

	"arith.index_cast": {}, "arith.bitcast": {}, "vector.load": {}, "vector.store": {}, "vector.broadcast": {}, "vector.shape_cast": {}, "tpu.vector_load": {},
	"tpu.vector_store": {}, "tpu.iota": {}, "tt.load": {}, "tt.store": {}, "tt.splat": {}, "tt.broadcast": {}, "tt.expand_dims": {}, "tt.reshape": {},
	"tt.make_range": {}, "tt.addptr": {}, "tt.get_program_id": {}, "tt.reduce.return": {}, "tt.return": {}, "func.return": {}, "scf.for": {}, "scf.if": {},
	"scf.yield": {},
}

// handWritten adds a kernel that was written by hand: for each point of its grid a step, and what the body computes. Both sides of a condition
// count. Where the body does what is not in the table, or how often is not known, a part of the kernel is unknown.
func (w *Work) handWritten(k *hlo.Kernel) {
	steps := k.Steps()
	w[Steps] = steps
	if k.Open {
		w[Unknown] = 1
	}
	for _, p := range k.Products {
		if w[unit(Product{Type: p.Type, Precision: p.Precision}, false)] += steps * p.Flops; p.Flops == 0 {
			w[Unknown] = 1
		}
	}
	for op, elements := range k.Elements {
		e, known := bodyEfforts[op]
		if w[e.amount] += steps * e.each * elements; !known {
			w[Unknown] = 1
		}
	}
}
