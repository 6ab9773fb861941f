// Lays out graphs beside the page, so that it never freezes.

import { Graph, layout } from "@dagrejs/dagre";
import type { Layout, LayoutRequest, Point } from "./layout";
import { reduced } from "./reduce";

const many = 100; // edges above which not all are laid out

onmessage = (e: MessageEvent<LayoutRequest>) => {
  const { id, nodes, edges } = e.data;
  const g = new Graph({ multigraph: false, compound: false });
  g.setGraph({ rankdir: "TB", nodesep: 14, ranksep: 30, marginx: 10, marginy: 10 });
  g.setDefaultEdgeLabel(() => ({}));
  nodes.forEach((n, i) => g.setNode(String(i), { width: n.width, height: n.height }));
  const kept = edges.length > many ? reduced(nodes.length, edges) : edges.map(() => true);
  edges.forEach(([from, to], i) => kept[i] && from !== to && g.setEdge(String(from), String(to)));
  layout(g);
  const boxes: Box[] = nodes.map((n, i) => ({ ...(g.node(String(i)) as Point), width: n.width, height: n.height }));
  const lines = edges.map(([from, to], i) => {
    const bends = kept[i] ? ((g.edge(String(from), String(to)) as { points?: Point[] } | undefined)?.points ?? []).slice(1, -1) : [];
    return { points: joined(boxes[from]!, bends, boxes[to]!), straight: !kept[i] };
  });
  const done: Layout = { view: around(boxes, lines.flatMap((l) => l.points)), nodes: boxes.map(({ x, y }) => ({ x, y })), edges: lines };
  postMessage({ id, done });
};

interface Box extends Point {
  width: number;
  height: number;
}

/** joined leads from the lower side of one box to the upper side of another, or back up, so that no line runs behind the boxes beside them. */
function joined(from: Box, bends: Point[], to: Box): Point[] {
  const down = from.y <= to.y ? 1 : -1;
  const side = (b: Box, towards: Point, by: number) => ({ x: Math.max(b.x - b.width / 2 + 6, Math.min(b.x + b.width / 2 - 6, towards.x)), y: b.y + (by * b.height) / 2 });
  return [side(from, bends[0] ?? to, down), ...bends, side(to, bends.at(-1) ?? from, -down)];
}

const margin = 10;

function around(boxes: Box[], points: Point[]): Layout["view"] {
  const corners = boxes.flatMap((b) => [-1, 1].map((s) => ({ x: b.x + (s * b.width) / 2, y: b.y + (s * b.height) / 2 })));
  const all = [...corners, ...points];
  const ends = (of: (p: Point) => number) => all.reduce(([low, high], p) => [Math.min(low, of(p)), Math.max(high, of(p))] as [number, number], [Infinity, -Infinity] as [number, number]);
  if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [left, right] = ends((p) => p.x);
  const [top, bottom] = ends((p) => p.y);
  return { x: left - margin, y: top - margin, width: right - left + 2 * margin, height: bottom - top + 2 * margin };
}
