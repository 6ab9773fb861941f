// Where a step's time, traffic and arithmetic go: a treemap by scope or line, and how close each kernel is to the device's limits.

import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import { axis, Chart } from "./chart";
import type { Kernel, Ledger, Ledgers, Side, Variant } from "./data";
import { bytes, percent, place, rate, scope, short, time, total } from "./format";
import { match } from "./match";
import type { Shown } from "./program";
import { color } from "./theme";
import { usePart, useWidth } from "./use";

const measures = {
  time: { title: "time", of: (k: Kernel) => total(k.time), write: time },
  bytes: { title: "bytes moved", of: (k: Kernel) => k.bytes * k.runs, write: bytes },
  flops: { title: "arithmetic", of: (k: Kernel) => (k.flops ?? 0) * k.runs, write: (n: number) => rate(n) + "flop" },
};
type Measure = keyof typeof measures;
type Group = "scope" | "line";

export function Where(s: Shown) {
  const ledgers = usePart<Ledgers>(s.variant.part || undefined);
  if (!s.variant.part) return <p>This result holds no kernels.</p>;
  if (ledgers instanceof Error) return <p role="alert">{ledgers.message}</p>;
  if (!ledgers) return <p>Reading …</p>;
  return (
    <>
      <Treemap ledgers={ledgers} variant={s.variant} />
      <Roofline ledgers={ledgers} side={s.variant.new ?? s.variant.old!} />
    </>
  );
}

interface Tree {
  name: string;
  path: string[];
  was: number;
  is: number;
  children?: Tree[];
}

function Treemap({ ledgers, variant }: { ledgers: Ledgers; variant: Variant }) {
  const [measure, setMeasure] = useState<Measure>("time");
  const [group, setGroup] = useState<Group>("scope");
  const [path, setPath] = useState<string[]>([]);
  const [ref, width] = useWidth<HTMLDivElement>();
  const tree = useMemo(() => grown(ledgers, variant, measure, group), [ledgers, measure, group]);
  const root = descend(tree, path);
  const m = measures[measure];
  const compared = !!ledgers.old && !!ledgers.new;
  return (
    <section aria-label="Treemap">
      <div class="tools">
        <Choice label="Size" value={measure} set={(v) => setMeasure(v as Measure)} options={Object.keys(measures)} titles={Object.values(measures).map((x) => x.title)} />
        <Choice
          label="By"
          value={group}
          set={(v) => {
            setGroup(v as Group);
            setPath([]);
          }}
          options={["scope", "line"]}
          titles={["scope", "line"]}
        />
        <span class="crumbs">
          <button type="button" class="plain" onClick={() => setPath([])}>
            all
          </button>
          {path.map((step, i) => (
            <span key={i}>
              /{" "}
              <button type="button" class="plain" onClick={() => setPath(path.slice(0, i + 1))}>
                {step}
              </button>
            </span>
          ))}
        </span>
        <span class="dim">
          {m.write(root.is || root.was)}
          {compared && ", orange grew, blue shrank; stronger means more"}
        </span>
      </div>
      <div ref={ref} class="treemap" style={{ height: "380px" }}>
        {width > 0 && <Tiles list={tiles(root, width, 380)} write={m.write} compared={compared} open={setPath} />}
      </div>
    </section>
  );
}

function Choice(p: { label: string; value: string; set: (v: string) => void; options: string[]; titles: string[] }) {
  return (
    <label>
      {p.label}{" "}
      <select value={p.value} onChange={(e) => p.set(e.currentTarget.value)}>
        {p.options.map((o, i) => (
          <option key={o} value={o}>
            {p.titles[i]}
          </option>
        ))}
      </select>
    </label>
  );
}

function grown(l: Ledgers, v: Variant, measure: Measure, group: Group): Tree {
  const root: Tree = { name: "all", path: [], was: 0, is: 0 };
  const add = (n: number, path: string[], side: "was" | "is") => {
    let at = root;
    at[side] += n;
    for (const step of path) {
      at.children ??= [];
      let next = at.children.find((c) => c.name === step);
      if (!next) at.children.push((next = { name: step, path: [...at.path, step], was: 0, is: 0 }));
      at = next;
      at[side] += n;
    }
  };
  const addAll = (ledger: Ledger | undefined, of: Side | undefined, side: "was" | "is") => {
    for (const k of ledger?.kernels ?? []) add(measures[measure].of(k), steps(k, group), side);
    const besides = measure === "time" && ledger ? (of?.facts["price.step_ns"] ?? 0) - root[side] : 0;
    if (besides >= 1) add(besides, ["the host, outside of kernels"], side);
  };
  addAll(l.old, v.old, "was");
  addAll(l.new, v.new, "is");
  return root;
}

