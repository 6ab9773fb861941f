package facts

import "sync"

// progress adds up how much was read.
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

// end tells that nothing more will be read, whatever came of it.
func (p *progress) end() { p.add(p.total - p.read) }

func (p *progress) add(n int64) {
	if p.tell == nil {
		return
	}
	p.Lock()
	defer p.Unlock()
	p.read += n
	p.tell(p.read, p.total)
}
