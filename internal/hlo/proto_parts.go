package hlo

import "slices"

// protoParts reads the computations of a module in parts. It returns nothing where the file is not worth it, and where it is not as
// it should be: who reads it in one piece says what is wrong.
func (r Reader) protoParts(src []byte, file string) (*Module, error) {
	if r.parts(len(src)) < 2 {
		return nil, nil
	}
	first, body, all := newProtoReader(src, file), Range{}, moduleFields{}
	if caught(func() { body, all = first.findModule(); first.findSequences(all.schedule) }) != nil {
		return nil, nil
	}
	schedule, rest := first.schedule, []Range(nil)
	first.compact = r.Compact
	if caught(func() { rest = first.repeating(all.computations) }) != nil {
		return nil, nil
	}
	cut := cutBySize(rest, max(1, r.parts(len(src))))
	parts, whole := make([]*protoReader, 1+len(cut)), make([]bool, 1+len(cut))
	parts[0], whole[0] = first, true
	err := r.Share(len(cut), func(i int) {
		k, p := len(cut)-i, newProtoReader(src, file) // the last one first: the entry computation takes longest
		p.later, p.compact, p.schedule = true, r.Compact, schedule
		p.schedule.order, p.schedule.used = nil, make([]bool, len(schedule.used))
		parts[k], whole[k] = p, caught(func() { p.part(cut[k-1]) }) == nil
	})
	if err != nil || slices.Contains(whole, false) {
		return nil, err
	}
	return r.joinProto(parts, body, &all)
}

// repeating reads some computations, and more as long as these repeat each other: who begins in the middle of such a module does not
// know what is repeated. It returns the rest of them.
func (r *protoReader) repeating(computations []Range) (rest []Range) {
	r.prepare(computations)
	for i, c := range computations {
		if !r.repeats.often(int(c.Start), len(r.src)) {
			return computations[i:]
		}
		r.computation(c)
	}
	return nil
}

// cutBySize cuts a list into parts of about as many bytes.
func cutBySize(list []Range, parts int) (cut [][]Range) {
	size := 0
	for _, r := range list {
		size += r.Len()
	}
	first, sum := 0, 0
	for i, r := range list {
		if sum += r.Len(); sum >= size/parts || i == len(list)-1 {
			cut, first, sum = append(cut, list[first:i+1]), i+1, 0
		}
	}
	return cut
}

// joinProto puts the parts together. What no part could know is looked up: an id may be that of a computation in an earlier part.
func (r Reader) joinProto(parts []*protoReader, body Range, all *moduleFields) (*Module, error) {
	first, modules, resolved := parts[0], make([]*Module, len(parts)), make([][]CompID, len(parts))
	before := int32(0) // computations
	for k, p := range parts {
		modules[k] = p.m
		for _, id := range p.unresolved {
			c := first.computations.find(id)
			if c < 0 {
				return nil, nil
			}
			resolved[k] = append(resolved[k], CompID(c))
		}
		for _, s := range p.computations.slots {
			if k > 0 && s.index > 0 && !first.computations.add(s.id, before+s.index-1) {
				return nil, nil
			}
		}
		for at, used := range p.schedule.used {
			first.schedule.used[at] = first.schedule.used[at] || used
		}
		before += int32(len(p.m.Comps))
	}
	m, err := r.join(modules, &first.metadata, resolved)
	if m == nil || err != nil {
		return nil, err
	}
	m.Name = m.Text(all.name)
	if caught(func() { first.rest(body, all) }) != nil {
		return nil, nil
	}
	m.finish()
	return m, nil
}
