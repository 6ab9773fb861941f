package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

const (
	captureBegin = "*** Begin "
	captureEnd   = "*** End "
	captureMark  = " ***"
)

// expandLogs adds the files that XLA printed into logs. With --xla_dump_to=- it writes them to standard output as
//
//	*** Begin <name> ***
//	…
//	*** End <name> ***
func (d *Dump) expandLogs(ctx context.Context, files []*File) ([]*File, error) {
	all := slices.Clone(files)
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !isLogName(path.Base(f.Rel)) && len(files) > 1 {
			continue
		}
		if _, ok := parseFileName(path.Base(f.Rel)); ok {
			continue
		}
		var captured []*File
		err := Guard(func() (err error) {
			captured, err = d.captured(f)
			return err
		})
		if err != nil {
			d.problem(f.Path, "the log cannot be read: "+Reason(err), fixRead(err))
			all = slices.DeleteFunc(all, func(other *File) bool { return other == f })
		}
		all = append(all, captured...)
	}
	return all, nil
}

// captured lists the files printed into a log. The log stays in memory while the dump is open.
func (d *Dump) captured(log *File) ([]*File, error) {
	data, release, err := log.Bytes()
	if err != nil {
		return nil, err
	}
	var files []*File
	var ends map[string][]int
	for at := 0; ; {
		begin := bytes.Index(data[at:], []byte(captureBegin))
		if begin < 0 {
			break
		}
		if at += begin + len(captureBegin); ends == nil {
			ends = captureEnds(data)
		}
		line, rest, _ := bytes.Cut(data[at:], []byte("\n"))
		title, ok := bytes.CutSuffix(bytes.TrimRight(line, "\r"), []byte(captureMark))
		if !ok || !bytes.Contains(title, []byte("module_")) {
			continue // a stack trace is printed between such lines, too
		}
		name, start := string(title), len(data)-len(rest)
		end, ended := slices.BinarySearch(ends[name], start)
		if ended = ended || end < len(ends[name]); !ended {
			d.problem(log.Path, "the log ends inside of "+name+", which the compiler was printing", "the run that wrote it was cut off or is still writing: dump again")
			continue
		}
		body := data[start:ends[name][end]:ends[name][end]]
		at = ends[name][end]
		files = append(files, &File{Path: log.Path + "!" + name, Size: int64(len(body)), ModTime: log.ModTime, src: memorySource(body), Rel: log.Rel + "/" + name})
	}
	if len(files) == 0 {
		return nil, release()
	}
	log.Kind = KindLog
	d.closers = append(d.closers, release)
	return files, nil
}

// captureEnds returns where the files printed into a log end, by name.
func captureEnds(log []byte) map[string][]int {
	ends := map[string][]int{}
	for at := 0; ; {
		end := bytes.Index(log[at:], []byte(captureEnd))
		if end < 0 {
			return ends
		}
		at += end
		line, _, _ := bytes.Cut(log[at+len(captureEnd):], []byte("\n"))
		if name, _, ok := bytes.Cut(line, []byte(captureMark)); ok {
			ends[string(name)] = append(ends[string(name)], at)
		}
		at += len(captureEnd)
	}
}

// Field numbers of xplane.proto.
const (
	spacePlane       = 1
	planeName        = 2
	planeEvents      = 4 // map from an id to XEventMetadata
	mapValue         = 2
	eventKindName    = 2
	eventKindStat    = 5
	statBytes        = 6
	metadataPlane    = "/host:metadata"          // the plane with the compiled modules: one event metadata for each
	profiledEnd      = ".hlo_proto.pb"           // the suffix of the files that XProf and TensorBoard extract from a profile
	noModuleProfiled = "NO_MODULE" + profiledEnd // an empty file that marks a profile without modules
)

// takeProfiled reads modules from profiles if the dump has no others: a run directory of XProf or TensorBoard. Several hosts of a run
// compile the same modules; each is read from the first host that has it.
func (d *Dump) takeProfiled() {
	runs := map[string]map[string]bool{} // by folder: the modules that were read
	for _, trace := range d.Traces {
		if !strings.HasSuffix(cutCompression(trace.Rel), ".xplane.pb") {
			continue
		}
		var files []*File
		err := Guard(func() (err error) {
			files, err = d.profiled(trace)
			return err
		})
		if err != nil {
			d.problem(trace.Path, "the profile cannot be read: "+Reason(err), fixRead(err))
			continue
		}
		run := path.Dir(trace.Rel)
		if runs[run] == nil {
			runs[run] = map[string]bool{}
		}
		fresh := map[string]bool{}
		for _, f := range files {
			module, _, _ := strings.Cut(path.Base(f.Rel), "(")
			if fresh[module] = true; !runs[run][module] {
				f.limit = d.limit
				d.takeFile(f)
			}
		}
		for module := range fresh {
			runs[run][module] = true
		}
	}
}

// oneRun rejects a folder with several runs of the profiler: each compiled the model again, and together they look like recompilations.
func (d *Dump) oneRun() {
	found := map[string]bool{}
	for _, m := range d.Modules {
		for _, s := range m.Stages {
			f := s.anyFile()
			dir := path.Dir(f.Rel)
			if strings.HasSuffix(path.Dir(f.Rel), ".xplane.pb") {
				dir = path.Dir(dir)
			}
			if strings.HasSuffix(f.Rel, profiledEnd) {
				found[dir] = true
			}
		}
	}
	if runs := slices.Sorted(maps.Keys(found)); len(runs) > 1 {
		d.problem(d.Path, fmt.Sprintf("the folder holds %d runs of the profiler, from %s to %s", len(runs), runs[0], runs[len(runs)-1]), "name the folder of one run")
	}
}

// profiled lists the modules in a profile. The profile stays in memory while the dump is open.
func (d *Dump) profiled(trace *File) ([]*File, error) {
	data, release, err := trace.Bytes()
	if err != nil {
		return nil, err
	}
	var files []*File
	err = wire.Scan(data, wire.Fields{{spacePlane, "planes", func(plane []byte) error {
		if name, _ := wire.First(plane, planeName); string(name) == metadataPlane {
			files = append(files, trace.modulesIn(plane)...)
		}
		return nil
	}}})
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, release())
	}
	d.closers = append(d.closers, release)
	return files, nil
}

// modulesIn lists the modules in the metadata plane of a profile.
func (f *File) modulesIn(plane []byte) (files []*File) {
	for number, entry := range wire.Bodies(plane) {
		if number != planeEvents {
			continue
		}
		kind, _ := wire.First(entry, mapValue)
		name, _ := wire.First(kind, eventKindName)
		for number, stat := range wire.Bodies(kind) {
			if module, ok := wire.First(stat, statBytes); ok && number == eventKindStat && isHLOProto(module) {
				base := sanitize(string(name)) + profiledEnd
				files = append(files, &File{Path: f.Path + "!" + base, Size: int64(len(module)),
					ModTime: f.ModTime, Kind: KindHLOProto, src: memorySource(module), Rel: f.Rel + "/" + base})
			}
		}
	}
	return files
}
