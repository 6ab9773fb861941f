package logs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/wire"
)

// span is one stretch of time on one line, in picoseconds.
type span struct {
	name       string // of the instruction
	function   string // that a command buffer launches; "" outside of those
	module     string // "" when the event does not say
	run        string
	start, end int64
}

// line is one row of a profile: a thread, a stream, or a row that the profiler derived.
type line struct {
	device  string
	name    string
	spans   []span // of HLO instructions
	modules []span // of whole modules, on rows that show them
}

// collector gathers lines.
type collector struct {
	lines []*line
}

func (c *collector) line(device, name string) *line {
	l := &line{device: device, name: name}
	c.lines = append(c.lines, l)
	return l
}

// The rows that the profiler derives from others on a device.
const (
	rowOps     = "XLA Ops"
	rowModules = "XLA Modules"
)

// fold sums the spans.
func (c *collector) fold() *Profile {
	t := &Profile{Modules: map[string]*ProfiledModule{}}
	runs, ran := map[string]map[string]bool{}, map[string][]span{} // the modules that each device ran, in order of time
	for _, l := range c.lines {
		ran[l.device] = append(ran[l.device], l.modules...)
	}
	for _, modules := range ran {
		slices.SortFunc(modules, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	}
	for _, l := range c.counted() {
		t.Devices = append(t.Devices, l.device)
		l.nameModules(ran[l.device])
		self := selfTimes(l.spans)
		for i, s := range l.spans {
			m := t.Modules[s.module]
			if m == nil {
				m = &ProfiledModule{Kernels: map[string]ProfiledKernel{}, Functions: map[string]ProfiledKernel{}}
				t.Modules[s.module], runs[s.module] = m, map[string]bool{}
			}
			in, name := m.Kernels, s.name
			if s.function != "" {
				in, name = m.Functions, s.function
			}
			own, k := picoseconds(self[i]), in[name]
			in[name] = ProfiledKernel{k.Count + 1, k.Total + picoseconds(s.end-s.start), k.Self + own}
			m.Time += own
			if s.run != "" {
				runs[s.module][l.device+" "+s.run] = true
			}
		}
	}
	for name, m := range t.Modules {
		for _, k := range m.Kernels {
			if k.Count == len(runs[name]) { // otherwise it is not plausible: TensorFlow gives every run the same id
				m.Runs = k.Count
			}
		}
	}
	slices.Sort(t.Devices)
	t.Devices = slices.Compact(t.Devices)
	return t
}

// counted selects the lines to count. A device shows the same instructions on its streams and on the derived row: the streams count if they name instructions.
func (c *collector) counted() []*line {
	streams := map[string]bool{}
	for _, l := range c.lines {
		if l.name != rowOps && len(l.spans) > 0 {
			streams[l.device] = true
		}
	}
	return phrase.Filter(c.lines, func(l *line) bool { return len(l.spans) > 0 && (l.name != rowOps || !streams[l.device]) })
}

// nameModules gives instructions without a module the one that the device ran at the time.
func (l *line) nameModules(ran []span) {
	for i := range l.spans {
		s := &l.spans[i]
		if s.module != "" {
			continue
		}
		at, _ := slices.BinarySearchFunc(ran, s.start+1, func(m span, start int64) int { return cmp.Compare(m.start, start) })
		if at > 0 && s.start < ran[at-1].end {
			s.module = ran[at-1].module
			s.run = ran[at-1].run
		}
	}
}

// selfTimes subtracts from each span the spans inside it on the same line. It sorts the spans by start.
func selfTimes(spans []span) []int64 {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	self := make([]int64, len(spans))
	var open []int
	for i, s := range spans {
		for len(open) > 0 && spans[open[len(open)-1]].end <= s.start {
			open = open[:len(open)-1]
		}
		self[i] = s.end - s.start
		if len(open) > 0 && spans[open[len(open)-1]].end >= s.end {
			self[open[len(open)-1]] -= s.end - s.start
		}
		open = append(open, i)
	}
	return self
}

func picoseconds(ps int64) time.Duration { return time.Duration(ps / 1000) }

// inCommandBuffer is the function that an event of an instruction launches, if that is no instruction but a command buffer of a GPU.
func inCommandBuffer(instruction, event string) string {
	if strings.HasPrefix(instruction, "command_buffer") {
		return event
	}
	return ""
}

// moduleName removes the program's id: "jit_train_step(4711)".
func moduleName(name string) string {
	open := strings.LastIndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") || strings.Trim(name[open+1:len(name)-1], "0123456789") != "" {
		return name
	}
	return name[:open]
}

