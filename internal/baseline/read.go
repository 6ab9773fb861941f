package baseline

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// read reads a file that stands exactly as Format writes it: in a gate over thousands of programs, YAML's way through events and
// nodes takes longer than the programs themselves. Whatever else stands there is YAML's to read or to refuse.
func read(data []byte) (*fileDoc, bool) {
	r, d := &reader{rest: string(data)}, &fileDoc{Schema: Schema}
	r.comment()
	r.want("schema: " + Schema + "\n")
	d.Program = r.pair("program")
	r.want("toolchain:\n")
	d.Toolchain = r.toolchain()
	d.Reason = r.pair("reason")
	r.want("variants:\n")
	for r.skip("  - signature: ") {
		d.Variants = append(d.Variants, r.variant())
	}
	return d, !r.failed && r.rest == ""
}

// comment steps over the line on top.
func (r *reader) comment() {
	r.want("# ")
	r.take(max(0, strings.IndexFunc(r.rest, hidden)))
	r.want("\n")
}

func (r *reader) toolchain() facts.Toolchain {
	return facts.Toolchain{
		Framework: r.pair("  framework"), Backend: r.pair("  backend"), Device: r.pair("  device"),
		Versions: r.pairs("  versions:\n"), Flags: r.pairs("  flags:\n"),
	}
}

func (r *reader) pair(key string) (value string) {
	if r.key(key) {
		value = r.scalar()
		r.want("\n")
	}
	return value
}

func (r *reader) pairs(key string) map[string]string {
	var t table[string]
	if r.skip(key) {
		for r.skip("    ") {
			t.add(r, (*reader).scalar)
			r.want("\n")
		}
	}
	return t.all
}

func (r *reader) variant() (v variantDoc) {
	v.Signature = r.scalar()
	r.want("\n")
	v.Result = r.pair("    result")
	v.Fingerprint = r.pair("    fingerprint")
	v.Input = r.pair("    input")
	v.Backend = r.pair("    backend")
	if r.key("    work") {
		v.Work = int(r.integer())
		r.want("\n")
	}
	if r.key("    compiles") {
		v.Compiles = int(r.integer())
		r.want("\n")
	}
	v.Unstable = listed(r, "    unstable:\n", (*reader).scalar)
	v.Params = listed(r, "    params:\n", (*reader).param)
	v.Outputs = listed(r, "    outputs:\n", (*reader).output)
	v.Facts = r.facts()
	v.Constants = listed(r, "    constants:\n", (*reader).constant)
	v.Buffers = listed(r, "    buffers:\n", (*reader).buffer)
	v.ModelAfter = r.skip("    model_after: true\n")
	v.Model = listed(r, "    model:\n", (*reader).statement)
	v.Kernels = listed(r, "    kernels:\n", (*reader).kernel)
	return v
}

// listed reads a list, one item a line.
func listed[T any](r *reader, key string, item func(*reader) T) (all []T) {
	if r.skip(key) {
		for r.skip("      - ") {
			all = append(all, item(r))
			r.want("\n")
		}
	}
	return all
}

func (r *reader) facts() facts.Values {
	var t table[float64]
	r.want("    facts:\n")
	for r.skip("      ") {
		t.add(r, (*reader).float)
		r.want("\n")
	}
	if t.all == nil {
		return nil
	}
	values := facts.Values{}
	for name, n := range t.all {
		values[facts.ID(name)] = n
	}
	return values
}
