// A graph as the layout worker places it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { layout, type Layout, type Point } from "./layout";

export interface Node {
  label: string;
  sub?: string;
  kind?: string;
  sought?: boolean; // brought into view
  open?: () => void;
  said?: string;
}

export interface Edge {
  from: number;
  to: number;
  kind?: string;
}

const most = 30;
const smallest = 0.75; // what a drawing is made to fit its place by, and can be read

function short(text: string): string {
  return text.length > most ? "…" + text.slice(1 - most) : text;
}

function size(n: Node): { width: number; height: number } {
  const letters = Math.max(short(n.label).length * 7.2, short(n.sub ?? "").length * 6.3);
  return { width: Math.max(46, letters + 18), height: n.sub ? 38 : 24 };
}

export function Drawing({ nodes, edges, label }: { nodes: Node[]; edges: Edge[]; label: string }) {
  const key = useMemo(() => ({ nodes, edges }), [nodes, edges]);
  const [placed, set] = useState<{ key: object; at: Layout }>();
  const [zoom, setZoom] = useState(1);
  useEffect(() => {
    let shown = true;
    layout({ nodes: nodes.map(size), edges: edges.map((e) => [e.from, e.to]) }).then((at) => shown && set({ key, at }));
    return () => void (shown = false);
  }, [key]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (placed?.key !== key) return;
    const { clientWidth, clientHeight } = box.current!;
    const { view } = placed.at;
    const fits = Math.min(1, Math.max(smallest, clientWidth / view.width));
    setZoom(fits);
    const sought = placed.at.nodes[nodes.findIndex((n) => n.sought)];
    if (sought) box.current!.scrollTo((sought.x - view.x) * fits - clientWidth / 2, (sought.y - view.y) * fits - clientHeight / 2);
  }, [placed]);
  if (placed?.key !== key) return <p class="dim">Laying out {nodes.length} nodes …</p>;
  const at = placed.at;
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => setZoom(zoom * 1.25)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => setZoom(zoom / 1.25)} aria-label="Zoom out">
          −
        </button>
        <span class="dim">
          {nodes.length} nodes, {edges.length} edges
        </span>
      </div>
      <div class="drawing" ref={box} tabIndex={0} role="group" aria-label={label} data-ready="true">
        <svg width={at.view.width * zoom} height={at.view.height * zoom} viewBox={`${at.view.x} ${at.view.y} ${at.view.width} ${at.view.height}`}>
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path class="arrow" d="M0,0 L8,4 L0,8 z" />
            </marker>
          </defs>
          {edges.map((e, i) => (
            <path key={i} class={"edge " + (e.kind ?? "")} d={line(at.edges[i]!.points)} data-straight={at.edges[i]!.straight ? "" : undefined} marker-end="url(#arrow)" />
          ))}
          {nodes.map((n, i) => (
            <Box key={i} node={n} at={at.nodes[i]!} />
          ))}
        </svg>
      </div>
    </>
  );
}

function line(points: Point[]): string {
  return points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" ");
}

function Box({ node: n, at }: { node: Node; at: { x: number; y: number } }) {
  const { width, height } = size(n);
  const press = (e: KeyboardEvent) => {
    if (e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    n.open!();
  };
  const active = n.open && { role: "button" as const, tabIndex: 0, onClick: n.open, onKeyDown: press, "aria-label": [n.label, n.sub, n.said].filter(Boolean).join(", ") };
  return (
    <g class={"node " + (n.kind ?? "")} transform={`translate(${at.x - width / 2},${at.y - height / 2})`} {...active}>
      <title>{[n.label, n.sub, n.said].filter(Boolean).join("\n")}</title>
      <rect width={width} height={height} />
      <text x={width / 2} y={16} text-anchor="middle">
        {short(n.label)}
      </text>
      {n.sub && (
        <text class="sub" x={width / 2} y={30} text-anchor="middle">
          {short(n.sub)}
        </text>
      )}
    </g>
  );
}
