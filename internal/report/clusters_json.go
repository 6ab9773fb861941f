package report

import "github.com/xlagate/xlagate/internal/tensorflow"

// The JSON forms of what autoclustering and the logs said.
type (
	clustersView struct {
		Ran         bool              `json:"ran"`
		Graphs      int               `json:"graphs"`
		Clustered   int               `json:"clustered"`
		Clusters    []clusterView     `json:"clusters"`
		Unclustered []unclusteredView `json:"unclustered"`
		Collectives []collectiveView  `json:"collectives,omitempty"`
		Rewrites    []rewriteView     `json:"rewrites,omitempty"`
	}
	rewriteView struct {
		Op        string      `json:"op"`
		Node      string      `json:"node"`
		Function  string      `json:"function,omitempty"`
		What      string      `json:"what"`
		Optimizer string      `json:"optimizer,omitempty"`
		Source    *sourceView `json:"source,omitempty"`
		File      string      `json:"file,omitempty"`
	}
	collectiveView struct {
		Op       string      `json:"op"`
		Kind     string      `json:"kind"`
		Node     string      `json:"node"`
		Function string      `json:"function,omitempty"`
		From     []string    `json:"from,omitempty"`
		To       []string    `json:"to,omitempty"`
		Source   *sourceView `json:"source,omitempty"`
		File     string      `json:"file,omitempty"`
	}
	clusterView struct {
		Name     string         `json:"name"`
		Function string         `json:"function,omitempty"`
		Size     int            `json:"size"`
		Ops      map[string]int `json:"ops"`
		Module   string         `json:"module,omitempty"`
		Modules  []string       `json:"modules,omitempty"`
		Must     bool           `json:"must_compile,omitempty"`
		Device   string         `json:"device,omitempty"`
	}
	unclusteredView struct {
		Op       string      `json:"op"`
		Node     string      `json:"node"`
		Function string      `json:"function,omitempty"`
		Device   string      `json:"device,omitempty"`
		System   bool        `json:"system"`
		Left     string      `json:"left_after,omitempty"`
		Reason   string      `json:"reason,omitempty"`
		Source   *sourceView `json:"source,omitempty"`
		File     string      `json:"file,omitempty"`
	}
	logsView struct {
		Compiles map[string]int `json:"compiles"`
		Misses   []missView     `json:"misses"`
		Notes    []logNoteView  `json:"notes"`
	}
	missView struct {
		Program string      `json:"program"`
		Where   *sourceView `json:"source,omitempty"`
		Reason  string      `json:"reason"`
	}
	logNoteView struct {
		Kind    string      `json:"kind"`
		Program string      `json:"program,omitempty"`
		Log     string      `json:"log,omitempty"`
		Op      string      `json:"op,omitempty"`
		Where   *sourceView `json:"source,omitempty"`
		Message string      `json:"message"`
		Value   float64     `json:"value,omitempty"`
	}
)

func viewClusters(c *tensorflow.Clusters) *clustersView {
	if c == nil {
		return nil
	}
	v := &clustersView{Ran: c.Ran, Graphs: c.Graphs, Clustered: c.Clustered, Clusters: []clusterView{}, Unclustered: []unclusteredView{}}
	for _, k := range c.Clusters {
		v.Clusters = append(v.Clusters, clusterView{k.Name, k.Function, k.Size, filledMap(k.Ops), k.Module, k.Modules, k.MustCompile, k.Device})
	}
	for _, u := range c.Unclustered {
		v.Unclustered = append(v.Unclustered, unclusteredView{u.Op, u.Node, u.Function, u.Device, u.System, u.Left, u.Reason, viewSource(u.Source), u.File})
	}
	for _, o := range c.Collectives {
		v.Collectives = append(v.Collectives, collectiveView{o.Op, o.Kind, o.Node, o.Function, o.From, o.To, viewSource(o.Source), o.File})
	}
	for _, r := range c.Rewrites {
		v.Rewrites = append(v.Rewrites, rewriteView{r.Op, r.Node, r.Function, r.What, r.Optimizer, viewSource(r.Source), r.File})
	}
	return v
}

func viewLogs(l *tensorflow.Logs) *logsView {
	if l == nil {
		return nil
	}
	v := &logsView{Compiles: filledMap(l.Compiles), Misses: []missView{}, Notes: []logNoteView{}}
	for _, m := range l.Misses {
		v.Misses = append(v.Misses, missView{m.Program, viewSource(m.Where), m.Reason})
	}
	for _, n := range l.Notes {
		v.Notes = append(v.Notes, logNoteView{n.Kind, n.Program, n.Log, n.Op, viewSource(n.Where), n.Message, n.Value})
	}
	return v
}