// instructionName extracts the name from an instruction's text, "%fusion.3 = f32[8] fusion(…)".
func instructionName(text string) string {
	name, _, _ := strings.Cut(text, " = ")
	return strings.TrimPrefix(name, "%")
}

// Profile is the time that each HLO instruction of each module took.
type Profile struct {
	Modules map[string]*ProfiledModule // by their names in HloModule, without a program id; "" has what ran in no module
	Devices []string                   // the devices and host threads that HLO instructions ran on, sorted
}

// ProfiledModule holds the measurements of one HLO module.
type ProfiledModule struct {
	Runs      int // how often it ran, over all devices; 0 when the profile does not say
	Time      time.Duration
	Kernels   map[string]ProfiledKernel // by the instruction's name, without %
	Functions map[string]ProfiledKernel // what ran in command buffers, by the function: the profiler names no instruction of those
}

// ProfiledKernel holds the measurements of one instruction of an optimized module, over all devices.
type ProfiledKernel struct {
	Count int
	Total time.Duration // from start to end
	Self  time.Duration // without what ran inside of it: a while loop's body, a called computation
}

// ErrEmptyProfile is the error for a profile without HLO instructions: nothing that XLA compiled ran, or device tracing was off.
var ErrEmptyProfile = errors.New("the profile shows no HLO instruction; take it while the program runs compiled code")

// ReadProfile reads a profile of either kind: a Chrome trace (*.trace.json.gz) or an XSpace (*.xplane.pb), which jax.profiler and TensorBoard write.
func ReadProfile(data []byte) (*Profile, error) {
	head := bytes.TrimLeft(data, " \t\r\n")
	if len(head) == 0 {
		return nil, errors.New("the profile is empty")
	}
	c := &collector{}
	var err error
	if head[0] == '{' || head[0] == '[' {
		err = readChrome(head, c)
	} else {
		planes := 0
		err = wire.Scan(data, wire.Fields{{1, "planes", func(msg []byte) error {
			planes++
			return readPlane(msg, c)
		}}})
		if err == nil && planes == 0 {
			err = errors.New("not an XSpace: it holds no plane")
		}
	}
	if err != nil {
		return nil, err
	}
	t := c.fold()
	if len(t.Modules) == 0 {
		return nil, ErrEmptyProfile
	}
	return t, nil
}

// chromeEvent is one event of a Chrome trace, as far as it is read.
type chromeEvent struct {
	Phase    string  `json:"ph"`
	PID      int64   `json:"pid"`
	TID      int64   `json:"tid"`
	Start    float64 `json:"ts"` // microseconds
	Duration float64 `json:"dur"`
	Name     string  `json:"name"`
	Args     struct {
		Name   anyText `json:"name"` // of a process or thread
		Op     anyText `json:"hlo_op"`
		Module anyText `json:"hlo_module"`
		Run    anyText `json:"run_id"`
	} `json:"args"`
}

// anyText is a string; any other JSON value is kept as it is written.
type anyText string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *anyText) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		s = string(data)
	}
	*t = anyText(s)
	return nil
}

// chromeReader sorts events into lines; names of processes and threads may come after their events.
type chromeReader struct {
	collector *collector
	lines     map[[2]int64]*line
	processes map[int64]string
	threads   map[[2]int64]string
	loose     map[[2]int64][]chromeEvent // events without an instruction, until the thread's name tells what they are
}

// readChrome reads {"traceEvents": […]}, or just the array.
func readChrome(data []byte, c *collector) error {
	r := &chromeReader{collector: c, lines: map[[2]int64]*line{}, processes: map[int64]string{}, threads: map[[2]int64]string{},
		loose: map[[2]int64][]chromeEvent{}}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := seekEvents(d); err != nil {
		return chromeError(d, err)
	}
	for d.More() {
		var e chromeEvent
		if err := d.Decode(&e); err != nil {
			return chromeError(d, err)
		}
		r.event(&e)
	}
	if _, err := d.Token(); err != nil {
		return chromeError(d, err)
	}
	r.finish()
	return nil
}

func chromeError(d *json.Decoder, err error) error {
	return fmt.Errorf("byte %d: not a Chrome trace, or cut off: %w", d.InputOffset(), err)
}

