package dump

// tellApart makes modules of their own of stages that lie in the files of one number, where these name no module and their headers name
// several. A file that cannot be read stays where it is, and is told of when it is.
func (b *bucket) tellApart() {
	for _, m := range b.modules {
		if m.spelled == "" {
			b.modules = append(b.modules, m.withoutOthers()...)
		}
	}
}

// withoutOthers takes the stages out of a module that are another's than the first by their headers, and returns those modules.
func (m *Module) withoutOthers() (others []*Module) {
	byName := map[string]*Module{}
	var kept []Stage
	for _, s := range m.Stages {
		name := ""
		if f := s.HLO(); f != nil {
			name, _, _ = headerName(f)
		}
		switch owner := byName[name]; {
		case name == "" || owner == m:
			kept = append(kept, s)
		case len(byName) == 0:
			byName[name] = m
			kept = append(kept, s)
		case owner == nil:
			owner = newModule(m.dir, fileName{number: m.digits, stamp: m.stamp}, "")
			byName[name], others = owner, append(others, owner)
			fallthrough
		default:
			byName[name].Stages = append(byName[name].Stages, s)
		}
	}
	m.Stages = kept
	return others
}
