package dump

import (
	"cmp"
	"slices"
	"strconv"
)

// newModule is an empty module with what the names of its files tell.
func newModule(dir string, n fileName, spelled string) *Module {
	number, err := strconv.Atoi(n.number)
	if err != nil {
		number = -1
	}
	return &Module{Number: number, Name: cutChangelist(spelled), dir: dir, digits: n.number, stamp: n.stamp, spelled: spelled}
}

// take gives a file to the module.
func (m *Module) take(f *File, r role) {
	f.Kind = r.kind
	if r.stage == nil {
		m.Companions = append(m.Companions, f)
		return
	}
	slot := m.stageFor(r.stage).slot(r.kind)
	if slot == nil || *slot != nil { // the same once more, compressed or drawn in another way
		m.Companions = append(m.Companions, f)
		return
	}
	*slot = f
}

// stageFor is the module's stage of the same label, added when it is new.
func (m *Module) stageFor(s *Stage) *Stage {
	if old := m.labelled(s.Label); old != nil {
		return old
	}
	m.Stages = append(m.Stages, *s)
	return &m.Stages[len(m.Stages)-1]
}

func (m *Module) labelled(label string) *Stage {
	for i := range m.Stages {
		if m.Stages[i].Label == label {
			return &m.Stages[i]
		}
	}
	return nil
}

// slot is where the stage keeps its file of a format.
func (s *Stage) slot(format Kind) **File {
	switch format {
	case KindHLOText:
		return &s.Text
	case KindHLOProto:
		return &s.Proto
	case KindDot:
		return &s.Dot
	case KindHTML:
		return &s.HTML
	case KindURL:
		return &s.URL
	case KindRiegeli:
		return &s.Riegeli
	}
	return nil
}

// stageOrder ranks the stages by when they are written.
var stageOrder = map[StageKind]int{
	StageBefore: 0, StageAfterSPMD: 1, StageBeforeConfig: 2, StagePass: 3, StageOther: 4, StageGiven: 5,
	StageBeforeAssignment: 6, StageAfter: 7, StageAfterAssignment: 8, StageAfterCodegen: 9,
}

func (m *Module) sortStages() {
	slices.SortStableFunc(m.Stages, func(a, b Stage) int {
		return cmp.Or(cmp.Compare(stageOrder[a.Kind], stageOrder[b.Kind]), cmp.Compare(a.Pass.Number, b.Pass.Number), cmp.Compare(a.Label, b.Label))
	})
}
