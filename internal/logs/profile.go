package logs

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// span is one stretch of time on one line, in picoseconds.
type span struct {
	name       string // of the instruction
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

func newCollector() *collector { return &collector{} }

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
	runs := map[string]map[string]bool{}
	for _, l := range c.counted() {
		t.Devices = append(t.Devices, l.device)
		c.nameModules(l)
		self := selfTimes(l.spans)
		for i, s := range l.spans {
			m := t.Modules[s.module]
			if m == nil {
				m = &ProfiledModule{Kernels: map[string]ProfiledKernel{}}
				t.Modules[s.module], runs[s.module] = m, map[string]bool{}
			}
			k := m.Kernels[s.name]
			m.Kernels[s.name] = ProfiledKernel{k.Count + 1, k.Total + picoseconds(s.end-s.start), k.Self + picoseconds(self[i])}
			m.Time += picoseconds(self[i])
			if s.run != "" {
				runs[s.module][l.device+" "+s.run] = true
			}
		}
	}
	for name, m := range t.Modules {
		m.Runs = m.plausible(len(runs[name]))
	}
	slices.Sort(t.Devices)
	t.Devices = slices.Compact(t.Devices)
	return t
}

// plausible returns the number of runs if some instruction ran just as often: TensorFlow gives every run the same id.
func (m *ProfiledModule) plausible(runs int) int {
	for _, k := range m.Kernels {
		if k.Count == runs {
			return runs
		}
	}
	return 0
}

// counted selects the lines to count. A device shows the same instructions on its streams and on the derived row: the streams count if they name
// instructions.
func (c *collector) counted() []*line {
	streams := map[string]bool{}
	for _, l := range c.lines {
		if l.name != rowOps && len(l.spans) > 0 {
			streams[l.device] = true
		}
	}
	var out []*line
	for _, l := range c.lines {
		if len(l.spans) > 0 && (l.name != rowOps || !streams[l.device]) {
			out = append(out, l)
		}
	}
	return out
}

// nameModules gives instructions without a module the one that the device ran at the time.
func (c *collector) nameModules(l *line) {
	var ran []span
	for _, other := range c.lines {
		if other.device == l.device {
			ran = append(ran, other.modules...)
		}
	}
	slices.SortFunc(ran, func(a, b span) int { return cmp.Compare(a.start, b.start) })
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
	Runs    int // how often it ran, over all devices; 0 when the profile does not say
	Time    time.Duration
	Kernels map[string]ProfiledKernel // by the instruction's name, without %
}

// ProfiledKernel holds the measurements of one instruction of an optimized module, over all devices.
type ProfiledKernel struct {
	Count int
	Total time.Duration // from start to end
	Self  time.Duration // without what ran inside of it: a while loop's body, a called computation
}

// ErrEmptyProfile is the error for a profile without HLO instructions: nothing that XLA compiled ran, or device tracing was off.
var ErrEmptyProfile = errors.New("the profile shows no HLO instruction; take it while the program runs compiled code")

// ReadProfile reads a profile of either kind: a Chrome trace (*.trace.json.gz) or an XSpace (*.xplane.pb), which jax.profiler and
// TensorBoard write.
func ReadProfile(data []byte) (*Profile, error) {
	head := bytes.TrimLeft(data, " \t\r\n")
	if len(head) == 0 {
		return nil, errors.New("the profile is empty")
	}
	c := newCollector()
	var err error
	if head[0] == '{' || head[0] == '[' {
		err = readChrome(head, c)
	} else {
		err = readXSpace(data, c)
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
