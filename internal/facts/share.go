package facts

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/files"
)

// Share is the result of one part of the work on a dump. It holds no open files, so it can be sent to another machine, where the
// shares of all parts join into the report that a single machine would have made.
type Share struct {
	Dump     listing
	Units    []*measurement // in the order of the dump's modules
	DumpWide *dumpWide      // nil where it is another part's
}

// listing is what every part knows of the dump: names, sizes, and what is wrong with the whole.
type listing struct {
	Path      string
	Sum       [sha256.Size]byte // of a dump that is cut: by it parts of two runs are told apart
	Modules   []string          // the IDs of those that are wanted
	Problems  []Problem
	Ignored   []string
	Toolchain Toolchain // as `xlagate capture` wrote it down
	Passes    bool      // see Options.Passes
	Included  bool      // programs are chosen by name, helpers too
}

// list looks at the dump as every part does.
func (r *run) list(wanted []*dump.Module) listing {
	d := r.dump
	l := listing{Path: d.Path, Passes: r.Passes, Included: len(r.Include) > 0, Problems: slices.Clone(d.Problems)}
	if !r.dealer.Whole() {
		l.Sum = d.Sample()
	}
	for _, m := range wanted {
		l.Modules = append(l.Modules, m.ID)
	}
	for _, f := range d.Unknown {
		l.Ignored = append(l.Ignored, f.Path)
	}
	if f := d.Toolchain; f != nil {
		if err := l.Toolchain.read(f); err != nil {
			l.Problems = append(l.Problems, Problem{File: f.Path, Message: err.Error(), Fix: "capture the dump again, or remove the file"})
		}
	}
	return l
}

// deal says which of the wanted modules are this part's, and whether what belongs to no module is. The modules of one program go to
// one part: they are compared with each other.
func (r *run) deal(wanted []*dump.Module) (mine []bool, besides bool) {
	pieces, at := []dump.ShardPiece{{Name: "", Size: dumpWideSize(r.dump)}}, map[string]int{}
	of := make([]int, len(wanted))
	for i, m := range wanted {
		program := dump.ProgramName(m.Name)
		piece, known := at[program]
		if !known {
			piece = len(pieces)
			at[program] = piece
			pieces = append(pieces, dump.ShardPiece{Name: "program " + program})
		}
		pieces[piece].Size += moduleSize(m, r.AllStages)
		of[i] = piece
	}
	dealt := r.dealer.Mine(pieces)
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

// close looks up what only the dump can tell, and keeps of each module what was measured.
func (s *Share) close(d *dump.Dump, done []*measuring) {
	for _, m := range done {
		m.Problems = unsaid(d, m.Problems)
		explained := slices.ContainsFunc(d.Problems, func(p dump.Problem) bool { return p.Module == m.module.ID })
		if m.Variant == nil && !m.Listed && len(m.Problems) == 0 && !explained {
			m.problem(m.module.ID, "was not dumped after its optimization in a form that can be read",
				"add --xla_dump_hlo_as_text to XLA_FLAGS and dump again, or leave the program out with programs.exclude")
		}
		s.Units = append(s.Units, &m.measurement)
	}
	s.findDiffering(d)
}

// findDiffering looks a second time at variants with the same arguments. What it finds is noted where they were measured.
func (s *Share) findDiffering(d *dump.Dump) {
	at := map[string]*Variant{}
	for _, m := range s.Units {
		if m.Variant != nil {
			at[m.Variant.Compiles[0].Module] = m.Variant
		}
	}
	programs, _ := group(s.Units)
	for _, p := range programs {
		p.findDiffering(d)
		for _, v := range p.Variants {
			at[v.Compiles[0].Module].Differing = v.Differing
		}
	}
}

// whole reports whether the share is of the whole dump.
func (s *Share) whole() bool { return s.DumpWide != nil && s.gap() == nil }

// gap says which module was not measured just once; nil when none is.
func (s *Share) gap() error {
	count := make([]int, len(s.Dump.Modules))
	for _, m := range s.Units {
		if m.At < 0 || m.At >= len(count) {
			return fmt.Errorf("%s: a part measured a module that the dump does not hold", s.Dump.Path)
		}
		if !m.Listed {
			count[m.At]++
		}
	}
	for i, n := range count {
		if n != 1 {
			return fmt.Errorf("%s: %d parts measured %s, just one should have", s.Dump.Path, n, s.Dump.Modules[i])
		}
	}
	return nil
}

// Join joins the shares of all parts, given in their order, into the report of the dump. The shares must not be used afterwards.
func Join(shares []*Share) (*Report, error) {
	all := &Share{Dump: shares[0].Dump}
	besides := 0
	for _, s := range shares {
		if s.Dump.Sum != all.Dump.Sum || len(s.Dump.Modules) != len(all.Dump.Modules) {
			return nil, fmt.Errorf("%s holds other files for one part than for another: each part must look at the same dump; is one of them left over from an earlier run?", all.Dump.Path)
		}
		all.Units = append(all.Units, s.Units...)
		if s.DumpWide != nil {
			all.DumpWide = s.DumpWide
			besides++
		}
	}
	if besides != 1 {
		return nil, fmt.Errorf("%s: %d parts read what belongs to no module, just one should have", all.Dump.Path, besides)
	}
	slices.SortStableFunc(all.Units, func(a, b *measurement) int { return cmp.Compare(a.At, b.At) })
	if err := all.gap(); err != nil {
		return nil, err
	}
	return all.Report(), nil
}

// maxShares bounds what the bytes of shares may unfold to.
const maxShares = 2 << 30

// ShareForm identifies builds that can read each other's shares.
func ShareForm() string { return files.PackedForm([]*Share{}) }

// PackShares turns shares into bytes, always the same for the same shares.
func PackShares(shares []*Share) ([]byte, error) {
	packed, err := files.Pack(shares)
	if err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(packed); err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack what was measured: %w", err)
	}
	return b.Bytes(), nil
}

// UnpackShares reads the bytes of PackShares.
func UnpackShares(data []byte) ([]*Share, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpack what was measured: %w", err)
	}
	packed, err := io.ReadAll(io.LimitReader(z, maxShares+1))
	if err == nil && len(packed) > maxShares {
		err = errors.New("it is larger than anything that was measured")
	}
	var shares []*Share
	if err == nil {
		err = files.Unpack(packed, &shares)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack what was measured: %w", err)
	}
	if len(shares) == 0 || slices.Contains(shares, nil) {
		return nil, errors.New("unpack what was measured: a dump is missing")
	}
	return shares, nil
}
