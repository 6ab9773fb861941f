package facts

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Profile is what a profiler measured, joined with the kernels of the dump.
type Profile struct {
	Files   []string        `json:"files"`
	Devices []string        `json:"devices"` // devices and host threads that instructions ran on
	Time    time.Duration   `json:"time_ns"`
	Hot     []HotKernel     `json:"hot"`                  // by time of their own, longest first
	Unknown []UnknownModule `json:"not_dumped,omitempty"` // modules that ran and that the dump does not hold
	Runs    map[string]int  `json:"runs"`                 // how often a program ran, over all devices; absent where the profile does not say
}

// HotKernel is one instruction that ran, with the kernel that it is.
type HotKernel struct {
	Program   string        `json:"program"`
	Module    string        `json:"module"`              // as in HloModule
	Name      string        `json:"name"`                // the instruction
	Kernel    *Kernel       `json:"kernel,omitempty"`    // nil where the module launches no such instruction
	Ambiguous bool          `json:"ambiguous,omitempty"` // several compiles of the module have different kernels of that name: the time may be of any of them
	Buffered  bool          `json:"buffered,omitempty"`  // a command buffer launched it, and the profile says no more than Name: a function
	Alike     int           `json:"alike,omitempty"`     // how many more instructions launch that function
	Count     int           `json:"count"`
	Total     time.Duration `json:"total_ns"`
	Self      time.Duration `json:"self_ns"` // without what ran inside of it
}

// UnknownModule is a module that ran and was not dumped.
type UnknownModule struct {
	Name string        `json:"name"`
	Time time.Duration `json:"time_ns"`
}

// profileJoin joins traces with programs.
type profileJoin struct {
	profile *Profile
	modules map[string]*profiledModule
	hot     map[[2]string]*HotKernel // by module and instruction
	strange map[string]time.Duration
}

// profiledModule is what the dump knows of a module by the name that a trace calls it.
type profiledModule struct {
	program   string
	kernels   map[string]*Kernel
	several   map[string]bool
	functions map[string][]*Kernel // by what they launch on a GPU
}

func newProfileJoin(programs []*Program) *profileJoin {
	l := &profileJoin{
		profile: &Profile{Runs: map[string]int{}}, modules: map[string]*profiledModule{}, hot: map[[2]string]*HotKernel{}, strange: map[string]time.Duration{},
	}
	for v, p := range eachVariant(programs) {
		for _, c := range v.Compiles {
			l.know(p.Name, c.Name, v)
		}
	}
	return l
}

func (l *profileJoin) know(program, module string, v *Variant) {
	m := l.modules[module]
	if m == nil {
		m = &profiledModule{program: program, kernels: map[string]*Kernel{}, several: map[string]bool{}, functions: map[string][]*Kernel{}}
		l.modules[module] = m
	}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if other := m.kernels[k.Name]; other == nil {
			m.kernels[k.Name] = k
			m.functions[k.entry()] = append(m.functions[k.entry()], k)
		} else if other.Print != k.Print {
			m.several[k.Name] = true
		}
	}
}

// add takes over one trace.
func (l *profileJoin) add(file string, t *logs.Profile) {
	p := l.profile
	p.Files = append(p.Files, file)
	p.Devices = append(p.Devices, t.Devices...)
	for module, m := range t.Modules {
		p.Time += m.Time
		known := l.modules[module]
		if known == nil {
			l.strange[module] += m.Time
			continue
		}
		if m.Runs > 0 {
			p.Runs[known.program] += m.Runs
		}
		for name, k := range m.Kernels {
			l.kernel(known, module, name).ran(k)
		}
		for function, k := range m.Functions {
			l.function(known, module, function).ran(k)
		}
	}
}

func (h *HotKernel) ran(k logs.ProfiledKernel) {
	h.Count, h.Total, h.Self = h.Count+k.Count, h.Total+k.Total, h.Self+k.Self
}

// function is the kernel that launches a function. Kernels of equal code share one: it is the first of them.
func (l *profileJoin) function(known *profiledModule, module, function string) *HotKernel {
	launch := known.functions[function]
	if len(launch) == 1 {
		return l.kernel(known, module, launch[0].Name)
	}
	h := l.kernel(known, module, function)
	if h.Buffered = true; len(launch) > 1 {
		h.Kernel, h.Alike = launch[0], len(launch)-1
	}
	return h
}

