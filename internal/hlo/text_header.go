package hlo

// header reads what follows the word HloModule, and tells whether it has attributes.
func (p *textParser) header(i int) (end int, attributes bool) {
	i = p.t.blanks(i)
	end = i
	for end < len(p.t) && p.t[end] != ',' && !p.t.is(end, classBlank) {
		end++
	}
	p.m.Name = string(p.t[i:end])
	for {
		key, value, ok := p.t.attributeKey(end)
		if !ok {
			break
		}
		end, attributes = p.t.attributeValue(key, value), true
		p.headerAttribute(string(p.t[key.Start:key.End]), Range{uint32(value), uint32(end)})
	}
	if end >= len(p.t) {
		p.fail(end, end, "")
	}
	return end, attributes
}

func (p *textParser) headerAttribute(key string, value Range) {
	h, i := &p.m.Header, int(value.Start)
	switch key {
	case "is_scheduled":
		h.IsScheduled = p.m.Text(value) == "true"
	case "num_partitions":
		h.NumPartitions, _ = p.integer(i)
	case "replica_count":
		h.ReplicaCount, _ = p.integer(i)
	case "input_output_alias":
		p.list(i, func(i int) int { return p.alias(i) })
	case "buffer_donor":
		p.list(i, func(i int) int { return p.donor(i) })
	case "frontend_attributes":
		h.Attributes = make(map[string]string)
		for k, v := range p.t.dictionary(value) {
			h.Attributes[k] = v
		}
	}
}

// list takes a braced list, one entry after the other.
func (p *textParser) list(i int, entry func(i int) int) int {
	for i = p.expect(i, '{'); !p.t.at(i, '}'); {
		if i = p.t.blanks(entry(i)); p.t.at(i, ',') {
			i = p.t.blanks(i + 1)
		} else if !p.t.at(i, '}') {
			p.fail(i, i, "expected , or }")
		}
	}
	return i + 1
}

// shapeIndex takes {}, {0} or {1,0}.
func (p *textParser) shapeIndex(i int) (index []int64, end int) {
	end = p.list(i, func(i int) int {
		n, end := p.integer(i)
		index = append(index, n)
		return end
	})
	return index, end
}

// alias takes {0}: (2, {1}, must-alias). The kind is younger than the rest.
func (p *textParser) alias(i int) int {
	var a Alias
	a.Output, i = p.shapeIndex(i)
	i = p.expect(i, ':')
	a.Param, a.ParamIndex, i = p.parameterIndex(i)
	if p.t.at(i, ',') {
		start := p.t.blanks(i + 1)
		i = p.t.ident(start)
		a.Must = string(p.t[start:i]) == "must-alias"
	}
	p.m.Header.Aliases = append(p.m.Header.Aliases, a)
	return p.expect(i, ')')
}

// donor takes (2, {}).
func (p *textParser) donor(i int) int {
	var d Donor
	d.Param, d.ParamIndex, i = p.parameterIndex(i)
	p.m.Header.Donors = append(p.m.Header.Donors, d)
	return p.expect(i, ')')
}

// parameterIndex takes (2, {1} and leaves what follows.
func (p *textParser) parameterIndex(i int) (param int64, index []int64, end int) {
	param, i = p.integer(p.expect(i, '('))
	index, i = p.shapeIndex(p.expect(i, ','))
	return param, index, p.t.blanks(i)
}
