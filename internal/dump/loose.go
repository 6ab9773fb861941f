package dump

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// irSuffixes are how TensorFlow's compiler IR (tf.function.experimental_get_compiler_ir) is usually stored, by the stage asked for.
var irSuffixes = []string{
	".optimized_hlo_proto_serialized", ".optimized_hlo_serialized", ".optimized_hlo_dot", ".optimized_hlo",
	".hlo_serialized", ".hlo_no_metadata", ".hlo",
}

func irSuffix(base string) string {
	base = cutCompression(base)
	for _, s := range irSuffixes {
		if strings.HasSuffix(base, s) {
			return s
		}
	}
	return ""
}

// looseExtensions are cut off the name of a module file that somebody stored by hand.
var looseExtensions = []string{".hlo.pb", ".txt", ".pb", ".hlo", ".dot", ".html"}

// takeLoose makes modules of module files whose names are anybody's choice. Only a dump without others holds such modules: beside
// them a copy would count twice.
func (d *Dump) takeLoose() {
	var rest []*File
	for _, f := range d.Other {
		if !d.takeFile(f) {
			rest = append(rest, f)
		}
	}
	d.Other = rest
	for _, m := range d.Modules {
		d.settleLoose(m)
	}
	nameLoose(d.Modules)
}

// takeFile gives a module file to the module of its name.
func (d *Dump) takeFile(f *File) bool {
	switch f.Kind {
	case KindHLOText, KindHLOProto, KindBufferProto, KindDot, KindHTML, KindRiegeli:
	case KindFusionHLO: // by its name; a whole module may be called so
		if head, err := f.head(headSize); err != nil || sniff(head) != KindHLOText {
			return false
		}
		f.Kind = KindHLOText
	default:
		return false
	}
	base := cutCompression(path.Base(f.rel))
	suffix := irSuffix(base)
	stem := strings.TrimSuffix(base, suffix)
	if suffix == "" {
		for _, ext := range looseExtensions {
			if s, ok := strings.CutSuffix(base, ext); ok {
				stem = s
				break
			}
		}
	}
	d.looseModule(path.Dir(f.rel), stem).take(f, looseRole(f, suffix))
	return true
}

func looseRole(f *File, suffix string) role {
	switch {
	case f.Kind == KindBufferProto:
		return role{kind: f.Kind}
	case strings.HasPrefix(suffix, ".optimized_hlo"):
		return role{&Stage{Kind: StageAfter, Label: "optimized_hlo"}, f.Kind}
	}
	return role{&Stage{Kind: StageGiven, Label: "hlo"}, f.Kind}
}

func (d *Dump) looseModule(dir, stem string) *Module {
	for _, m := range d.Modules {
		if m.dir == dir && m.spelled == stem {
			return m
		}
	}
	m := &Module{Number: -1, dir: dir, spelled: stem}
	d.Modules = append(d.Modules, m)
	return m
}

// settleLoose finds the stage of a module whose files do not tell it: beside an optimized one it is the unoptimized, and a
// schedule is the mark of an optimized one.
func (d *Dump) settleLoose(m *Module) {
	d.readName(m)
	if m.Name == "" {
		m.Name = m.spelled
	}
	given := m.Stage(StageGiven)
	if given == nil {
		return
	}
	if m.Stage(StageAfter) != nil {
		given.Kind = StageBefore
	} else if given.Text != nil && isScheduled(given.Text) {
		given.Kind = StageAfter
	}
	m.sortStages()
}

func isScheduled(f *File) bool {
	head, err := f.head(1 << 16)
	line, _, _ := bytes.Cut(skipBlank(head), []byte("\n"))
	return err == nil && bytes.Contains(line, []byte("is_scheduled=true"))
}

// nameLoose gives loose modules the names of their files, with the directory where two are called alike.
func nameLoose(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		count[m.spelled]++
	}
	for _, m := range modules {
		m.ID = m.spelled
		if count[m.spelled] > 1 {
			m.ID = path.Join(m.dir, m.spelled)
		}
	}
	slices.SortFunc(modules, func(a, b *Module) int { return strings.Compare(a.ID, b.ID) })
}
