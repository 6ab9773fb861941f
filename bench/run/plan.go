package main

// plan is what is measured: sizes in megabytes, and dumps by the number of their modules.
type plan struct {
	sizes   []int64
	modules []int
}

var (
	whole = plan{sizes: []int64{500}, modules: []int{2000}}
	few   = plan{sizes: []int64{1, 10}, modules: []int{20}}
)

// maker makes an input, in a folder of its own.
type maker func(work string) (input, error)

// inputs are all that a plan asks for, and the real modules that were named.
func (p plan) inputs(named []string) []maker {
	var list []maker
	for _, path := range named {
		list = append(list, func(string) (input, error) { return realModule(path) })
	}
	for _, f := range []form{text, proto, pair} {
		for _, mb := range p.sizes {
			list = append(list, func(work string) (input, error) { return madeModule(work, f, mb) })
		}
	}
	for _, n := range p.modules {
		list = append(list, func(work string) (input, error) { return madeDump(work, n) })
	}
	return list
}
