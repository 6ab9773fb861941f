package hlo

// tables reads the stack-frame tables that may stand between the header and the first computation.
func (p *textParser) tables(i int) int {
	p.stage = stageTables
	for {
		i = p.t.blanks(i)
		switch {
		case p.t.word(i, "FileNames"):
			i = p.table(i, "FileNames", p.fileName)
		case p.t.word(i, "FunctionNames"):
			i = p.table(i, "FunctionNames", p.functionName)
		case p.t.word(i, "FileLocations"):
			i = p.table(i, "FileLocations", p.fileLocation)
		case p.t.word(i, "StackFrames"):
			i = p.table(i, "StackFrames", p.stackFrame)
		default:
			return i
		}
	}
}

// table takes a table's name and its numbered rows. A row is known by its number, so they must come in sequence.
func (p *textParser) table(i int, name string, row func(i int) int) int {
	i = p.t.blanks(i + len(name))
	for want := int64(1); i < len(p.t) && '0' <= p.t[i] && p.t[i] <= '9'; want++ {
		n, end := p.integer(i)
		if n != want {
			p.failf(i, end, "expected row %d of %s", want, name)
		}
		i = p.t.blanks(row(p.t.blanks(end)))
	}
	return i
}

func (p *textParser) fileName(i int) int {
	s, end := p.quoted(i)
	p.m.frames.files = append(p.m.frames.files, s)
	return end
}

func (p *textParser) functionName(i int) int {
	s, end := p.quoted(i)
	p.m.frames.functions = append(p.m.frames.functions, s)
	return end
}

func (p *textParser) fileLocation(i int) int {
	var l frameLocation
	i = p.row(i, func(key string, n int32) {
		switch key {
		case "file_name_id":
			l.file = n
		case "function_name_id":
			l.function = n
		case "line":
			l.line = n
		case "column":
			l.column = n
		}
	})
	p.m.frames.locations = append(p.m.frames.locations, l)
	return i
}

// stackFrame takes a frame. Its parent is printed as the proto's parent plus one, without a parent as 1.
func (p *textParser) stackFrame(i int) int {
	f := stackFrame{}
	i = p.row(i, func(key string, n int32) {
		switch key {
		case "file_location_id":
			f.location = n
		case "parent_frame_id":
			f.parent = n - 1
		}
	})
	p.m.frames.frames = append(p.m.frames.frames, f)
	return i
}

// row takes {key=1 key2=2}.
func (p *textParser) row(i int, field func(key string, n int32)) int {
	for i = p.expect(i, '{'); !p.t.at(i, '}'); i = p.t.blanks(i) {
		key := p.name(i, "a field of the row")
		n, after := p.integer(p.expect(key.end(), '='))
		field(p.m.Text(key.bounds()), int32(n))
		i = after
	}
	return i + 1
}

// quoted takes a string and undoes its escapes.
func (p *textParser) quoted(i int) (string, int) {
	if !p.t.is(i, classQuote) {
		p.fail(i, i, "expected a string")
	}
	end := p.t.quoted(i)
	if end >= len(p.t) {
		p.fail(end, end, "")
	}
	return unquote(p.t[i:end]), end
}
