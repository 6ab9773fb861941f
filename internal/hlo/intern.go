package hlo

import "strconv"

// lookup finds a shape by the exact bytes it was spelled with: printed text or a serialized ShapeProto.
func (t *shapeTable) lookup(spelling []byte) (ShapeID, bool) {
	id, ok := t.byKey[string(spelling)]
	return id, ok
}

// remember makes lookup find id under one more spelling. A text and a serialized proto never collide: a module is read from
// one of them.
func (t *shapeTable) remember(spelling []byte, id ShapeID) {
	if t.byKey == nil {
		t.byKey = make(map[string]ShapeID)
	}
	t.byKey[string(spelling)] = id
}

// add interns a shape by value: equal shapes get one id. A layout that says no more than the default becomes "".
func (t *shapeTable) add(s Shape) ShapeID {
	if s.hasDefaultLayout() {
		s.Layout = ""
	}
	key := s.appendKey(make([]byte, 0, 64))
	if id, ok := t.lookup(key); ok {
		return id
	}
	id := ShapeID(len(t.list))
	t.list = append(t.list, s)
	t.remember(key, id)
	return id
}

// appendKey spells a shape's value; the # before an element's id keeps it apart from every printed spelling.
func (s *Shape) appendKey(key []byte) []byte {
	key = append(key, '#')
	key = strconv.AppendUint(key, uint64(s.Type), 10)
	for _, e := range s.Elements {
		key = append(key, '#')
		key = strconv.AppendInt(key, int64(e), 10)
	}
	for i, d := range s.Dims {
		key = append(key, ',')
		if i < 64 && s.Dynamic&(1<<i) != 0 {
			key = append(key, '<')
		}
		key = strconv.AppendInt(key, d, 10)
	}
	key = append(key, '{')
	return append(key, s.Layout...)
}

// hasDefaultLayout tells whether the layout is spelled out but descending and without properties.
func (s *Shape) hasDefaultLayout() bool {
	return s.Layout != "" && s.Layout == (&Shape{Dims: s.Dims}).layoutOrDefault()
}
