package export

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// columns are the columns of a kernel's row.
var columns = []struct {
	name string
	of   func(p *facts.Priced) string
}{
	{"kernel", func(p *facts.Priced) string { return p.Name }},
	{"kind", func(p *facts.Priced) string { return p.Kind }},
	{"operations", func(p *facts.Priced) string { return p.Do.String() }},
	{"out", func(p *facts.Priced) string { return p.Out }},
	{"in", func(p *facts.Priced) string { return p.In.String() }},
	{"target", func(p *facts.Priced) string { return p.Target }},
	{"op_name", func(p *facts.Priced) string { return p.OpName }},
	{"source", func(p *facts.Priced) string { return p.Source.File }},
	{"line", func(p *facts.Priced) string { return orNone(float64(p.Source.Line)) }},
	{"runs", func(p *facts.Priced) string { return number(p.Runs) }},
	{"bytes", func(p *facts.Priced) string { return number(float64(p.Bytes)) }},
	{"flops", func(p *facts.Priced) string { return number(float64(p.Flops)) }},
	{"predicted_ns", func(p *facts.Priced) string { return rounded(p.NS()) }},
	{"launch_ns", func(p *facts.Priced) string { return rounded(p.Runs * p.Once.Launch) }},
	{"compute_ns", func(p *facts.Priced) string { return rounded(p.Runs * p.Once.Compute) }},
	{"memory_ns", func(p *facts.Priced) string { return rounded(p.Runs * p.Once.Memory) }},
	{"network_ns", func(p *facts.Priced) string { return rounded(p.Runs * p.Once.Network) }},
	{"host_ns", func(p *facts.Priced) string { return rounded(p.Runs * p.Once.Host) }},
	{"fingerprint", func(p *facts.Priced) string { return p.Print }},
}

// table writes a row for each kernel, the old ones of a comparison first.
func table(views []view, o Options) ([]File, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"side", "change", "program", "variant", "number"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for i := range views {
		rows = append(rows, views[i].rows(o)...)
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the table: %w", err)
	}
	return []File{{"kernels.csv", b.Bytes()}}, nil
}

func (v *view) rows(o Options) (rows [][]string) {
	was, is := v.fates()
	for side, variant := range v.sides {
		fates, other := is, "added"
		if variant == v.Old {
			fates, other = was, "removed"
		}
		for i, p := range prices(variant) {
			if !o.inScope(p.OpName) {
				continue
			}
			change := ""
			if v.compared {
				change = cmp.Or(fates[i], other)
			}
			row := []string{side, change, v.program, variant.Signature, strconv.Itoa(i)}
			for _, c := range columns {
				row = append(row, cell(c.of(&p)))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// cell keeps a spreadsheet from running a formula in a dump. No real name starts like one.
func cell(s string) string {
	if strings.HasPrefix(s, "=") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "@") {
		return "'" + s
	}
	return s
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func rounded(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

func orNone(n float64) string {
	if n == 0 {
		return ""
	}
	return number(n)
}