function steps(k: Kernel, group: Group): string[] {
  if (group === "line") return [k.file || "no line", k.file ? `${k.line}` : k.kind, k.does];
  const scopes = scope(k.op);
  return [...(scopes.length ? scopes : ["no scope"]), k.does];
}

function descend(tree: Tree, path: string[]): Tree {
  let at = tree;
  for (const step of path) at = at.children?.find((c) => c.name === step) ?? at;
  while (at.children?.length === 1 && at.children[0]!.children) at = at.children[0]!;
  return at;
}

type Rect = HierarchyRectangularNode<Tree>;

const large = 0.3; // of the whole: what takes more is shown by its parts
const mostTiles = 30;

/** parts are the next level of the tree, and in place of what takes most of it its own parts. */
function parts(root: Tree): Tree[] {
  const list = [...(root.children ?? [{ ...root }])];
  const size = (t: Tree) => Math.max(t.is, t.was);
  for (;;) {
    const at = list.findIndex((t) => t.children && size(t) > large * size(root) && list.length + t.children.length <= mostTiles);
    if (at < 0) return list;
    const { name, children } = list[at]!;
    list.splice(at, 1, ...children!.map((c) => ({ ...c, name: `${name}/${c.name}` })));
  }
}

/** tiles are one level of the tree: a click opens the next. */
function tiles(root: Tree, width: number, height: number): Rect[] {
  const shown = { ...root, children: parts(root).map((c) => ({ ...c, inner: c.children, children: undefined })) };
  const h = hierarchy<Tree>(shown as Tree).sum((n) => (n.children ? 0 : Math.max(n.is, n.was)));
  h.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const placed = treemap<Tree>().tile(treemapSquarify).size([width, height]).paddingInner(1)(h);
  return placed
    .leaves()
    .filter((t) => t.x1 - t.x0 > 3 && t.y1 - t.y0 > 3)
    .map((t) => {
      t.data = { ...t.data, children: (t.data as Tree & { inner?: Tree[] }).inner };
      return t;
    });
}

interface TileProps {
  write: (n: number) => string;
  compared: boolean;
  open: (path: string[]) => void;
}

function Tiles({ list, ...p }: TileProps & { list: Rect[] }) {
  const most = Math.max(...list.map((t) => Math.abs(t.data.is - t.data.was)));
  return list.map((t) => <Tile key={t.data.path.join("/")} t={t} most={most} {...p} />);
}

/** Tile is coloured by how much it changed, as a share of what changed most. */
function Tile({ t, most, write, compared, open }: TileProps & { t: Rect; most: number }) {
  const { name, was, is } = t.data;
  const differs = compared && Math.abs(is - was) > Math.max(is, was) / 2000;
  const share = differs ? (is - was) / most : 0;
  const said = `${name}: ${write(is)}${differs ? `, was ${write(was)} (${was ? percent(is - was, was) : "new"})` : ""}`;
  const tint = Math.round(Math.abs(share) * 40);
  const [wide, high] = [t.x1 - t.x0 > 28, t.y1 - t.y0];
  const background = share ? `color-mix(in srgb, var(${share > 0 ? "--launches" : "--memory"}) ${Math.max(6, tint)}%, var(--panel))` : "var(--panel)";
  const style = { left: `${t.x0}px`, top: `${t.y0}px`, width: `${t.x1 - t.x0}px`, height: `${t.y1 - t.y0}px`, background, borderColor: "var(--line)" };
  return (
    <button type="button" class="tile" style={style} title={said} aria-label={said} onClick={() => open(t.data.path)} disabled={!t.data.children}>
      {wide && high > 16 && <span>{name}</span>}
      {wide && high > 32 && (
        <span>
          {write(is)} {differs && (was ? percent(is - was, was) : "new")}
        </span>
      )}
    </button>
  );
}

interface Point {
  x: number; // flops a byte
  y: number; // flops a second
  k: Kernel;
}

function pointsOf(list: Kernel[] | undefined, kept: (i: number) => boolean): Point[] {
  const out: Point[] = [];
  (list ?? []).forEach((k, i) => {
    const ns = total(k.time) / k.runs;
    if (k.flops && k.bytes && ns && kept(i)) out.push({ x: k.flops / k.bytes, y: (k.flops / ns) * 1e9, k });
  });
  return out;
}

