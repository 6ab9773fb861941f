package facts

import "slices"

// Identify gives the variants of stored reports their fingerprints. A baseline holds none: two branches that change two kernels could not merge them. A stored
// variant gets those of one on the other side with the same content, else its own content.
func Identify(old, fresh *Report) {
	identify(old, fresh)
	identify(fresh, old)
}

func identify(stored, measured *Report) {
	prints, inputs := map[string]string{}, map[string]string{}
	for v := range eachVariant(slices.Concat(measured.Programs, measured.Helpers)) {
		if v.Fingerprint != "" {
			prints[v.content()], inputs[v.givenContent()] = v.Fingerprint, v.InputPrint
		}
	}
	for v := range eachVariant(stored.Programs) {
		if v.Fingerprint != "" {
			continue
		}
		v.Fingerprint, v.InputPrint = v.content(), v.givenContent()
		if print, known := prints[v.Fingerprint]; known {
			v.Fingerprint = print
		}
		if print, known := inputs[v.InputPrint]; known && v.InputPrint != "" {
			v.InputPrint = print
		}
	}
}

// content hashes what a variant runs, without the names and the order of its kernels and without how they are wired.
func (v *Variant) content() string {
	var sum uint64
	for i := range v.Kernels {
		k := &v.Kernels[i]
		h := contentOf(uint64(max(1, k.Times))).number(uint64(k.Length)).number(uint64(k.MaxTrips))
		sum += uint64(h.text(k.Print).text(k.Branch))
	}
	for _, c := range v.Constants {
		sum += uint64(contentOf(uint64(c.Bytes)).text(c.Shape).text(c.Value))
	}
	h := contentOf(sum).text(v.Result)
	for _, p := range v.Params {
		h = h.text(p.Shape).text(p.Layout).text(p.Sharding).text(p.Constant)
	}
	return "content " + h.number(uint64(v.Facts[InstructionsAfter])).String()
}

// givenContent hashes the program that the framework handed over, likewise; "" where that was not dumped.
func (v *Variant) givenContent() string {
	var sum uint64
	for i := range v.Model {
		sum += v.Model[i].Print
	}
	if sum == 0 {
		return ""
	}
	h := contentOf(sum).text(v.Result)
	for _, p := range v.Params {
		h = h.text(p.Shape).text(p.Sharding).text(p.Constant)
	}
	for _, o := range v.Outputs {
		h = h.text(o.Split).text(o.Sharding)
	}
	return "content " + h.String()
}
