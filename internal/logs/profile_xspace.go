package logs

import (
	"errors"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
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
	err := wire.Each(data, func(f wire.Field) error {
		if f.Number != spacePlane {
			return nil
		}
		planes++
		return readPlane(f.Bytes, c)
	})
	if err == nil && planes == 0 {
		err = errors.New("not an XSpace: it holds no plane")
	}
	return err
}

// readPlane reads the metadata first, because it comes after the lines that need it.
func readPlane(msg []byte, c *collector) error {
	p := &plane{collector: c, events: map[uint64]*eventKind{}, stats: map[uint64]string{}}
	err := wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case planeName:
			p.name = string(f.Bytes)
		case planeLine:
			p.lines = append(p.lines, f.Bytes)
		case planeEvents:
			return p.entry(f.Bytes, p.eventKind)
		case planeStats:
			return p.entry(f.Bytes, p.statName)
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
	err := wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case entryKey:
			id = f.Value
		case entryValue:
			content = f.Bytes
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
	return wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case metadataName:
			k.name = string(f.Bytes)
		case metadataDisplayName:
			k.display = string(f.Bytes)
		case metadataStat:
			k.stats = append(k.stats, f.Bytes)
		}
		return nil
	})
}

func (p *plane) statName(id uint64, msg []byte) error {
	return wire.Each(msg, func(f wire.Field) error {
		if f.Number == metadataName {
			p.stats[id] = string(f.Bytes)
		}
		return nil
	})
}

func (p *plane) line(msg []byte) error {
	l := p.collector.line(p.name, "")
	var start int64
	var events [][]byte
	err := wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case lineName:
			l.name = string(f.Bytes)
		case lineDisplayName:
			if l.name == "" {
				l.name = string(f.Bytes)
			}
		case lineTimestamp:
			start = int64(f.Value) * 1000
		case lineEvent:
			events = append(events, f.Bytes)
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
	err := wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case eventMetadata:
			kind = p.events[f.Value]
		case eventOffset:
			offset = int64(f.Value)
		case eventDuration:
			duration = int64(f.Value)
		case eventStat:
			return p.stat(&s, f.Bytes)
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
	err := wire.Each(msg, func(f wire.Field) error {
		switch f.Number {
		case statMetadata:
			name = p.stats[f.Value]
		case statText:
			text = string(f.Bytes)
		case statRef:
			text = p.stats[f.Value]
		case statUint, statInt:
			text = strconv.FormatUint(f.Value, 10)
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
