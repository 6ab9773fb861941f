package report

// linesOfCode says what a kernel's code takes of the device; of a kernel that only a log tells of, what it spills.
func (v kernelView) linesOfCode(l *jsonLines) {
	c := v.Code
	if c == nil {
		return
	}
	l.key("code")
	l.open('{')
	l.someNumber("registers", c.Registers)
	l.number("spill_store_bytes", c.SpillStores)
	if c.Registers > 0 {
		l.number("spill_load_bytes", c.SpillLoads)
		l.number("shared_bytes", c.Shared)
		l.number("barriers", c.Barriers)
	}
	if o, known := v.Occupancy(); known {
		l.amount("occupancy", o.Share())
		l.someText("limited_by", o.Limited)
	}
	l.close('}')
}
