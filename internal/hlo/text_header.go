package hlo

// header reads the header behind the word HloModule, and reports whether it has attributes.
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
		p.list(i, p.alias)
	case "buffer_donor": // (2, {})
		p.list(i, func(i int) int {
			var d Donor
			d.Param, d.ParamIndex, i = p.parameterIndex(i)
			h.Donors = append(h.Donors, d)
			return p.expect(i, ')')
		})
	case "frontend_attributes":
		h.Attributes = make(map[string]string)
		for k, v := range p.t.dictionary(value) {
			h.Attributes[k] = v
		}
	}
}

// list reads a list in braces. It calls entry at each entry.
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

// shapeIndex reads {}, {0} or {1,0}.
func (p *textParser) shapeIndex(i int) (index []int64, end int) {
	end = p.list(i, func(i int) int {
		n, end := p.integer(i)
		index = append(index, n)
		return end
	})
	return index, end
}

// alias reads {0}: (2, {1}, must-alias). Old versions print no kind.
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

// parameterIndex reads (2, {1}.
func (p *textParser) parameterIndex(i int) (param int64, index []int64, end int) {
	param, i = p.integer(p.expect(i, '('))
	index, i = p.shapeIndex(p.expect(i, ','))
	return param, index, p.t.blanks(i)
}

// tables reads the stack-frame tables between the header and the first computation, if there are any.
func (p *textParser) tables(i int) int {
	p.stage = stageTables
	t := &p.m.frames
	for {
		i = p.t.blanks(i)
		switch {
		case p.t.word(i, "FileNames"):
			i = p.table(i, "FileNames", func(i int) int { return p.quoted(i, &t.files) })
		case p.t.word(i, "FunctionNames"):
			i = p.table(i, "FunctionNames", func(i int) int { return p.quoted(i, &t.functions) })
		case p.t.word(i, "FileLocations"):
			i = p.table(i, "FileLocations", func(i int) int {
				var l frameLocation
				i = p.row(i, rowFields{{"file_name_id", &l.file}, {"function_name_id", &l.function}, {"line", &l.line}, {"column", &l.column}})
				t.locations = append(t.locations, l)
				return i
			})
		case p.t.word(i, "StackFrames"):
			i = p.table(i, "StackFrames", func(i int) int { // XLA prints the proto's parent plus one, and 1 for no parent
				var f stackFrame
				i = p.row(i, rowFields{{"file_location_id", &f.location}, {"parent_frame_id", &f.parent}})
				f.parent--
				t.frames = append(t.frames, f)
				return i
			})
		default:
			return i
		}
	}
}

// table reads a table's name and its rows, which must be numbered from 1.
func (p *textParser) table(i int, name string, row func(i int) int) int {
	i = p.t.blanks(i + len(name))
	for want := int64(1); i < len(p.t) && '0' <= p.t[i] && p.t[i] <= '9'; want++ {
		n, end := p.integer(i)
		if n != want {
			p.fail(i, end, "expected row %d of %s", want, name)
		}
		i = p.t.blanks(row(p.t.blanks(end)))
	}
	return i
}

// rowFields says where the numbers of a row go.
type rowFields []struct {
	name string
	to   *int32
}

// row reads {key=1 key2=2}.
func (p *textParser) row(i int, fields rowFields) int {
	for i = p.expect(i, '{'); !p.t.at(i, '}'); i = p.t.blanks(i) {
		key := p.name(i, "a field of the row")
		n, after := p.integer(p.expect(key.end(), '='))
		for _, f := range fields {
			if f.name == string(p.t[key.at:key.end()]) {
				*f.to = int32(n)
			}
		}
		i = after
	}
	return i + 1
}

// quoted reads a string, with its escapes, to the end of a table.
func (p *textParser) quoted(i int, table *[]string) int {
	if !p.t.is(i, classQuote) {
		p.fail(i, i, "expected a string")
	}
	end := p.t.quoted(i)
	if end >= len(p.t) {
		p.fail(end, end, "")
	}
	*table = append(*table, unquote(p.t[i:end]))
	return end
}
