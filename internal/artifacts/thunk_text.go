package artifacts

import "strings"

// ReadThunks reads a .thunk_sequence.txt of any version.
func ReadThunks(data []byte) (*Thunks, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	r := thunkReader{lines: lines{rest: string(data)}, thunks: &Thunks{}}
	err := r.readSequence()
	if err == nil {
		err = r.checkEnd()
	}
	if err != nil {
		return nil, err
	}
	r.findIncomplete()
	r.thunks.lines = r.lines.n
	return r.thunks, nil
}

type thunkReader struct {
	lines  lines
	thunks *Thunks
	open   []openThunk  // the thunks around the next line
	named  int64        // the largest id that a line refers to
	parted map[int]bool // thunks with labelled parts, even empty ones
	empty  bool         // the file states that there is no thunk
}

// openThunk is a thunk with its indentation.
type openThunk struct{ indent, index int }

// checkEnd checks that the predecessors and successors that the newest versions print exist.
func (r *thunkReader) checkEnd() error {
	last := int64(-1)
	for i := range r.thunks.Thunks {
		last = max(last, r.thunks.Thunks[i].ID)
	}
	switch {
	case len(r.thunks.Thunks) == 0 && !r.empty:
		return r.lines.errorf("the file holds no thunk: it was cut off")
	case r.named > max(last, 0):
		return r.lines.errorf("the file ends before the thunk %03d, which another names: it was cut off", r.named)
	}
	return nil
}

func (r *thunkReader) readSequence() error {
	r.parted = map[int]bool{}
	for line := range r.lines.all() {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch text = strings.TrimRight(text, " "); text {
		case "No thunks.":
			r.empty = true
			continue
		case "":
			continue
		}
		if label, ok := strings.CutSuffix(text, ":"); ok && !strings.Contains(label, " ") {
			if err := r.label(label, indent); err != nil {
				return err
			}
			continue
		}
		if err := r.thunk(text, indent); err != nil {
			return err
		}
	}
	return nil
}

// label reads "condition:", "body:" and "branch_0:", which begin a part of the enclosing thunk. The first of them is
// not indented below its thunk.
func (r *thunkReader) label(label string, indent int) error {
	if label != "condition" {
		r.close(indent)
	}
	if len(r.open) == 0 {
		return r.lines.errorf("%q stands before the thunk that it is a part of", label)
	}
	r.parted[r.open[len(r.open)-1].index] = true
	return nil
}

// close drops the open thunks that do not enclose a line with this indentation.
func (r *thunkReader) close(indent int) {
	for len(r.open) > 0 && r.open[len(r.open)-1].indent >= indent {
		r.open = r.open[:len(r.open)-1]
	}
}

// thunk reads
//
//	001: kCustomKernel [source | next=002 (1)] loop_add_fusion grid: [1, 1, 1] threads: [128, 1, 1]  shared_memory: 0 bytes
func (r *thunkReader) thunk(text string, indent int) error {
	r.close(indent)
	t := Thunk{ID: -1, Parent: -1, Shared: -1}
	if id, rest, ok := cutInt(text); ok {
		t.ID = id
		if text, ok = strings.CutPrefix(rest, ": "); !ok {
			return r.lines.errorf("cannot read the thunk %q", text)
		}
	}
	t.Kind = text
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		t.Kind, text = text[:i], text[i:]
	} else {
		text = ""
	}
	if len(t.Kind) < 2 || t.Kind[0] != 'k' || t.Kind[1] < 'A' || t.Kind[1] > 'Z' {
		return r.lines.errorf("%q is no kind of thunk", t.Kind)
	}
	t.Class = classOf(t.Kind)
	if n := len(r.open); n > 0 {
		t.Parent = r.open[n-1].index
	}
	return r.add(t, strings.TrimLeft(text, " \t"), indent)
}

// add appends a thunk and reads the rest of its line: its launch, or the first thunk nested in it.
func (r *thunkReader) add(t Thunk, rest string, indent int) error {
	if edges, ok := strings.CutPrefix(rest, "["); ok {
		if edges, rest, ok = strings.Cut(edges, "]"); !ok {
			return r.lines.errorf("the dependencies of %s are not closed", t.Kind)
		}
		for _, end := range []string{"prev=", "next="} {
			_, named, _ := strings.Cut(edges, end)
			if id, _, ok := cutInt(named); ok {
				r.named = max(r.named, id)
			}
		}
		rest = strings.TrimLeft(rest, " ")
	}
	nested := ""
	if t.Kind == "kSequential" {
		nested, rest = rest, ""
	}
	if t.Class == ThunkKernel && !t.readLaunch(rest) {
		return r.lines.errorf("cannot read the launch %q", rest)
	}
	r.open = append(r.open, openThunk{indent: indent, index: len(r.thunks.Thunks)})
	r.thunks.Thunks = append(r.thunks.Thunks, t)
	if nested == "" {
		return nil
	}
	return r.thunk(nested, indent+2)
}

// readLaunch reads a kernel's launch in either form:
//
//	loop_add_fusion grid: [1, 1, 1] threads: [128, 1, 1]  shared_memory: 0 bytes
//	, kernel = loop_add_fusion, launch dimensions = blocks: {1, 1, 1}, threads/block: {128, 1, 1}, cluster_dim = nullopt
func (t *Thunk) readLaunch(s string) (ok bool) {
	f, grid, block := fields{s, true}, "grid: [", "threads: ["
	if f.has(", kernel = ") {
		t.Kernel, grid, block = f.until(", "), "blocks: {", "threads/block: {"
	} else if t.Kernel = f.until(" "); t.Kernel == "" {
		return false
	}
	f.until(grid)
	t.Grid = f.triple()
	f.until(block)
	t.Block = f.triple()
	if strings.Contains(f.rest, "shared_memory: ") {
		f.until("shared_memory: ")
		t.Shared = f.int()
	}
	return f.ok
}

// findIncomplete sets Incomplete if nested thunks were not printed.
func (r *thunkReader) findIncomplete() {
	holds := map[int]bool{}
	for i := range r.thunks.Thunks {
		holds[r.thunks.Thunks[i].Parent] = true
	}
	for i := range r.thunks.Thunks {
		switch r.thunks.Thunks[i].Kind {
		case "kConditional", "kCommandBuffer", "kWhile", "kSequential":
			if !holds[i] && !r.parted[i] {
				r.thunks.Incomplete = true
			}
		}
	}
}
