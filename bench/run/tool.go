package main

import (
	"os"
	"path/filepath"
)

// tool is something that reads an input.
type tool struct {
	name    string
	forms   []form
	command func(bench, input) []string
	memory  float64 // about how many times the input it holds
	saw     func(output string, s sample) (sample, sight, error)
}

var tools = []tool{
	{name: "xlagate facts", forms: []form{text, proto, dir}, command: own("facts"), saw: ownSight},
	{name: "XLA's reader", forms: []form{text}, command: peer("xla"), memory: 13, saw: peerSight},
	{name: "XLA's reader", forms: []form{proto}, command: peer("xla"), memory: 27, saw: peerSight},
	{name: "Python protobuf", forms: []form{proto}, command: peer("protobuf"), memory: 12, saw: peerSight},
	{name: "xlagate diff", forms: []form{pair}, command: own("diff")},
}

// own is a command of xlagate, on one core.
func own(name string) func(bench, input) []string {
	return func(b bench, in input) []string { return append([]string{b.xlagate, name, "--jobs", "1"}, in.paths...) }
}

// peer is a reader in peers.py. XLA's analysis of the cost takes its time, and its sums in 32 bits are not for large modules.
func peer(reader string) func(bench, input) []string {
	return func(b bench, in input) []string {
		args := append([]string{b.python, filepath.Join("bench", "run", "peers.py"), reader}, in.paths...)
		if in.bytes < 50e6 {
			args = append(args, "--cost")
		}
		return args
	}
}

// once runs a tool once.
func (t tool) once(b bench, in input) (sample, sight, error) {
	path := filepath.Join(b.work, "output")
	defer os.Remove(path)
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return sample{}, sight{}, err
	}
	defer out.Close()
	s, err := execute(t.command(b, in), out, false)
	if err != nil || t.saw == nil {
		return s, sight{}, err
	}
	return t.saw(path, s)
}
