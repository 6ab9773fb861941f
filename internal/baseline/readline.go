package baseline

import "strings"

// The lines of the form {key: value, …}: what is not there was empty.

// comma steps behind a value, to the next key or the end of the line.
func (r *reader) comma() {
	if !r.skip(", ") && !strings.HasPrefix(r.rest, "}") {
		r.fail()
	}
}

func (r *reader) text(key string) (value string) {
	if r.key(key) {
		value = r.scalar()
		r.comma()
	}
	return value
}

func (r *reader) number(key string) (value int64) {
	if r.key(key) {
		value = r.integer()
		r.comma()
	}
	return value
}

func (r *reader) yes(key string) (value bool) {
	if value = r.key(key); value {
		r.want("true")
		r.comma()
	}
	return value
}

func (r *reader) list(key string) (values []string) {
	if r.key(key) {
		values = r.scalars()
		r.comma()
	}
	return values
}

func (r *reader) counts(key string) map[string]int {
	var t table[int]
	if r.key(key) {
		for more := r.skip("{"); more; more = r.skip(", ") {
			t.add(r, func(r *reader) int { return int(r.integer()) })
		}
		r.want("}")
		r.comma()
	}
	return t.all
}

func (r *reader) amounts(key string) map[string]float64 {
	var t table[float64]
	if r.key(key) {
		for more := r.skip("{"); more; more = r.skip(", ") {
			t.add(r, (*reader).float)
		}
		r.want("}")
		r.comma()
	}
	return t.all
}

func (r *reader) kernel() (k kernelDoc) {
	r.want("{")
	k.Do = r.list("do")
	k.Kind = r.text("kind")
	k.Out = r.text("out")
	k.Op = r.text("op")
	k.Type = r.text("type")
	k.Root = r.text("root")
	k.In = r.list("in")
	k.Target = r.text("target")
	k.Function = r.text("function")
	k.Body = r.counts("body")
	k.Groups = r.text("groups")
	k.Axes = r.text("axes")
	k.Attrs = r.text("attrs")
	k.Config = r.list("config")
	k.Bytes = r.number("bytes")
	k.Flops = r.number("flops")
	k.Trips = r.number("trips")
	k.Guess = r.number("guess")
	k.Branch = r.text("branch")
	k.Length = r.number("length")
	k.Most = r.number("most")
	k.Stops = r.yes("stops")
	k.Counts = r.yes("counts")
	k.Loop = r.text("loop")
	k.InLoop = r.yes("in_loop")
	k.Inner = r.yes("inner")
	k.Fusion = r.yes("fusion")
	k.Class = r.text("class")
	k.Print = r.text("print")
	k.Family = r.text("family")
	k.Work = r.amounts("work")
	k.Times = int(r.number("times"))
	r.want("}")
	return k
}

func (r *reader) param() (p paramDoc) {
	r.want("{")
	p.Name = r.text("name")
	p.Shape = r.text("shape")
	p.Layout = r.text("layout")
	p.Sharding = r.text("sharding")
	p.Spec = r.text("spec")
	p.Bytes = r.number("bytes")
	p.Aliased = r.yes("aliased")
	p.Donated = r.yes("donated")
	p.Unused = r.yes("unused")
	p.Constant = r.text("constant")
	r.want("}")
	return p
}

func (r *reader) output() (o outputDoc) {
	r.want("{")
	o.Shape = r.text("shape")
	o.Split = r.text("split")
	o.Sharding = r.text("sharding")
	o.Spec = r.text("spec")
	o.Bytes = r.number("bytes")
	r.want("}")
	return o
}

func (r *reader) constant() (c constantDoc) {
	r.want("{")
	c.Shape = r.text("shape")
	c.Bytes = r.number("bytes")
	c.Value = r.text("value")
	c.Op = r.text("op")
	r.want("}")
	return c
}

func (r *reader) buffer() (b bufferDoc) {
	r.want("{")
	b.Bytes = r.number("bytes")
	b.Shape = r.text("shape")
	b.Op = r.text("op")
	r.want("}")
	return b
}

func (r *reader) statement() (m modelDoc) {
	r.want("{")
	m.Scope = r.text("scope")
	m.Type = r.text("type")
	m.Do = r.counts("do")
	r.want("}")
	return m
}
