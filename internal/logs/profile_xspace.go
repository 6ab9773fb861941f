package logs

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// plane is one device or the host.
type plane struct {
	collector *collector
	name      string
	events    map[int64]*eventKind
	stats     map[int64]string // the names of statistics, which are also values that others refer to
}

// eventKind is what all events of one kind have in common.
type eventKind struct {
	name, display string
	stats         [][]byte
}

func readXSpace(data []byte, c *collector) error {
	planes := 0
	err := wire.Scan(data, wire.Fields{{1, "planes", func(msg []byte) error {
		planes++
		return readPlane(msg, c)
	}}})
	if err == nil && planes == 0 {
		err = errors.New("not an XSpace: it holds no plane")
	}
	return err
}

// readPlane reads the metadata first, because it comes after the lines that need it.
func readPlane(msg []byte, c *collector) error {
	p, lines := &plane{collector: c, events: map[int64]*eventKind{}, stats: map[int64]string{}}, [][]byte(nil)
	err := wire.Scan(msg, wire.Fields{{2, "name", &p.name}, {3, "lines", &lines}, {4, "event_metadata", p.eventKind}, {5, "stat_metadata", p.statName}})
	for i := 0; i < len(lines) && err == nil; i++ {
		err = p.line(lines[i])
	}
	return err
}

// eventKind reads an entry of the map of kinds of events.
func (p *plane) eventKind(msg []byte) error {
	id, k := int64(0), &eventKind{}
	kind := wire.Fields{{2, "name", &k.name}, {4, "display_name", &k.display}, {5, "stats", &k.stats}}
	err := wire.Scan(msg, wire.Fields{{1, "key", &id}, {2, "value", kind}})
	p.events[id] = k
	return err
}

// statName reads an entry of the map of names of statistics.
func (p *plane) statName(msg []byte) error {
	id, name := int64(0), ""
	err := wire.Scan(msg, wire.Fields{{1, "key", &id}, {2, "value", wire.Fields{{2, "name", &name}}}})
	p.stats[id] = name
	return err
}

func (p *plane) line(msg []byte) error {
	var name, display string
	var start int64 // in nanoseconds
	var events [][]byte
	err := wire.Scan(msg, wire.Fields{{2, "name", &name}, {3, "timestamp_ns", &start}, {4, "events", &events}, {11, "display_name", &display}})
	l := p.collector.line(p.name, cmp.Or(name, display))
	for i := 0; i < len(events) && err == nil; i++ {
		err = p.event(l, start*1000, events[i])
	}
	return err
}

// event reads one event, if it shows an instruction or a module.
func (p *plane) event(l *line, start int64, msg []byte) error {
	var metadata, offset, duration int64
	var stats [][]byte
	err := wire.Scan(msg, wire.Fields{{1, "metadata_id", &metadata}, {2, "offset_ps", &offset}, {3, "duration_ps", &duration}, {4, "stats", &stats}})
	kind := p.events[metadata]
	if err != nil || kind == nil {
		return err
	}
	var s span
	for _, stat := range append(stats, kind.stats...) {
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
	var id int64
	var numbers, refs []int64
	var text string
	err := wire.Scan(msg, wire.Fields{
		{1, "metadata_id", &id}, {3, "uint64_value", &numbers}, {4, "int64_value", &numbers}, {5, "str_value", &text}, {7, "ref_value", &refs},
	})
	name := p.stats[id]
	switch {
	case len(refs) > 0:
		text = p.stats[refs[0]]
	case len(numbers) > 0:
		text = strconv.FormatUint(uint64(numbers[0]), 10)
	}
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
