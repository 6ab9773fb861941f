package logs

import (
	"strconv"
	"strings"
)

// spill reads what XLA passes on from NVIDIA's assembler, behind the function's opening quote:
//
//	ptxas warning : Registers are spilled to local memory in function 'my_tanh_matmul', 1116 bytes spill stores, 1116 bytes spill loads
func (r *reader) spill(rest []byte) {
	function, amounts, _ := strings.Cut(string(rest), "', ")
	bytes, _, ok := strings.Cut(amounts, " bytes spill stores")
	n, err := strconv.ParseInt(bytes, 10, 64)
	if !ok || err != nil {
		r.unreadable(r.line, "a spill of registers")
		return
	}
	r.add(Event{Kind: Spill, Line: r.line, Op: function, Value: float64(n)})
}
