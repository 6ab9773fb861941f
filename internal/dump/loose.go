package dump

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// irWords are TensorFlow's names of the stages of its compiler IR, which people use in file names, the longer of two that end alike first.
var irWords = []string{
	"optimized_hlo_proto_serialized", "optimized_hlo_serialized", "optimized_hlo_dot", "optimized_hlo", "hlo_serialized", "hlo_no_metadata", "hlo",
}

// looseExtensions are the extensions of module files that a user stored.
var looseExtensions = []string{profiledEnd, ".hlo.pb", ".txt", ".pb", ".dot", ".html"}

// looseName splits a file name that a user chose into the module's name and the stage of compiler IR.
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

// takeLoose makes modules from module files whose names a user chose, if the dump has no other modules: beside those a copy would count twice.
func (d *Dump) takeLoose() {
	d.loose = map[[2]string]*Module{}
	d.Other = slices.DeleteFunc(append(d.Other, d.writtenByHand()...), d.takeFile)
	if len(d.Modules) == 0 {
		d.takeProfiled()
	}
	d.oneRun()
	for _, m := range d.Modules {
		if len(m.Stages) == 0 {
			d.takeBuffersAlone(m)
		}
		d.readName(m)
		if m.Name == "" {
			m.Name = cmp.Or(m.Spelled, path.Base(m.Stages[0].anyFile().Rel))
		}
		m.sortStages()
		number := 0
		for i := range m.Stages {
			if m.Stages[i].Kind == StagePass { // the files count the passes of all modules together, or in microseconds
				m.Stages[i].Pass.Number = number
				number++
			}
		}
	}
	type compile struct{ dir, name string }
	byName := map[compile][]*Module{}
	for _, m := range d.Modules {
		key := compile{m.Dir, m.Name}
		byName[key] = append(byName[key], m)
	}
	d.Modules = slices.DeleteFunc(d.Modules, func(given *Module) bool {
		same := byName[compile{given.Dir, given.Name}]
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
	nameLoose(d.Modules)
}

// anInstruction matches an instruction of HLO text: a shape, an operation and its operands.
var anInstruction = regexp.MustCompile(`\b[a-z][a-z0-9]*\[[0-9,<=?]*\](\{[^{}]*\})? [a-z][a-z0-9-]*\(`)

// beginsHLO matches the beginning of a computation or an instruction.
var beginsHLO = regexp.MustCompile(`^(ENTRY|ROOT|%?[\w.-]+\s*[=({])`)

// isWrittenByHand reports whether a file is HLO text without a header, which begins with a computation or an instruction.
func isWrittenByHand(f *File) bool {
	head, err := f.head(headSize)
	_, ofModule := parseFileName(path.Base(f.Rel)) // the compiler's file of one computation
	return err == nil && !ofModule && isText(head) && beginsHLO.Match(skipBlank(head)) && anInstruction.Match(head)
}

// writtenByHand treats a single file as HLO text without a header. Directories are excluded: there such a file may be anything.
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

// takeFile adds a module file to the module of its name.
func (d *Dump) takeFile(f *File) bool {
	switch f.Kind {
	case KindHLOText, KindHLOProto, KindDot, KindHTML, KindRiegeli:
	case KindFusionHLO: // recognized by name; a whole module may have it too
		if head, err := f.head(headSize); err != nil || sniff(head) != KindHLOText && !(d.Single && isWrittenByHand(f)) {
			return false
		}
		f.Kind = KindHLOText
	default:
		return false
	}
	if module, pass, ok := formerPass(f); ok {
		d.looseModule(path.Dir(f.Rel), module).take(f, role{&pass, f.Kind})
		return true
	}
	stem, word := looseName(path.Base(f.Rel))
	d.looseModule(path.Dir(f.Rel), stem).take(f, looseRole(f, word))
	return true
}

// The names of files that XLA wrote before 2019, one for every pass, and the title of such a drawing. They hold no module name.
var (
	formerText    = regexp.MustCompile(`^(\d+)-after (.+), before (.+)$`)
	formerDrawing = regexp.MustCompile(`^hlo_graph_(\d+)\.`)
	formerTitle   = regexp.MustCompile(`<b>after ([^<]+), before ([^<]+)<br/>Computation ([^<]+)<`)
)

// formerPass returns the module and the pass of a file of XLA before 2019.
func formerPass(f *File) (module string, pass Stage, ok bool) {
	stem, _, _ := cutFormat(path.Base(f.Rel))
	if name := formerText.FindStringSubmatch(stem); name != nil && f.Kind == KindHLOText {
		module, ok, _ = headerName(f)
		return module, formerStage(name[1], name[2], name[3]), ok
	}
	name := formerDrawing.FindStringSubmatch(stem)
	if name == nil || f.Kind != KindDot {
		return "", Stage{}, false
	}
	head, _ := f.head(headSize) // an error is reported when the drawing is read for its facts
	title := formerTitle.FindSubmatch(head)
	if title == nil {
		return "", Stage{}, false
	}
	return string(title[3]), formerStage(name[1], string(title[1]), string(title[2])), true
}

func formerStage(number, after, before string) Stage {
	n, _ := strconv.Atoi(number)
	return Stage{Kind: StagePass, Label: number + " after " + after + ", before " + before, Pass: Pass{Number: n, After: after, Before: before}}
}

func (d *Dump) looseModule(dir, stem string) *Module {
	m := d.loose[[2]string{dir, stem}]
	if m == nil {
		m = &Module{Number: -1, Dir: dir, Spelled: stem}
		d.Modules, d.loose[[2]string{dir, stem}] = append(d.Modules, m), m
	}
	return m
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

// nameLoose names loose modules after their files, with the directory if two have the same name, and after their headers if files are named by the stage alone.
func nameLoose(modules []*Module) {
	count := map[string]int{}
	for _, m := range modules {
		if m.Spelled == "" {
			m.Spelled = m.Name
		}
		count[m.Spelled]++
	}
	for _, m := range modules {
		m.ID = m.Spelled
		if count[m.Spelled] > 1 {
			m.ID = path.Join(m.Dir, m.Spelled)
		}
	}
	slices.SortFunc(modules, func(a, b *Module) int { return strings.Compare(a.ID, b.ID) })
}

// The labels of stages whose file names contain none.
const (
	looseGiven     = "hlo"
	looseOptimized = "optimized_hlo"
)

// looseRole returns a file's stage from its content; from its name for drawings and for files whose content does not show the stage.
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

// signs are the properties of a module file that show its stage.
type signs struct {
	optimized bool // it has a schedule or a fusion, which only the compiler makes
	buffers   bool // a HloProto holds the buffer assignment
}

// signs reads a module file until its stage is known. An unreadable file has no signs; reading it for its facts reports the error.
func (f *File) signs() (s signs) {
	err := f.Read(func(data []byte) error {
		if f.Kind == KindHLOProto {
			s = protoSigns(data)
			return nil
		}
		header, _, _ := bytes.Cut(skipBlank(data), []byte("\n"))
		s.optimized = bytes.Contains(header, []byte("is_scheduled=true")) || bytes.Contains(data, []byte(" fusion("))
		return nil
	})
	if err != nil {
		return signs{}
	}
	return s
}

// protoSigns reads the signs of an HloProto or of a bare HloModuleProto.
func protoSigns(data []byte) (s signs) {
	module := data
	if inner, ok := wire.First(data, 1); ok && isHLOProto(inner) {
		module = inner
		_, s.buffers = wire.First(data, 3) // HloProto.buffer_assignment
	}
	_, scheduled := wire.First(module, 7)                                       // HloModuleProto.schedule
	s.optimized = scheduled || bytes.Contains(module, []byte("\x12\x06fusion")) // the tag, length and text of an opcode
	return s
}
