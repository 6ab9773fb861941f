package price

import "github.com/xlagate/xlagate/internal/hlo"

// window reads an instruction's window.
func (p *pricer) window(i hlo.InstrID) []windowDim {
	window, ok := parseWindow(p.attr(i, "window"))
	if !ok {
		p.giveUp(i)
	}
	return window
}

// reductions is how often a reduce-window applies its function: for each element of the result once less than the window has
// positions. A window that reduces a whole dimension and spreads the result over it again counts as that.
func (p *pricer) reductions(i hlo.InstrID) float64 {
	window, results := p.window(i), p.firstElements(i)
	if width := p.spreadDimension(i, window); width > 0 {
		return float64(int64(results)/width) + float64(width-1)
	}
	return (windowElements(window) - 1) * results
}

// spreadDimension is the size of the only dimension that a reduce-window reduces when every position of it sees all others: it
// is padded by one less than its size on both sides. 0 when there is none.
func (p *pricer) spreadDimension(i hlo.InstrID, window []windowDim) int64 {
	shape := p.m.Shape(p.m.Instrs[i].Shape)
	reduced, padded, spread := 0, 0, -1
	for d, w := range window {
		if w.size != 1 {
			reduced++
		}
		if w.low != 0 || w.high != 0 {
			padded++
		}
		if spread < 0 && w.size != 1 && w.low != 0 && w.low == w.high && w.size == 2*w.low+1 {
			spread = d
		}
	}
	if reduced != 1 || padded != 1 || spread < 0 || spread >= len(shape.Dims) || window[spread].low != shape.Dims[spread]-1 {
		return 0
	}
	return shape.Dims[spread]
}

// selectAndScatter: each source element is compared with all positions of its window but one, and scattered once.
func (p *pricer) selectAndScatter(i hlo.InstrID) Cost {
	sources := p.argElements(i, 1)
	selects := sources * (windowElements(p.window(i)) - 1)
	return p.callee(i, 0).work().times(selects).plus(p.callee(i, 1).work().times(sources))
}
