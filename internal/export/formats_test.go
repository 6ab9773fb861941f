package export

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// Whatever a format is called, it has a line of help, and writes something of every real pair.
func TestEveryFormatWrites(t *testing.T) {
	if lines := strings.Split(About(), "\n"); len(lines) != len(Formats()) {
		t.Errorf("%d formats have %d lines of help", len(Formats()), len(lines))
	}
	pairs := map[string]*diff.Report{}
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-branch_lost", "tf-norm_gone"} {
		pairs[name] = compared(t, name)
	}
	for _, format := range Formats() {
		if !strings.Contains(About(), format+" ") {
			t.Errorf("%s has no line of help", format)
		}
		for name, d := range pairs {
			files := exported(t, d, format, Options{})
			if len(files) == 0 || len(files) > 1 && !Several(format) && format != "hlo" {
				t.Errorf("%s of %s are %d files", format, name, len(files))
			}
			for _, f := range files {
				if len(f.Data) == 0 || f.Name != strings.Trim(f.Name, "./") || strings.ContainsAny(f.Name, `\:`) {
					t.Errorf("%s of %s: %q has %d bytes", format, name, f.Name, len(f.Data))
				}
			}
		}
	}
}

// What became of the kernels of real pairs, counted by side and word.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[string]int
	}{
		{"cpu-forward_again", map[string]int{"after added": 6, "after changed": 1, "after same": 40, "before changed": 1, "before removed": 3, "before same": 40}},
		{"cpu-rename_all", map[string]int{"after same": 106, "before same": 106}},
		{"gpu-two_steps_at_once", map[string]int{"after added": 3, "after changed": 4, "after same": 4, "before changed": 4, "before removed": 1, "before same": 4}},
		{"tpu-branch_lost", map[string]int{"after added": 2, "after changed": 2, "after same": 1, "before changed": 2, "before removed": 5, "before same": 1}},
		{"tf-norm_gone", map[string]int{"after merged": 1, "after same": 3, "before merged": 2, "before removed": 1, "before same": 3}},
	} {
		rows, err := csv.NewReader(bytes.NewReader(exported(t, compared(t, c.name), "csv", Options{})[0].Data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, row := range rows[1:] {
			got[row[0]+" "+row[1]]++
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, wanted %v", c.name, got, c.want)
		}
	}
}

// Clusters that merged are compared all together, and are written each.
func TestClustersThatMergedAreModules(t *testing.T) {
	d := compared(t, "tf-norm_gone")
	if len(d.Programs) != 1 || len(d.Programs[0].Parts) == 0 {
		t.Fatalf("%d programs", len(d.Programs))
	}
	files := exported(t, d, "hlo", Options{})
	for i, p := range d.Programs[0].Parts {
		if m, err := hlo.ParseText(files[i].Data, files[i].Name); err != nil || files[i].Name != p.Name+".hlo" || m.Fingerprint() != p.Variants[0].Fingerprint {
			t.Errorf("%s: %s is another module: %v", p.Name, files[i].Name, err)
		}
	}
}

// A spreadsheet runs no formula that a dump holds.
func TestCell(t *testing.T) {
	for in, want := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "@SUM": "'@SUM", "add": "add", "-1": "-1", "": ""} {
		if got := cell(in); got != want {
			t.Errorf("%q is written as %q", in, got)
		}
	}
}

var (
	dotNode = regexp.MustCompile(`(?m)^ +"(\w+)" \[label="((?:[^"\\]|\\.)*)", tooltip="((?:[^"\\]|\\.)*)", fillcolor="([^"]*)"\];$`)
	dotEdge = regexp.MustCompile(`(?m)^ +"(\w+)" -> "(\w+)";$`)
)

