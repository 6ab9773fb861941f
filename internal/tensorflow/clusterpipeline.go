package tensorflow

import (
	"slices"
)

// pipelineFunction is a function that tf.data runs on a dataset's elements.
type pipelineFunction struct {
	args  []string // sorted
	nodes nodeNames
}

// pipelineFunctions collects them from the libraries of the graphs that build datasets.
func (d *graphDir) pipelineFunctions() []pipelineFunction {
	var out []pipelineFunction
	for _, graphs := range d.byPass {
		for _, g := range graphs {
			if g.graph == nil {
				continue
			}
			for i := range g.graph.Functions {
				if f := &g.graph.Functions[i]; f.Pipeline {
					out = append(out, newPipelineFunction(f))
				}
			}
		}
	}
	return out
}

func newPipelineFunction(f *Function) pipelineFunction {
	p := pipelineFunction{args: slices.Sorted(slices.Values(f.Args)), nodes: nodeNames{}}
	for i := range f.Nodes {
		p.nodes[nodeKey(&f.Nodes[i])] = true
	}
	return p
}

// runsOnHost recognises the graph of a function that tf.data runs: it has the same arguments, and no operations but that function's.
// TensorFlow shows such graphs to autoclustering too, but their place is the host. The operations outside become system operations.
func runsOnHost(g *Graph, c *Clustering, pipeline []pipelineFunction) bool {
	var args []string
	for i := range g.Nodes {
		if g.Nodes[i].Op == "_Arg" {
			args = append(args, PlainName(g.Nodes[i].Name))
		}
	}
	slices.Sort(args)
	if !slices.ContainsFunc(pipeline, func(p pipelineFunction) bool { return slices.Equal(args, p.args) && p.holds(c) }) {
		return false
	}
	for i := range c.Outside {
		if o := &c.Outside[i]; !o.System {
			o.System, o.Reason = true, "it belongs to the input pipeline, which runs on the host"
		}
	}
	return true
}

// holds reports whether the function has every operation that stayed outside.
func (p pipelineFunction) holds(c *Clustering) bool {
	for i := range c.Outside {
		if o := &c.Outside[i]; !o.System && !p.nodes[nodeKey(o.Node)] {
			return false
		}
	}
	return true
}
