package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/price"
)

// XLA for CPU puts launches into a queue where there are more than 8, where they touch more than 512 bytes, and where they are no chain; where more than 8
// others are ready as well, it splits the queue.
func TestQueueReady(t *testing.T) {
	for _, c := range []struct {
		launches, elements int
		chain              bool
		first, others      float64
	}{
		{8, 256, false, 0, 0}, {9, 128, false, 0, 0}, {9, 256, true, 0, 0}, {9, 256, false, 1, 1}, {10, 256, false, 11, 1},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "HloModule m\n\nENTRY %%e {\n  %%p = f32[%d] parameter(0)\n", c.elements)
		for i := range c.launches {
			operand := "p"
			if c.chain && i > 0 {
				operand = fmt.Sprintf("v%d", i-1)
			}
			root := ""
			if i == c.launches-1 {
				root = "ROOT "
			}
			fmt.Fprintf(&b, "  %s%%v%d = f32[%d] negate(%%%s)\n", root, i, c.elements, operand)
		}
		r, w := walked(t, b.String()+"}\n")
		r.family = price.CPU
		r.queue(w.launches)
		if len(w.launches) != c.launches || w.launches[0].queued != c.first || w.launches[1].queued != c.others {
			t.Errorf("%+v: %d launches, %v and %v", c, len(w.launches), w.launches[0].queued, w.launches[1].queued)
		}
	}
}

// XLA puts the attention of cuDNN into a command buffer, but no convolution: so it is in its plans of these programs.
func TestRecorded(t *testing.T) {
	for dump, starts := range map[string]int{"gpu-h100-attn_cudnn": 0, "gpu-h100-convnet": 11} {
		r := newReader(kept(t, dump))
		w, err := r.walk()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range w.launches {
			if !r.isRecorded(&w.launches[i]) {
				n++
			}
		}
		if n != starts {
			t.Errorf("%s: %d launches are in no command buffer, want %d", dump, n, starts)
		}
	}
}