func (l *profileJoin) kernel(known *profiledModule, module, name string) *HotKernel {
	key := [2]string{module, name}
	if l.hot[key] == nil {
		l.hot[key] = &HotKernel{Program: known.program, Module: module, Name: name, Kernel: known.kernels[name], Ambiguous: known.several[name]}
	}
	return l.hot[key]
}

// list is the profile of all traces that were added.
func (l *profileJoin) list() *Profile {
	for _, k := range l.hot {
		l.profile.Hot = append(l.profile.Hot, *k)
	}
	for name, spent := range l.strange {
		l.profile.Unknown = append(l.profile.Unknown, UnknownModule{Name: name, Time: spent})
	}
	l.profile.sort()
	return l.profile
}

// sort puts what took longest first.
func (p *Profile) sort() {
	slices.Sort(p.Devices)
	p.Devices = slices.Compact(p.Devices)
	slices.SortFunc(p.Hot, func(a, b HotKernel) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(p.Unknown, func(a, b UnknownModule) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name)) })
}

// merge joins the profiles of several dumps of one run.
func (p *Profile) merge(o *Profile) *Profile {
	switch {
	case p == nil:
		return o
	case o == nil:
		return p
	}
	all := &Profile{
		Files: slices.Concat(p.Files, o.Files), Devices: slices.Concat(p.Devices, o.Devices), Time: p.Time + o.Time,
		Hot: slices.Concat(p.Hot, o.Hot), Unknown: slices.Concat(p.Unknown, o.Unknown), Runs: maps.Clone(p.Runs),
	}
	for program, n := range o.Runs {
		all.Runs[program] += n
	}
	all.sort()
	return all
}

const fixProfile = "take the profile again, with jax.profiler.trace(DIR) or TensorBoard's, while the dumped program runs"

// addProfiles reads the profiles inside and outside the dump, and joins them with what was measured.
func (r *measurer) addProfiles(out *Report) {
	files := slices.Clone(r.dump.Traces)
	if !r.AllStages {
		files = nil
	}
	files = append(files, outside(files, inFolders(r.Profiles), dump.Limit(r.MaxMemory))...)
	if len(files) == 0 {
		return
	}
	l := newProfileJoin(slices.Concat(out.Programs, out.Helpers))
	for _, f := range oncePerHost(files) {
		err := f.Read(func(data []byte) error {
			t, err := logs.ReadProfile(data)
			if err == nil {
				l.add(f.Path, t)
			}
			return err
		})
		if err != nil {
			out.Problems = append(out.Problems, Problem{File: f.Path, Message: err.Error(), Fix: fixProfile})
		}
	}
	out.Profile = l.list()
}

// inFolders puts the profiles in a folder, as jax.profiler.trace fills one, in its place. One without any stays: it is told when it is read.
func inFolders(paths []string) (files []string) {
	for _, p := range paths {
		before := len(files)
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			_ = filepath.WalkDir(p, func(at string, _ fs.DirEntry, err error) error {
				if _, form := profileHost(at); err == nil && form < len(profileForms) {
					files = append(files, at)
				}
				return nil
			})
		}
		if len(files) == before {
			files = append(files, p)
		}
	}
	return files
}

// profileForms are how the files end that a profiler writes of one host: all say the same, the first say it whole.
var profileForms = []string{".xplane.pb", ".trace.json"}

// oncePerHost leaves out the files that say the same once more in another form.
func oncePerHost(files []*dump.File) []*dump.File {
	best, dirs := map[string]int{}, map[string]bool{}
	for _, f := range files {
		host, form := profileHost(f.Path)
		if old, seen := best[host]; !seen || form < old {
			best[host] = form
		}
		dirs[path.Dir(f.Path)] = dirs[path.Dir(f.Path)] || !isPerfetto(f.Path)
	}
	once := phrase.Filter(files, func(f *dump.File) bool {
		host, form := profileHost(f.Path)
		return form == best[host] && !(isPerfetto(f.Path) && dirs[path.Dir(f.Path)])
	})
	slices.SortFunc(once, func(a, b *dump.File) int { return cmp.Compare(a.Path, b.Path) })
	return once
}

// profileHost is the host that a profile is of, with its directory, and the place of its form among those of one host. A file of another form stands for itself.
func profileHost(file string) (host string, form int) {
	stem := strings.TrimSuffix(file, ".gz")
	for i, end := range profileForms {
		if host, ok := strings.CutSuffix(stem, end); ok {
			return host, i
		}
	}
	return file, len(profileForms)
}

// isPerfetto tells the form that jax.profiler adds for all hosts together.
func isPerfetto(file string) bool { return strings.HasPrefix(path.Base(file), "perfetto_trace.json") }
