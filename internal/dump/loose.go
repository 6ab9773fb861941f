package dump

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// irWords are what TensorFlow calls the stages of its compiler IR (tf.function.experimental_get_compiler_ir), the longer of two that end
// alike first. People put them into the names of the files that they store these in.
var irWords = []string{
	"optimized_hlo_proto_serialized", "optimized_hlo_serialized", "optimized_hlo_dot", "optimized_hlo", "hlo_serialized", "hlo_no_metadata", "hlo",
}

// looseExtensions are cut off the name of a module file that somebody stored by hand.
var looseExtensions = []string{profiledEnd, ".hlo.pb", ".txt", ".pb", ".dot", ".html"}

// looseName splits a name that is anybody's choice into what is the module's and the stage of compiler IR that stands in it.
func looseName(base string) (stem, word string) {
	stem = cutCompression(base)
	for _, ext := range looseExtensions {
		if s, ok := strings.CutSuffix(stem, ext); ok {
			stem = s
			break
		}
	}
	const between = ".-_"
	for _, word := range irWords {
		switch before, ended := strings.CutSuffix(stem, word); {
		case ended && (before == "" || strings.ContainsAny(before[len(before)-1:], between)):
			return strings.TrimRight(before, between), word
		case strings.HasPrefix(stem, word) && strings.ContainsAny(stem[len(word):len(word)+1], between):
			return strings.TrimLeft(stem[len(word):], between), word
		}
	}
	return stem, ""
}

// takeLoose makes modules of module files whose names are anybody's choice. Only a dump without others holds such modules: beside
// them a copy would count twice.
func (d *Dump) takeLoose() {
	var rest []*File
	for _, f := range append(d.Other, d.writtenByHand()...) {
		if !d.takeFile(f) {
			rest = append(rest, f)
		}
	}
	d.Other = rest
	if len(d.Modules) == 0 {
		d.takeProfiled()
	}
	d.oneRun()
	for _, m := range d.Modules {
		d.settleLoose(m)
	}
	d.Modules = joinStages(d.Modules)
	nameLoose(d.Modules)
}

// anInstruction is what every HLO text holds: a shape, an operation and its operands.
var anInstruction = regexp.MustCompile(`\b[a-z][a-z0-9]*\[[0-9,<=?]*\](\{[^{}]*\})? [a-z][a-z0-9-]*\(`)

// isWrittenByHand tells HLO text without a header, which begins with a computation or an instruction.
func isWrittenByHand(f *File) bool {
	head, err := f.head(headSize)
	_, ofModule := parseFileName(path.Base(f.rel)) // a compiler's file of one computation
	return err == nil && !ofModule && isText(head) && anInstruction.Match(head)
}

// writtenByHand takes the file that was named by itself for HLO text without a header. In a directory it may be anything's.
func (d *Dump) writtenByHand() (files []*File) {
	if !d.Single {
		return nil
	}
	d.Unknown = slices.DeleteFunc(d.Unknown, func(f *File) bool {
		if !isWrittenByHand(f) {
			return false
		}
		f.Kind = KindHLOText
		files = append(files, f)
		return true
	})
	return files
}

