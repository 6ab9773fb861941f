package dump

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of xplane.proto.
const (
	spacePlane       = 1
	planeName        = 2
	planeEvents      = 4 // map from an id to XEventMetadata
	mapValue         = 2
	eventKindName    = 2
	eventKindStat    = 5
	statBytes        = 6
	metadataPlane    = "/host:metadata"          // where the profiler keeps what was compiled: one kind of event for each module
	profiledEnd      = ".hlo_proto.pb"           // of the files that XProf and TensorBoard make of it when they show a run
	noModuleProfiled = "NO_MODULE" + profiledEnd // an empty file that says there was none
)

// takeProfiled takes the modules out of profiles, where nothing else holds any: a run directory of XProf or TensorBoard. Several hosts of a run
// compile the same modules; each is taken from the first that has it.
func (d *Dump) takeProfiled() {
	runs := map[string]map[string]bool{} // by folder: the modules that were taken
	for _, trace := range d.Traces {
		if !strings.HasSuffix(cutCompression(trace.rel), ".xplane.pb") {
			continue
		}
		var files []*File
		err := Guard(func() (err error) {
			files, err = d.profiled(trace)
			return err
		})
		if err != nil {
			d.problem(trace.Path, "the profile cannot be read: "+reason(err), fixRead(err))
			continue
		}
		run := path.Dir(trace.rel)
		if runs[run] == nil {
			runs[run] = map[string]bool{}
		}
		fresh := map[string]bool{}
		for _, f := range files {
			module, _, _ := strings.Cut(path.Base(f.rel), "(")
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

// oneRun refuses a folder with several runs of the profiler: each compiled the model anew, and together they look like recompilations.
func (d *Dump) oneRun() {
	var runs []string
	for _, m := range d.Modules {
		for _, s := range m.Stages {
			f := s.anyFile()
			dir := path.Dir(f.rel)
			if strings.HasSuffix(path.Dir(f.rel), ".xplane.pb") {
				dir = path.Dir(dir)
			}
			if strings.HasSuffix(f.rel, profiledEnd) && !slices.Contains(runs, dir) {
				runs = append(runs, dir)
			}
		}
	}
	if len(runs) > 1 {
		slices.Sort(runs)
		d.problem(d.Path, fmt.Sprintf("the folder holds %d runs of the profiler, from %s to %s", len(runs), runs[0], runs[len(runs)-1]), "name the folder of one run")
	}
}

// profiled lists the modules in a profile. It stays in memory while the dump is open.
func (d *Dump) profiled(trace *File) ([]*File, error) {
	data, release, err := trace.Bytes()
	if err != nil {
		return nil, err
	}
	var files []*File
	err = eachField(data, spacePlane, func(plane []byte) error {
		if name, _ := firstField(plane, planeName); string(name) != metadataPlane {
			return nil
		}
		return eachField(plane, planeEvents, func(entry []byte) error {
			kind, _ := firstField(entry, mapValue)
			name, _ := firstField(kind, eventKindName)
			return eachField(kind, eventKindStat, func(stat []byte) error {
				module, ok := firstField(stat, statBytes)
				if ok && isHLOProto(module) {
					base := sanitize(string(name)) + profiledEnd
					files = append(files, &File{Path: trace.Path + "!" + base, Size: int64(len(module)), ModTime: trace.ModTime, Kind: KindHLOProto, src: memorySource(module), rel: trace.rel + "/" + base})
				}
				return nil
			})
		})
	})
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, release())
	}
	d.closers = append(d.closers, closer(release))
	return files, nil
}

// eachField calls do with each length-delimited field of a number. A message that ends too early is an error.
func eachField(message []byte, number protowire.Number, do func([]byte) error) error {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("no profile, or cut off: %w", protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(num, typ, message[n:])
		if size < 0 {
			return fmt.Errorf("no profile, or cut off: %w", protowire.ParseError(size))
		}
		if num == number && typ == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[n:])
			if err := do(value); err != nil {
				return err
			}
		}
		message = message[n+size:]
	}
	return nil
}
