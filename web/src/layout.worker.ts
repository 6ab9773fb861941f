// Lays out graphs beside the page, so that it never freezes.

import { Graph, layout } from "@dagrejs/dagre";
import type { Layout, LayoutRequest } from "./layout";
import { reduced } from "./reduce";

const many = 100; // edges above which not all are laid out

onmessage = (e: MessageEvent<LayoutRequest>) => {
  const { id, nodes, edges, direction } = e.data;
  const g = new Graph({ multigraph: false, compound: false });
  g.setGraph({ rankdir: direction, nodesep: 14, ranksep: 30, marginx: 10, marginy: 10 });
  g.setDefaultEdgeLabel(() => ({}));
  nodes.forEach((n, i) => g.setNode(String(i), { width: n.width, height: n.height }));
  const kept = edges.length > many ? reduced(nodes.length, edges) : edges.map(() => true);
  edges.forEach(([from, to], i) => kept[i] && from !== to && g.setEdge(String(from), String(to)));
  layout(g);
  const graph = g.graph() as { width?: number; height?: number };
  const done: Layout = {
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    nodes: nodes.map((_, i) => {
      const n = g.node(String(i)) as { x: number; y: number };
      return { x: n.x, y: n.y };
    }),
    edges: edges.map(([from, to], i) => (kept[i] ? ((g.edge(String(from), String(to)) as { points?: { x: number; y: number }[] } | undefined)?.points ?? []) : [])),
  };
  postMessage({ id, done });
};