// takeFile gives a module file to the module of its name.
func (d *Dump) takeFile(f *File) bool {
	switch f.Kind {
	case KindHLOText, KindHLOProto, KindDot, KindHTML, KindRiegeli:
	case KindFusionHLO: // by its name; a whole module may be called so
		if head, err := f.head(headSize); err != nil || sniff(head) != KindHLOText && !(d.Single && isWrittenByHand(f)) {
			return false
		}
		f.Kind = KindHLOText
	default:
		return false
	}
	stem, word := looseName(path.Base(f.rel))
	d.looseModule(path.Dir(f.rel), stem).take(f, looseRole(f, word))
	return true
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

// settleLoose names a module by what its files say. Of one that was stored as compiler IR of old the buffer assignment may be all there is.
func (d *Dump) settleLoose(m *Module) {
	if len(m.Stages) == 0 {
		d.takeBuffersAlone(m)
	}
	d.readName(m)
	if m.Name == "" {
		m.Name = cmp.Or(m.spelled, path.Base(m.Stages[0].anyFile().rel))
	}
	m.sortStages()
}

func (d *Dump) takeBuffersAlone(m *Module) {
	for i, f := range m.Companions {
		if f.Kind == KindBufferProto {
			m.Companions = slices.Delete(m.Companions, i, i+1)
			m.take(f, role{&Stage{Kind: StageBefore, Label: looseGiven}, KindHLOProto})
			return
		}
	}
}

// joinStages makes one module of two in a directory that have the same name, one of them before its optimization and one after it, if
// there is no other that could belong to either.
func joinStages(modules []*Module) []*Module {
	type compile struct{ dir, name string }
	byName := map[compile][]*Module{}
	for _, m := range modules {
		key := compile{m.dir, m.Name}
		byName[key] = append(byName[key], m)
	}
	return slices.DeleteFunc(modules, func(given *Module) bool {
		same := byName[compile{given.dir, given.Name}]
		if len(same) != 2 || given.Unoptimized() == nil || given.Stage(StageAfter) != nil {
			return false
		}
		final := same[0]
		if final == given {
			final = same[1]
		}
		if final.Stage(StageAfter) == nil || final.Unoptimized() != nil {
			return false
		}
		final.Stages, final.Companions = append(final.Stages, given.Stages...), append(final.Companions, given.Companions...)
		final.sortStages()
		return true
	})
}

// nameLoose gives loose modules the names of their files, with the directory where two are called alike, and their own names where those
// of the files say nothing but the stage.
func nameLoose(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		if m.spelled == "" {
			m.spelled = m.Name
		}
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

// The labels of stages whose files do not spell one.
const (
	looseGiven     = "hlo"
	looseOptimized = "optimized_hlo"
)

// looseRole tells a file's stage by what it holds; of one that holds no sign of it, and of a drawing, the stage in its name counts.
func looseRole(f *File, word string) role {
	final := strings.HasPrefix(word, looseOptimized)
	switch f.Kind {
	case KindHLOText, KindHLOProto:
		signs := f.signs()
		if f.Kind == KindHLOProto && signs.buffers && !signs.optimized {
			return role{kind: KindBufferProto}
		}
		if !final && !signs.optimized {
			return role{&Stage{Kind: StageBefore, Label: looseGiven}, f.Kind}
		}
	default:
		if !final {
			return role{&Stage{Kind: StageGiven, Label: looseGiven}, f.Kind}
		}
	}
	return role{&Stage{Kind: StageAfter, Label: looseOptimized}, f.Kind}
}

// signs are what in a module file tells how far its compilation went.
type signs struct {
	optimized bool // it has a schedule or a fusion: only the compiler makes those
	buffers   bool // a HloProto holds the buffer assignment
}

// signs reads a module file as far as it takes to tell. One that cannot be read has none: its reader says what is wrong with it.
func (f *File) signs() (s signs) {
	data, release, err := f.Bytes()
	if err != nil {
		return signs{}
	}
	err = Guard(func() error {
		if f.Kind == KindHLOText {
			s.optimized = textIsOptimized(data)
			return nil
		}
		module := data
		if inner, ok := wire.First(data, 1); ok && isHLOProto(inner) {
			module = inner
			_, s.buffers = wire.First(data, 3) // HloProto.buffer_assignment
		}
		s.optimized = protoIsOptimized(module)
		return nil
	})
	if err != nil || release() != nil {
		return signs{}
	}
	return s
}

func textIsOptimized(text []byte) bool {
	header, _, _ := bytes.Cut(skipBlank(text), []byte("\n"))
	return bytes.Contains(header, []byte("is_scheduled=true")) || bytes.Contains(text, []byte(" fusion("))
}

// protoIsOptimized looks for the schedule of a HloModuleProto, and for the opcode of a fusion as it lies in an HloInstructionProto.
func protoIsOptimized(module []byte) bool {
	_, scheduled := wire.First(module, 7)                                // HloModuleProto.schedule
	return scheduled || bytes.Contains(module, []byte("\x12\x06fusion")) // the field's tag, and the length
}
