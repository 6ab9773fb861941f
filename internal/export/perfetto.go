package export

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/facts"
)

// The fields of Perfetto's protos that a trace of slices and counters needs, by message.
const (
	tracePacket = 1 // Trace

	packetTimestamp  = 8 // TracePacket
	packetSequence   = 10
	packetEvent      = 11
	packetFlags      = 13
	packetDescriptor = 60

	descriptorUUID    = 1 // TrackDescriptor
	descriptorName    = 2
	descriptorProcess = 3
	descriptorParent  = 5
	descriptorCounter = 8

	processPID  = 1 // ProcessDescriptor
	processName = 6

	counterUnit = 3 // CounterDescriptor
	unitBytes   = 3

	eventAnnotations = 4 // TrackEvent
	eventType        = 9
	eventTrack       = 11
	eventCategories  = 22
	eventName        = 23
	eventCounter     = 30

	annotationInt    = 4 // DebugAnnotation
	annotationString = 6
	annotationName   = 10

	typeBegin, typeEnd, typeCounter = 1, 2, 4
)

// perfetto writes a trace of each variant: the launches in sequence with their predicted durations, the asynchronous ones on a separate track, and
// the live memory.
func perfetto(views []view, o Options) ([]File, error) {
	t := &trace{}
	for i := range views {
		for side, variant := range views[i].sides {
			t.variant(&views[i], side, variant, o)
		}
	}
	return []File{{"trace.perfetto-trace", t.out}}, nil
}

type trace struct {
	out    []byte
	tracks uint64
}

func (t *trace) variant(v *view, side string, variant *facts.Variant, o Options) {
	name := v.name
	if side != "" {
		name += " (" + side + ")"
	}
	process := t.process(name)
	launches, apart := t.track(process, "launches, predicted"), uint64(0)
	count := t.memory(process, variant)
	now := 0.0
	for i, p := range prices(variant) {
		if !o.inScope(p.OpName) {
			continue
		}
		track := launches
		if p.Async {
			if apart == 0 {
				apart = t.track(process, "asynchronous")
			}
			track = apart
		}
		count(p.Name, now)
		t.slice(track, now, &p, called(p.Kernel, i))
		now += p.NS()
	}
}

// memory returns a function that records the bytes that are alive while an instruction runs.
func (t *trace) memory(process uint64, v *facts.Variant) func(instruction string, at float64) {
	schedule := v.Schedule()
	if schedule == nil {
		return func(string, float64) {}
	}
	track, live := t.counter(process, "memory alive"), schedule.Live()
	return func(instruction string, at float64) {
		if step := schedule.Step(instruction); step >= 0 {
			t.count(track, at, live[step])
		}
	}
}

// next is the id of a new track.
func (t *trace) next() uint64 {
	t.tracks++
	return t.tracks
}

func (t *trace) process(name string) uint64 {
	id := t.next()
	t.descriptor(id, 0, "", message(descriptorProcess, varint(processPID, id), text(processName, name)))
	return id
}

func (t *trace) track(parent uint64, name string) uint64 {
	id := t.next()
	t.descriptor(id, parent, name, nil)
	return id
}

func (t *trace) counter(parent uint64, name string) uint64 {
	id := t.next()
	t.descriptor(id, parent, name, message(descriptorCounter, varint(counterUnit, unitBytes)))
	return id
}

func (t *trace) descriptor(id, parent uint64, name string, more []byte) {
	fields := [][]byte{varint(descriptorUUID, id), more}
	if name != "" {
		fields = append(fields, text(descriptorName, name))
	}
	if parent != 0 {
		fields = append(fields, varint(descriptorParent, parent))
	}
	t.packet(message(packetDescriptor, fields...))
}

func (t *trace) slice(track uint64, from float64, p *facts.Priced, name string) {
	begin := [][]byte{varint(eventType, typeBegin), varint(eventTrack, track), text(eventName, name), text(eventCategories, p.Kind)}
	begin = append(begin, notes(p)...)
	t.packet(varint(packetTimestamp, uint64(from)), message(packetEvent, begin...))
	t.packet(varint(packetTimestamp, uint64(from+p.NS())), message(packetEvent, varint(eventType, typeEnd), varint(eventTrack, track)))
}

func (t *trace) count(track uint64, at float64, bytes int64) {
	t.packet(varint(packetTimestamp, uint64(at)), message(packetEvent,
		varint(eventType, typeCounter), varint(eventTrack, track), varint(eventCounter, uint64(bytes))))
}

// notes are the details of a selected launch.
func notes(p *facts.Priced) (list [][]byte) {
	word := func(name, value string) {
		if value != "" {
			list = append(list, message(eventAnnotations, text(annotationName, name), text(annotationString, value)))
		}
	}
	amount := func(name string, n float64) {
		list = append(list, message(eventAnnotations, text(annotationName, name), varint(annotationInt, uint64(n))))
	}
	word("op_name", p.OpName)
	word("operations", p.Do.String())
	word("out", p.Out)
	if p.Source.File != "" {
		word("source", p.Source.File+":"+strconv.Itoa(int(p.Source.Line)))
	}
	word("bound by", boundBy(p))
	amount("runs", p.Runs)
	amount("bytes", float64(p.Bytes))
	amount("flops", float64(p.Flops))
	return list
}

// boundBy is the part that takes most of the time.
func boundBy(p *facts.Priced) string {
	name, most := "", 0.0
	for _, part := range []struct {
		name string
		ns   float64
	}{{"launch", p.Once.Launch}, {"compute", p.Once.Compute}, {"memory", p.Once.Memory}, {"network", p.Once.Network}, {"host", p.Once.Host}} {
		if part.ns > most {
			name, most = part.name, part.ns
		}
	}
	return name
}

// packet adds a packet. All packets are of one sequence, whose first packet says that it has no earlier state.
func (t *trace) packet(fields ...[]byte) {
	fields = append(fields, varint(packetSequence, 1))
	if len(t.out) == 0 {
		fields = append(fields, varint(packetFlags, 1))
	}
	t.out = append(t.out, message(tracePacket, fields...)...)
}

func message(field protowire.Number, parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), body)
}

func text(field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), strings.ToValidUTF8(s, "\uFFFD"))
}

func varint(field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), n)
}
