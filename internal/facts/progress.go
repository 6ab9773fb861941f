package facts

import "sync"

// progress adds up how much was read, and tells until the end.
type progress struct {
	sync.Mutex
	read, total int64
	tell        func(read, total int64)
}

func newProgress(work []unit, opts Options) *progress {
	p := &progress{tell: opts.Progress}
	for _, u := range work {
		p.total += u.size
	}
	p.add(0)
	return p
}

func (p *progress) add(n int64) {
	p.Lock()
	defer p.Unlock()
	if p.read += n; p.tell != nil {
		p.tell(p.read, p.total)
	}
}

// end tells that nothing more will be read, whatever came of it.
func (p *progress) end() {
	p.Lock()
	defer p.Unlock()
	if p.tell != nil {
		p.tell(p.total, p.total)
	}
	p.tell = nil
}
