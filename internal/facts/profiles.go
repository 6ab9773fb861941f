package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/profile"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

const fixProfile = "take the profile again, with jax.profiler.trace(DIR) or TensorBoard's, while the dumped program runs"

// profiled is what one profile says.
type profiled struct {
	File  string
	Trace *profile.Trace
}

// readProfiles reads the profiles in the dump, and those that lie outside; nil when there are none.
func readProfiles(d *dump.Dump, opts Options) ([]profiled, []Problem) {
	files := filesOf(d.Traces)
	if !opts.AllStages {
		files = nil
	}
	files = append(files, outside(files, opts.Profiles, dump.Limit(opts.MaxMemory))...)
	if len(files) == 0 {
		return nil, nil
	}
	read, problems := []profiled{}, []Problem{}
	for _, f := range oncePerHost(files) {
		var t *profile.Trace
		err := f.Read(func(data []byte) (err error) {
			t, err = profile.Read(data)
			return err
		})
		if err != nil {
			problems = append(problems, Problem{File: f.Path, Message: err.Error(), Fix: fixProfile})
			continue
		}
		read = append(read, profiled{f.Path, t})
	}
	return read, problems
}

// profileForms are how the files end that a profiler writes of one host: all say the same, the first say it whole.
var profileForms = []string{".xplane.pb", ".trace.json"}

// oncePerHost leaves out the files that say the same once more in another form.
func oncePerHost(files []tensorflow.File) []tensorflow.File {
	best, dirs := map[string]int{}, map[string]bool{}
	for _, f := range files {
		host, form := profileHost(f.Path)
		if old, seen := best[host]; !seen || form < old {
			best[host] = form
		}
		dirs[path.Dir(f.Path)] = dirs[path.Dir(f.Path)] || !isPerfetto(f.Path)
	}
	var once []tensorflow.File
	for _, f := range files {
		host, form := profileHost(f.Path)
		if form == best[host] && !(isPerfetto(f.Path) && dirs[path.Dir(f.Path)]) {
			once = append(once, f)
		}
	}
	slices.SortFunc(once, func(a, b tensorflow.File) int { return cmp.Compare(a.Path, b.Path) })
	return once
}

// profileHost is the host that a profile is of, with its directory, and the place of its form among those of one host.
func profileHost(file string) (host string, form int) {
	stem := strings.TrimSuffix(file, ".gz")
	for i, end := range profileForms {
		if host, ok := strings.CutSuffix(stem, end); ok {
			return host, i
		}
	}
	return file, 0
}

// isPerfetto tells the form that jax.profiler adds for all hosts together.
func isPerfetto(file string) bool { return strings.HasPrefix(path.Base(file), "perfetto_trace.json") }