// seekEvents moves to the first event.
func seekEvents(d *json.Decoder) error {
	first, err := d.Token()
	if err != nil || first == json.Delim('[') {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key != "traceEvents" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		open, err := d.Token()
		if err == nil && open != json.Delim('[') {
			err = errors.New("traceEvents is no list")
		}
		return err
	}
	return errors.New("it has no traceEvents")
}

func (r *chromeReader) event(e *chromeEvent) {
	at := [2]int64{e.PID, e.TID}
	switch {
	case e.Phase == "M" && e.Name == "process_name":
		r.processes[e.PID] = string(e.Args.Name)
	case e.Phase == "M" && e.Name == "thread_name":
		r.threads[at] = string(e.Args.Name)
	case e.Phase != "X":
	case e.Args.Op != "":
		s := e.span(string(e.Args.Op), string(e.Args.Module))
		s.function = inCommandBuffer(s.name, e.Name)
		r.lineOf(at).spans = append(r.lineOf(at).spans, s)
	case !strings.HasPrefix(e.Name, "$"): // Python's own stack
		if name, known := r.threads[at]; !known || name == rowOps || name == rowModules {
			r.loose[at] = append(r.loose[at], *e)
		}
	}
}

func (r *chromeReader) lineOf(at [2]int64) *line {
	if r.lines[at] == nil {
		r.lines[at] = r.collector.line("", "")
	}
	return r.lines[at]
}

func (e *chromeEvent) span(name, module string) span {
	start := int64(math.Round(e.Start * 1e6))
	return span{name: name, module: moduleName(module), run: string(e.Args.Run), start: start, end: start + int64(math.Round(e.Duration*1e6))}
}

// finish names the lines, and takes the events of derived rows for what they are.
func (r *chromeReader) finish() {
	for at, events := range r.loose {
		for i := range events {
			e := &events[i]
			switch r.threads[at] {
			case rowOps:
				r.lineOf(at).spans = append(r.lineOf(at).spans, e.span(instructionName(e.Name), ""))
			case rowModules:
				r.lineOf(at).modules = append(r.lineOf(at).modules, e.span("", e.Name))
			}
		}
	}
	for at, l := range r.lines {
		l.device, l.name = r.processes[at[0]], r.threads[at]
	}
}

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
	says          *span // what the statistics say; nil before they are read
}

// readPlane reads the metadata first, because it comes after the lines that need it: two maps, of the kinds of events and of the names of statistics.
func readPlane(msg []byte, c *collector) error {
	p, lines := &plane{collector: c, events: map[int64]*eventKind{}, stats: map[int64]string{}}, [][]byte(nil)
	eventKinds := func(msg []byte) error {
		id, k := int64(0), &eventKind{}
		kind := wire.Fields{{2, "name", &k.name}, {4, "display_name", &k.display}, {5, "stats", &k.stats}}
		err := wire.Scan(msg, wire.Fields{{1, "key", &id}, {2, "value", kind}})
		p.events[id] = k
		return err
	}
	statNames := func(msg []byte) error {
		id, name := int64(0), ""
		err := wire.Scan(msg, wire.Fields{{1, "key", &id}, {2, "value", wire.Fields{{2, "name", &name}}}})
		p.stats[id] = name
		return err
	}
	err := wire.Scan(msg, wire.Fields{{2, "name", &p.name}, {3, "lines", &lines}, {4, "event_metadata", eventKinds}, {5, "stat_metadata", statNames}})
	for i := 0; i < len(lines) && err == nil; i++ {
		err = p.line(lines[i])
	}
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
	if kind.says == nil {
		kind.says = &span{}
		if err := p.allStats(kind.says, kind.stats); err != nil {
			return err
		}
	}
	var s span
	if err := p.allStats(&s, stats); err != nil {
		return err
	}
	s.name, s.module, s.run = cmp.Or(s.name, kind.says.name), cmp.Or(s.module, kind.says.module), cmp.Or(s.run, kind.says.run)
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
		s.function = inCommandBuffer(s.name, kind.name)
		l.spans = append(l.spans, s)
	}
	return nil
}

func (p *plane) allStats(s *span, stats [][]byte) (err error) {
	for i := 0; i < len(stats) && err == nil; i++ {
		err = p.stat(s, stats[i])
	}
	return err
}

// stat reads one statistic, if it is one that matters. The first of a name counts.
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
