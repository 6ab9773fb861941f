package dump

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
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
	metadataPlane    = "/host:metadata"          // the plane with the compiled modules: one event metadata for each
	profiledEnd      = ".hlo_proto.pb"           // the suffix of the files that XProf and TensorBoard extract from a profile
	noModuleProfiled = "NO_MODULE" + profiledEnd // an empty file that marks a profile without modules
)

// takeProfiled reads modules from profiles if the dump has no others: a run directory of XProf or TensorBoard. Several hosts of a run
// compile the same modules; each is read from the first host that has it.
func (d *Dump) takeProfiled() {
	runs := map[string]map[string]bool{} // by folder: the modules that were read
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

// oneRun rejects a folder with several runs of the profiler: each compiled the model again, and together they look like recompilations.
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

// profiled lists the modules in a profile. The profile stays in memory while the dump is open.
func (d *Dump) profiled(trace *File) ([]*File, error) {
	data, release, err := trace.Bytes()
	if err != nil {
		return nil, err
	}
	var files []*File
	err = wire.Each(data, func(f wire.Field) error {
		if name, _ := wire.First(f.Bytes, planeName); f.Number == spacePlane && string(name) == metadataPlane {
			files = append(files, trace.modulesIn(f.Bytes)...)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, release())
	}
	d.closers = append(d.closers, closer(release))
	return files, nil
}

// modulesIn lists the modules in the metadata plane of a profile.
func (f *File) modulesIn(plane []byte) (files []*File) {
	for number, entry := range wire.Fields(plane) {
		if number != planeEvents {
			continue
		}
		kind, _ := wire.First(entry, mapValue)
		name, _ := wire.First(kind, eventKindName)
		for number, stat := range wire.Fields(kind) {
			if module, ok := wire.First(stat, statBytes); ok && number == eventKindStat && isHLOProto(module) {
				base := sanitize(string(name)) + profiledEnd
				files = append(files, &File{Path: f.Path + "!" + base, Size: int64(len(module)), ModTime: f.ModTime, Kind: KindHLOProto, src: memorySource(module), rel: f.rel + "/" + base})
			}
		}
	}
	return files
}