// A drawing has every kernel of every side once, in frames that are closed, and edges between kernels of one side that it draws.
func TestDrawings(t *testing.T) {
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-branch_lost", "tf-norm_gone", "cpu-rename_all"} {
		d := compared(t, name)
		views, err := viewsOf(d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		kernels := map[string]int{} // by op_name
		for i := range views {
			for _, v := range views[i].sides {
				for _, p := range prices(v) {
					kernels[p.OpName]++
				}
			}
		}
		scopes := slices.SortedFunc(maps.Keys(kernels), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		for _, scope := range []string{"", scopes[0], "no/such/scope"} {
			text := string(exported(t, d, "dot", Options{Scope: scope})[0].Data)
			want := 0
			for opName, n := range kernels {
				if (Options{Scope: scope}).inScope(opName) {
					want += n
				}
			}
			nodes, colours := map[string]bool{}, map[string]bool{}
			for _, n := range dotNode.FindAllStringSubmatch(text, -1) {
				if nodes[n[1]] {
					t.Errorf("%s: %s is drawn twice", name, n[1])
				}
				nodes[n[1]], colours[n[4]] = true, true
			}
			if len(nodes) != want || colours[""] {
				t.Errorf("%s, scope %q: %d kernels are drawn, wanted %d", name, scope, len(nodes), want)
			}
			edges := dotEdge.FindAllStringSubmatch(text, -1)
			for _, e := range edges {
				if !nodes[e[1]] || !nodes[e[2]] || e[1][:strings.Index(e[1], "_")] != e[2][:strings.Index(e[2], "_")] {
					t.Errorf("%s: an edge from %s to %s", name, e[1], e[2])
				}
			}
			if scope == "" && len(edges) == 0 {
				t.Errorf("%s: nothing is joined", name)
			}
			bare := dotNode.ReplaceAllString(regexp.MustCompile(`label="(?:[^"\\]|\\.)*"`).ReplaceAllString(text, ""), "")
			if open, closed := strings.Count(bare, "{"), strings.Count(bare, "}"); open != closed {
				t.Errorf("%s: %d frames are opened and %d closed", name, open, closed)
			}
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{`a"b`: `"a\"b"`, `a\b`: `"a\\b"`, "a\nb": `"a\nb"`, "a\x00b": `"ab"`, "\xff": "\"\uFFFD\""} {
		if got := quoted(in); got != want {
			t.Errorf("%q is written as %s", in, got)
		}
	}
}

// protoFields splits a message: numbers by field, and bytes by field.
func protoFields(t *testing.T, data []byte) (numbers map[protowire.Number]uint64, parts map[protowire.Number][][]byte) {
	t.Helper()
	numbers, parts = map[protowire.Number]uint64{}, map[protowire.Number][][]byte{}
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		data = data[n:]
		switch kind {
		case protowire.VarintType:
			numbers[field], n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			var part []byte
			part, n = protowire.ConsumeBytes(data)
			parts[field] = append(parts[field], part)
		default:
			t.Fatalf("field %d has type %d", field, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		data = data[n:]
	}
	return numbers, parts
}

// timeline is what a trace shows: of each track its name, the slices with how long they last, and what a counter was at most.
type timeline struct {
	slices int
	spent  float64
	most   uint64
	notes  map[string]bool
}

func readTrace(t *testing.T, name string, data []byte) (out timeline) {
	t.Helper()
	out.notes = map[string]bool{}
	tracks, open := map[uint64]bool{}, map[uint64]uint64{}
	now := map[uint64]uint64{}
	_, trace := protoFields(t, data)
	for i, packet := range trace[tracePacket] {
		numbers, parts := protoFields(t, packet)
		if numbers[packetSequence] != 1 || (numbers[packetFlags] == 1) != (i == 0) {
			t.Errorf("%s: packet %d is of sequence %d with flags %d", name, i, numbers[packetSequence], numbers[packetFlags])
		}
		for _, d := range parts[packetDescriptor] {
			track, _ := protoFields(t, d)
			if parent := track[descriptorParent]; parent != 0 && !tracks[parent] {
				t.Errorf("%s: track %d is in %d, which is none", name, track[descriptorUUID], parent)
			}
			tracks[track[descriptorUUID]] = true
		}
		for _, e := range parts[packetEvent] {
			event, more := protoFields(t, e)
			track, at := event[eventTrack], numbers[packetTimestamp]
			if !tracks[track] || at < now[track] {
				t.Errorf("%s: an event of track %d at %d, after %d", name, track, at, now[track])
			}
			now[track] = at
			switch event[eventType] {
			case typeBegin:
				open[track]++
				out.slices++
				out.spent -= float64(at)
				for _, note := range more[eventAnnotations] {
					_, words := protoFields(t, note)
					out.notes[string(words[annotationName][0])] = true
				}
			case typeEnd:
				open[track]--
				out.spent += float64(at)
			case typeCounter:
				out.most = max(out.most, event[eventCounter])
			}
		}
	}
	for track, n := range open {
		if n != 0 {
			t.Errorf("%s: %d slices of track %d are open at the end", name, n, track)
		}
	}
	return out
}

// A trace has a slice for each launch, as long as it is predicted to run, and the memory that the facts say.
func TestTraces(t *testing.T) {
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-branch_lost", "cpu-psum_in_loop", "tf-norm_gone"} {
		d := alone(t, name)
		kernels, spent := 0, 0.0
		for _, p := range d.Programs {
			for _, v := range p.New.Variants {
				for _, k := range prices(v) {
					kernels++
					spent += k.NS()
				}
			}
		}
		got := readTrace(t, name, exported(t, d, "perfetto", Options{})[0].Data)
		if got.slices != kernels || math.Abs(got.spent-spent) > float64(kernels) || got.most == 0 {
			t.Errorf("%s: %d slices of %.0f ns, at most %d bytes; the facts have %d launches of %.0f ns", name, got.slices, got.spent, got.most, kernels, spent)
		}
		for _, note := range []string{"op_name", "operations", "out", "source", "bound by", "runs", "bytes", "flops"} {
			if !got.notes[note] && !(note == "source" && name == "tf-norm_gone") { // TensorFlow says none
				t.Errorf("%s: no slice says its %s", name, note)
			}
		}
		if none := readTrace(t, name, exported(t, d, "perfetto", Options{Scope: "no/such/scope"})[0].Data); none.slices != 0 {
			t.Errorf("%s: %d slices outside every scope", name, none.slices)
		}
		if both := readTrace(t, name, exported(t, compared(t, name), "perfetto", Options{})[0].Data); both.slices <= got.slices {
			t.Errorf("%s: both sides have %d slices, one of them %d", name, both.slices, got.slices)
		}
	}
}

func TestBoundBy(t *testing.T) {
	for want, once := range map[string]price.Time{
		"": {}, "launch": {Launch: 2, Compute: 1}, "compute": {Launch: 2, Compute: 3}, "memory": {Memory: 1}, "network": {Network: 5, Memory: 4}, "host": {Host: 9, Launch: 1},
	} {
		if got := boundBy(&facts.Priced{Once: once}); got != want {
			t.Errorf("%+v is bound by %s", once, got)
		}
	}
}

// A graph of one scope has its nodes only, and edges between them.
func TestGraphOfAScope(t *testing.T) {
	for _, name := range []string{"cpu-forward_again", "gpu-two_steps_at_once", "tpu-gathered"} {
		d := alone(t, name)
		for _, p := range d.Programs {
			for _, v := range p.New.Variants {
				whole := graphOf(v, Options{})
				seen := map[string]bool{}
				for i := range whole {
					opName := whole[i].opName()
					if opName == "" || seen[opName] {
						continue
					}
					seen[opName] = true
					o := Options{Scope: opName}
					part := graphOf(v, o)
					ids := map[string]bool{}
					for j := range part {
						ids[part[j].id] = true
						if !o.inScope(part[j].opName()) {
							t.Fatalf("%s: %s is not in %s", name, part[j].id, opName)
						}
					}
					if !ids[whole[i].id] || len(part) > len(whole) {
						t.Errorf("%s: the scope %s has %d nodes without %s", name, opName, len(part), whole[i].id)
					}
					for j := range part {
						if !all(part[j].inputs, ids) {
							t.Errorf("%s: an edge from outside of %s: %v", name, opName, part[j].inputs)
						}
					}
				}
			}
		}
	}
}

// A text that is cut out of a module has strings of the HLO's language.
func TestCString(t *testing.T) {
	if m, err := hlo.ParseText([]byte("HloModule m\n\nENTRY %e {\n  ROOT %a = f32[] parameter(0), metadata={op_name="+hlo.Quoted("a\"b\\c\nd")+"}\n}\n"), "m.txt"); err != nil {
		t.Error(err)
	} else if got := m.Metadata(m.Comps[m.Entry].Root).OpName; got != "a\"b\\c\nd" {
		t.Errorf("read back as %q", got)
	}
}

// What runs beside the other launches has a track of its own, where there is such.
func TestAsynchronousTrack(t *testing.T) {
	for name, want := range map[string]bool{"../facts/testdata/gpu-0.8.3-collectives.tar.gz": true, "../facts/testdata/tpu-v5e-sharded.tar.gz": true, "../facts/testdata/cpu-scan.tar.gz": false} {
		d := diff.Compare(&facts.Report{}, measured(t, name))
		apart, all := 0, 0
		for _, p := range d.Programs {
			for _, k := range prices(p.New.Variants[0]) {
				if all++; k.Async {
					apart++
				}
			}
		}
		data := exported(t, d, "perfetto", Options{})[0].Data
		if got := readTrace(t, name, data); got.slices != all || apart > 0 != want || bytes.Contains(data, []byte("asynchronous")) != want {
			t.Errorf("%s: %d slices of %d launches, %d of them asynchronous", name, got.slices, all, apart)
		}
	}
}
