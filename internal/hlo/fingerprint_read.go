package hlo

import "bytes"

// attrReader walks attributes without making strings of their values.
type attrReader struct {
	proto attrPrinter
	keys  map[string]string // the keys of a text, each made a string once
}

// each yields what Attrs would yield. A value is only valid until yield returns.
func (r *attrReader) each(m *Module, i InstrID, yield func(key string, value []byte) bool) {
	if m.Format == FormatProto {
		r.proto.print(m, i, yield)
		return
	}
	for key, value := range m.ownAttributes(i) {
		k := r.key(m.src[key.Start:key.End])
		if !yield(k, spelledValue(k, m.src[value.Start:value.End])) {
			return
		}
	}
}

func (r *attrReader) key(spelling []byte) string {
	if key, known := r.keys[string(spelling)]; known {
		return key
	}
	if r.keys == nil {
		r.keys = make(map[string]string)
	}
	key := string(spelling)
	r.keys[key] = key
	return key
}

// unquoted is a value without its quotes; only one with escapes is copied.
func unquoted(value []byte) []byte {
	switch {
	case len(value) < 2 || class[value[0]]&classQuote == 0:
		return value
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1]
	}
	return []byte(unquote(value))
}
