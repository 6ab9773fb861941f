package facts

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
)

// Share is what one part of the work on a dump gave. It holds nothing open, so that it can be sent to another machine, where the
// shares of all parts join into the report that a single machine would have made.
type Share struct {
	dump   listing
	units  []*measured // in the order of the dump's modules
	beside *beside     // nil where it is another part's
}

// listing is what every part knows of the dump: names, sizes, and what is wrong with the whole.
type listing struct {
	path      string
	sum       [sha256.Size]byte // of a dump that is cut: by it parts of two runs are told apart
	modules   []string          // the IDs of those that are wanted
	problems  []Problem
	ignored   []string
	toolchain Toolchain // as `xlagate capture` wrote it down
	passes    bool      // see Options.Passes
	included  bool      // programs are chosen by name, helpers too
}

// list looks at the dump as every part does.
func list(d *dump.Dump, wanted []*dump.Module, opts Options, dealer *dump.Dealer) listing {
	l := listing{path: d.Path, passes: opts.Passes, included: len(opts.Include) > 0}
	if !dealer.Whole() {
		l.sum = d.Sample()
	}
	for _, m := range wanted {
		l.modules = append(l.modules, m.ID)
	}
	for _, p := range d.Problems {
		l.problems = append(l.problems, dumpProblem(d, p))
	}
	for _, f := range d.Unknown {
		l.ignored = append(l.ignored, f.Path)
	}
	if f := d.Toolchain; f != nil {
		if err := l.toolchain.read(f); err != nil {
			l.problems = append(l.problems, Problem{File: f.Path, Message: err.Error(), Fix: "capture the dump again, or remove the file"})
		}
	}
	return l
}

// deal says which of the wanted modules are this part's, and whether what belongs to no module is. The modules of one program go to
// one part: they are compared with each other.
func deal(d *dump.Dump, wanted []*dump.Module, opts Options, dealer *dump.Dealer) (mine []bool, besides bool) {
	pieces, at := []dump.ShardPiece{{Name: "", Size: besideSize(d)}}, map[string]int{}
	of := make([]int, len(wanted))
	for i, m := range wanted {
		program := dump.ProgramName(m.Name)
		piece, known := at[program]
		if !known {
			piece = len(pieces)
			at[program] = piece
			pieces = append(pieces, dump.ShardPiece{Name: "program " + program})
		}
		pieces[piece].Size += moduleSize(m, opts.AllStages)
		of[i] = piece
	}
	dealt := dealer.Mine(pieces)
	mine = make([]bool, len(wanted))
	for i, piece := range of {
		mine[i] = dealt[piece]
	}
	return mine, dealt[0]
}

// moduleSize is how much is read of a module.
func moduleSize(m *dump.Module, all bool) int64 {
	var size int64
	others := otherStages(m)
	for i := range m.Stages {
		s := &m.Stages[i]
		if f := s.HLO(); f != nil && (all || !slices.Contains(others, s)) {
			size += f.Size
		}
	}
	return size
}

// close lets go of the dump, once what only it can tell was looked up.
func (s *Share) close(d *dump.Dump) {
	for _, m := range s.units {
		m.problems = unsaid(d, m.problems)
		if m.variant == nil && !m.listed && len(m.problems) == 0 && !explained(d, m.module) {
			m.problems = append(m.problems, m.unseen())
		}
	}
	s.tellApart(d)
	for _, m := range s.units {
		m.module, m.files, m.reads, m.hands, m.stock, m.groups, m.traced = nil, nil, nil, nil, nil, nil, nil
	}
}

// tellApart looks a second time at variants with the same arguments. What it finds is noted where they were measured.
func (s *Share) tellApart(d *dump.Dump) {
	at := map[string]*Variant{}
	for _, m := range s.units {
		if m.variant != nil {
			at[m.module.ID] = m.variant
		}
	}
	programs, _ := group(s.units)
	for _, p := range programs {
		p.tellApart(d)
		for _, v := range p.Variants {
			at[v.compiles[0].module].Unlike = v.Unlike
		}
	}
}

// whole says whether the share is of the whole dump.
func (s *Share) whole() bool { return s.beside != nil && s.gap() == nil }

// gap says which module was not measured just once; nil when none is.
func (s *Share) gap() error {
	count := make([]int, len(s.dump.modules))
	for _, m := range s.units {
		if m.at < 0 || m.at >= len(count) {
			return fmt.Errorf("%s: a part measured a module that the dump does not hold", s.dump.path)
		}
		if !m.listed {
			count[m.at]++
		}
	}
	for i, n := range count {
		if n != 1 {
			return fmt.Errorf("%s: %d parts measured %s, just one should have", s.dump.path, n, s.dump.modules[i])
		}
	}
	return nil
}

// Join joins the shares of all parts, given in their order, into the report of the dump. The shares must not be used afterwards.
func Join(shares []*Share) (*Report, error) {
	all := &Share{dump: shares[0].dump}
	besides := 0
	for _, s := range shares {
		if s.dump.sum != all.dump.sum || len(s.dump.modules) != len(all.dump.modules) {
			return nil, fmt.Errorf("%s holds other files for one part than for another: each part must look at the same dump; is one of them left over from an earlier run?", all.dump.path)
		}
		all.units = append(all.units, s.units...)
		if s.beside != nil {
			all.beside = s.beside
			besides++
		}
	}
	if besides != 1 {
		return nil, fmt.Errorf("%s: %d parts read what belongs to no module, just one should have", all.dump.path, besides)
	}
	slices.SortStableFunc(all.units, func(a, b *measured) int { return cmp.Compare(a.at, b.at) })
	if err := all.gap(); err != nil {
		return nil, err
	}
	return all.Report(), nil
}
