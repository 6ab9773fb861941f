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
	quiet   bool    // what it writes is thrown away
	differs bool    // its exit code 1 says that the inputs differ
	saw     func(output string, s sample) (sample, sight, error)
}

var tools = []tool{
	{name: ours + "1", forms: []form{text, proto, dir}, command: facts("1"), saw: ownSight},
	{name: ours + "2", forms: []form{dir}, command: facts("2"), saw: ownSight},
	{name: "XLA's reader", forms: []form{text}, command: peer("xla"), memory: 13, saw: peerSight},
	{name: "XLA's reader", forms: []form{proto}, command: peer("xla"), memory: 27, saw: peerSight},
	{name: "Python protobuf", forms: []form{proto}, command: peer("protobuf"), memory: 12, saw: peerSight},
	{name: "grep -c ' = '", forms: []form{text}, command: plain("grep", "-c", " = ")},
	{name: "grep -rc ' = '", forms: []form{dir}, command: plain("grep", "-rc", " = ")},
	{name: "cat", forms: []form{text, proto}, command: plain("cat"), quiet: true},
	{name: "xlagate diff --jobs 1", forms: []form{pair}, command: difference},
	{name: "diff", forms: []form{pair}, command: plain("diff"), memory: 2, differs: true},
}

// ours is what the tools that are compared are compared with, with the number of jobs behind it.
const ours = "xlagate facts --jobs "

func facts(jobs string) func(bench, input) []string {
	return func(b bench, in input) []string {
		return append([]string{b.xlagate, "facts", "--jobs", jobs}, in.paths...)
	}
}

func difference(b bench, in input) []string {
	return append([]string{b.xlagate, "diff", "--jobs", "1"}, in.paths...)
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

func plain(args ...string) func(bench, input) []string {
	return func(_ bench, in input) []string { return append(args[:len(args):len(args)], in.paths...) }
}

// once runs a tool once.
func (t tool) once(b bench, in input) (sample, sight, error) {
	path := filepath.Join(b.work, "output")
	if t.quiet {
		path = os.DevNull
	} else {
		defer os.Remove(path)
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return sample{}, sight{}, err
	}
	defer out.Close()
	s, err := execute(t.command(b, in), out, t.differs)
	if err != nil || t.saw == nil {
		return s, sight{}, err
	}
	return t.saw(path, s)
}
