"""What `xlagate export` writes, read by the tools that it is for: exports.py FOLDER, with a folder for each format in it."""
import json
import os
import sys

folder = sys.argv[1]


def read(name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def model_explorer():
    """Model Explorer's own classes hold the graphs and the data of the nodes, and its server hands them to the page."""
    import model_explorer as explorer
    from model_explorer.graph_builder import Graph, GraphNode, IncomingEdge, KeyValue
    from model_explorer.node_data_builder import GraphNodeData, ModelNodeData, NodeDataResult

    nodes = {}
    graphs = []
    for side in ("before", "after"):
        for graph in json.loads(read(f"model-explorer/{side}.json"))["graphs"]:
            built = [
                GraphNode(**{**n, "attrs": [KeyValue(**a) for a in n.get("attrs", [])], "incomingEdges": [IncomingEdge(**e) for e in n.get("incomingEdges", [])]})
                for n in graph["nodes"]
            ]
            ids = {n.id for n in built}
            assert len(ids) == len(built) > 0, f"{side}: a node id stands twice"
            assert all(e.sourceNodeId in ids for n in built for e in n.incomingEdges), f"{side}: an edge from nowhere"
            nodes[side] = nodes.get(side, set()) | ids
            graphs.append(Graph(id=graph["id"], nodes=built))
    config = explorer.config()
    config.add_model_from_path(os.path.join(folder, "model-explorer/before.json"))
    config.add_model_from_path(os.path.join(folder, "model-explorer/after.json"))
    for name in os.listdir(os.path.join(folder, "model-explorer")):
        data = json.loads(read(f"model-explorer/{name}"))
        if name.startswith("node-data"):
            values = {g: GraphNodeData(results={n: NodeDataResult(**r) for n, r in d["results"].items()}, name=d["name"]) for g, d in data.items()}
            assert json.loads(ModelNodeData(values).to_json_string()), name
            assert values.keys() == {g.id for g in graphs}, name
            config.add_node_data_from_path(os.path.join(folder, "model-explorer", name))
        if name.startswith("mapping"):
            assert data["mappingEntries"], "no node corresponds"
            for entry in data["mappingEntries"]:
                assert set(entry["leftNodeIds"]) <= nodes["before"] and set(entry["rightNodeIds"]) <= nodes["after"], entry
    assert config.to_url_param_value()
    return f"{len(graphs)} graphs, {sum(map(len, nodes.values()))} nodes"


def hlo():
    """XLA's own parser reads every module."""
    from jaxlib import _hlo

    files = sorted(os.listdir(os.path.join(folder, "hlo")))
    for name in files:
        _hlo.hlo_module_from_text(read(f"hlo/{name}").decode())
    assert files
    return f"{len(files)} modules"


for check in sys.argv[2:]:
    print(check + ":", globals()[check]())
