package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// InspectSchema names the JSON form of a dump's contents.
const InspectSchema = "xlagate.inspect/v1"

// What may be large is written piece by piece, between a head and a tail that are small.
type (
	inspectHead struct {
		Schema    string          `json:"schema"`
		Tool      result.Tool     `json:"tool"`
		Dump      string          `json:"dump"`
		Toolchain facts.Toolchain `json:"toolchain"`
	}
	inspectFound struct {
		Clusters *clustersView `json:"clusters,omitempty"`
		Logs     *logsView     `json:"logs,omitempty"`
	}
	inspectTail struct {
		Drawings []drawingView `json:"drawings,omitempty"`
		Passes   []passesView  `json:"passes,omitempty"`
		Profile  *profileView  `json:"profile,omitempty"`
		Problems []problemView `json:"problems"`
		Ignored  []string      `json:"ignored"`
		Parts    []result.Part `json:"parts,omitempty"`
	}
	problemView struct {
		File    string `json:"file,omitempty"`
		Program string `json:"program,omitempty"`
		Message string `json:"message"`
		Fix     string `json:"fix,omitempty"`
	}
)

func inspectJSON(w io.Writer, r *facts.Report, o Options) error {
	s := newJSONStream(w)
	s.object(func() {
		s.fields(inspectHead{Schema: InspectSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Dump: r.Dump, Toolchain: r.Toolchain})
		forms := newFormLines()
		listOf(s, "programs", r.Programs, func(p **facts.Program) { s.lines(programView{*p, o.All, forms}.lines) })
		listOf(s, "helpers", r.Helpers, func(p **facts.Program) { s.lines(programView{*p, o.All, forms}.lines) })
		s.fields(inspectFound{Clusters: viewClusters(r.Clusters), Logs: viewLogs(r.Logs)})
		listOf(s, "modules", r.Modules, func(m *facts.ModuleInfo) { s.value(viewModule(*m)) })
		s.fields(viewTail(r, o.Parts))
	})
	return s.end("what the dump holds")
}

func viewModule(m facts.ModuleInfo) facts.ModuleInfo {
	m.EntryParams = filled(m.EntryParams)
	m.Opcodes, m.CustomCallTargets = filledMap(m.Opcodes), filledMap(m.CustomCallTargets)
	return m
}

func viewTail(r *facts.Report, parts []result.Part) inspectTail {
	v := inspectTail{
		Drawings: viewDrawings(r.Drawings), Passes: viewPasses(r.Passes), Profile: viewProfile(r.Profile), Problems: make([]problemView, len(r.Problems)),
		Ignored: filled(r.Ignored), Parts: parts,
	}
	for i, p := range r.Problems {
		v.Problems[i] = problemView(p)
	}
	return v
}

func filledMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
