package profile

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of xplane.proto.
const (
	spacePlane = 1

	planeName, planeLine, planeEvents, planeStats = 2, 3, 4, 5

	lineName, lineTimestamp, lineEvent, lineDisplayName = 2, 3, 4, 11

	eventMetadata, eventOffset, eventDuration, eventStat = 1, 2, 3, 4

	statMetadata, statUint, statInt, statText, statRef = 1, 3, 4, 5, 7

	entryKey, entryValue = 1, 2

	metadataName, metadataDisplayName, metadataStat = 2, 4, 5
)

// wire is one field's content: bytes or a number.
type wire struct {
	bytes  []byte
	number uint64
}

// fields calls each for every field of a message.
func fields(msg []byte, each func(number protowire.Number, w wire) error) error {
	for len(msg) > 0 {
		number, kind, n := protowire.ConsumeTag(msg)
		if n < 0 {
			return fmt.Errorf("not an XSpace, or cut off: %w", protowire.ParseError(n))
		}
		var w wire
		size := 0
		switch kind {
		case protowire.BytesType:
			w.bytes, size = protowire.ConsumeBytes(msg[n:])
		case protowire.VarintType:
			w.number, size = protowire.ConsumeVarint(msg[n:])
		default:
			size = protowire.ConsumeFieldValue(number, kind, msg[n:])
		}
		if size < 0 {
			return fmt.Errorf("not an XSpace, or cut off: %w", protowire.ParseError(size))
		}
		if err := each(number, w); err != nil {
			return err
		}
		msg = msg[n+size:]
	}
	return nil
}

// plane is one device or the host.
type plane struct {
	collector *collector
	name      string
	lines     [][]byte
	events    map[uint64]*eventKind
	stats     map[uint64]string // the names of statistics, which are also values that others refer to
}

// eventKind is what all events of one kind have in common.
type eventKind struct {
	name, display string
	stats         [][]byte
}

func readXSpace(data []byte, c *collector) error {
	planes := 0
	err := fields(data, func(number protowire.Number, w wire) error {
		if number != spacePlane {
			return nil
		}
		planes++
		return readPlane(w.bytes, c)
	})
	if err == nil && planes == 0 {
		err = fmt.Errorf("not an XSpace: it holds no plane")
	}
	return err
}

// readPlane reads the metadata first: it stands behind the lines that need it.
func readPlane(msg []byte, c *collector) error {
	p := &plane{collector: c, events: map[uint64]*eventKind{}, stats: map[uint64]string{}}
	err := fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case planeName:
			p.name = string(w.bytes)
		case planeLine:
			p.lines = append(p.lines, w.bytes)
		case planeEvents:
			return p.entry(w.bytes, p.eventKind)
		case planeStats:
			return p.entry(w.bytes, p.statName)
		}
		return nil
	})
	for _, l := range p.lines {
		if err == nil {
			err = p.line(l)
		}
	}
	return err
}

// entry reads one entry of a map by id.
func (p *plane) entry(msg []byte, value func(id uint64, msg []byte) error) error {
	var id uint64
	var content []byte
	err := fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case entryKey:
			id = w.number
		case entryValue:
			content = w.bytes
		}
		return nil
	})
	if err != nil {
		return err
	}
	return value(id, content)
}

func (p *plane) eventKind(id uint64, msg []byte) error {
	k := &eventKind{}
	p.events[id] = k
	return fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case metadataName:
			k.name = string(w.bytes)
		case metadataDisplayName:
			k.display = string(w.bytes)
		case metadataStat:
			k.stats = append(k.stats, w.bytes)
		}
		return nil
	})
}

func (p *plane) statName(id uint64, msg []byte) error {
	return fields(msg, func(number protowire.Number, w wire) error {
		if number == metadataName {
			p.stats[id] = string(w.bytes)
		}
		return nil
	})
}

func (p *plane) line(msg []byte) error {
	l := p.collector.line(p.name, "")
	var start int64
	var events [][]byte
	err := fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case lineName:
			l.name = string(w.bytes)
		case lineDisplayName:
			if l.name == "" {
				l.name = string(w.bytes)
			}
		case lineTimestamp:
			start = int64(w.number) * 1000
		case lineEvent:
			events = append(events, w.bytes)
		}
		return nil
	})
	for _, e := range events {
		if err == nil {
			err = p.event(l, start, e)
		}
	}
	return err
}

// event reads one event, if it shows an instruction or a module.
func (p *plane) event(l *line, start int64, msg []byte) error {
	var kind *eventKind
	var offset, duration int64
	var s span
	err := fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case eventMetadata:
			kind = p.events[w.number]
		case eventOffset:
			offset = int64(w.number)
		case eventDuration:
			duration = int64(w.number)
		case eventStat:
			return p.stat(&s, w.bytes)
		}
		return nil
	})
	if err != nil || kind == nil {
		return err
	}
	for _, stat := range kind.stats {
		if err := p.stat(&s, stat); err != nil {
			return err
		}
	}
	s.start, s.end = start+offset, start+offset+max(duration, 0)
	switch {
	case l.name == rowModules:
		s.module = moduleName(kind.name)
		l.modules = append(l.modules, s)
	case s.name == "" && l.name == rowOps:
		s.name = instructionName(kind.name)
		if kind.display != "" {
			s.name = strings.TrimPrefix(kind.display, "%")
		}
		l.spans = append(l.spans, s)
	case s.name != "":
		l.spans = append(l.spans, s)
	}
	return nil
}

// stat reads one statistic, if it is one that matters; the event's own come before those of its kind.
func (p *plane) stat(s *span, msg []byte) error {
	var name, text string
	err := fields(msg, func(number protowire.Number, w wire) error {
		switch number {
		case statMetadata:
			name = p.stats[w.number]
		case statText:
			text = string(w.bytes)
		case statRef:
			text = p.stats[w.number]
		case statUint, statInt:
			text = strconv.FormatUint(w.number, 10)
		}
		return nil
	})
	switch {
	case err != nil || text == "":
	case name == "hlo_op" && s.name == "":
		s.name = instructionName(text)
	case name == "hlo_module" && s.module == "":
		s.module = moduleName(text)
	case name == "run_id" && s.run == "":
		s.run = text
	}
	return err
}