/** decades label a logarithmic axis, at distances that leave room for the labels. */
function decades(u: uPlot, list: number[]): string[] {
  const { min, max } = u.scales.x!;
  const every = Math.ceil((Math.log10(max! / min!) * 64 * devicePixelRatio) / u.bbox.width);
  const labelled = (v: number) => v !== null && Math.abs(Math.log10(v) / every - Math.round(Math.log10(v) / every)) < 1e-6;
  return list.map((v) => (!labelled(v) ? "" : v < 1 ? v.toPrecision(1) : rate(v)));
}

/** Roofline shows how much each kernel computes for each byte, and how fast it is predicted to. */
function Roofline({ ledgers, side }: { ledgers: Ledgers; side: Side }) {
  const device = side.device;
  const built = useMemo(() => {
    if (!device) return undefined;
    const m = match(ledgers);
    const now = pointsOf(ledgers.new?.kernels, () => true);
    const old = pointsOf(ledgers.old?.kernels, (i) => m.old[i] !== "same" || !ledgers.new);
    return { data: aligned(now, old, device), now, old };
  }, [ledgers, device]);
  if (!device || !built || built.now.length + built.old.length === 0) return null;
  const dots = (name: string, stroke: string, fill?: string): uPlot.Series => ({ label: name, stroke, paths: () => null, points: { show: true, size: 8, stroke, fill: fill ?? stroke }, value: (_, v) => (v == null ? "" : rate(v) + "flop/s") });
  const options = () => ({
    scales: { x: { time: false, distr: 3 as const }, y: { distr: 3 as const } },
    cursor: { drag: { x: true, y: true } },
    axes: [axis({ label: "flops for each byte", labelSize: 18, values: decades }), axis({ size: 100, values: (_, list) => list.map((v) => (v == null ? "" : rate(v) + "flop/s")) })],
    series: [
      { label: "flops a byte", value: (_: uPlot, v: number) => (v == null ? "" : v.toPrecision(3)) },
      { label: `limit of ${device.name}`, stroke: color("minus"), width: 2, spanGaps: true, points: { show: false }, value: () => "" },
      dots(ledgers.old ? "after" : "kernels", color("compute")),
      ...(built.old.length ? [dots("before, of what changed", color("launches"), color("ground"))] : []),
    ],
  });
  return (
    <section aria-label="Roofline">
      <h2>Roofline of {device.name}</h2>
      <Chart data={built.data} options={options} height={360} label={`How fast ${built.now.length} kernels compute for each byte that they move`} />
      {built.now.some((p) => p.y > 1.01 * roof(p.x, device)) && <p class="dim">The line is the limit of the memory and of the arithmetic. Kernels above it find their operands in a cache.</p>}
      <Nearest points={built.now.length ? built.now : built.old} />
    </section>
  );
}

function roof(x: number, d: NonNullable<Side["device"]>): number {
  return Math.min(d.flops || d.vector, x * d.bandwidth);
}

function aligned(now: Point[], old: Point[], d: NonNullable<Side["device"]>): uPlot.AlignedData {
  const all = [...now, ...old].map((p) => p.x);
  const [low, high] = [Math.min(...all) / 2, Math.max(...all, (d.flops / d.bandwidth) * 4) * 2];
  const xs = Array.from({ length: 60 }, (_, i) => low * (high / low) ** (i / 59));
  const rows = [
    ...xs.map((x) => [x, roof(x, d), null, null] as const),
    ...now.map((p) => [p.x, null, p.y, null] as const),
    ...old.map((p) => [p.x, null, null, p.y] as const),
  ].sort((a, b) => a[0] - b[0]);
  const column = (i: number) => rows.map((r) => r[i] ?? null);
  return [column(0), column(1), column(2), ...(old.length ? [column(3)] : [])] as uPlot.AlignedData;
}

function Nearest({ points }: { points: Point[] }) {
  const slow = [...points].sort((a, b) => total(b.k.time) - total(a.k.time)).slice(0, 8);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Kernels with arithmetic that take the longest">
      <table>
        <thead>
          <tr>
            <th>kernel</th>
            <th class="right">time</th>
            <th class="right wide-only">flops a byte</th>
            <th class="right">flops a second</th>
            <th class="wide-only">line</th>
          </tr>
        </thead>
        <tbody>
          {slow.map((p, i) => (
            <tr key={i}>
              <td>
                {p.k.does} <code class="dim narrow-only">{short(p.k)}</code>
              </td>
              <td class="right">{time(total(p.k.time))}</td>
              <td class="right wide-only">{p.x.toPrecision(3)}</td>
              <td class="right">{rate(p.y)}flop/s</td>
              <td class="wide-only">
                <code>{place(p.k)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
