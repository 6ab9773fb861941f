package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

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
		r.lineOf(at).spans = append(r.lineOf(at).spans, e.span(string(e.Args.Op), string(e.Args.Module)))
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
				s := e.span("", e.Name)
				r.lineOf(at).modules = append(r.lineOf(at).modules, s)
			}
		}
	}
	for at, l := range r.lines {
		l.device, l.name = r.processes[at[0]], r.threads[at]
	}
}
