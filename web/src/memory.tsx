// The bytes that are alive at each step of the schedule, by scope, before against after, and what is alive at the peak.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { axis, Chart } from "./chart";
import type { Ledgers, Memory } from "./data";
import { bytes, count, short } from "./format";
import type { Shown } from "./program";
import { color } from "./theme";
import { usePart } from "./use";

export function MemoryView(s: Shown) {
  const ledgers = usePart<Ledgers>(s.variant.part || undefined);
  if (!s.variant.part) return <p>This result holds no schedule.</p>;
  if (ledgers instanceof Error) return <p role="alert">{ledgers.message}</p>;
  if (!ledgers) return <p>Reading …</p>;
  const { old, new: now } = ledgers.memory ?? {};
  if (!old && !now) return <p>The modules are not there: what is alive at each step is not known. A dump tells, a baseline does not.</p>;
  return (
    <>
      <p>
        {now && <Peak title={old ? "after" : "peak"} m={now} />} {old && <Peak title="before" m={old} />}{" "}
        {!old && s.variant.old && <span class="dim">The baseline keeps no schedule: only the current run is drawn.</span>}
      </p>
      <Curve old={now ? old : undefined} now={now ?? old!} />
      <Alive old={old} now={now ?? old!} />
      <p class="dim">From the schedule and the sizes of arrays; what the compiler sets aside may be more where it leaves gaps.</p>
    </>
  );
}

function Peak({ title, m }: { title: string; m: Memory }) {
  return (
    <span class="chip">
      {title} {bytes(m.live[m.peak]!)} at {placeOf(m.peak, m)}
    </span>
  );
}

/** placeOf is a place in the schedule, counted as people count. A step is what a run of the whole program is called. */
function placeOf(at: number, m: Memory): string {
  return `instruction ${count(at + 1)} of ${count(m.live.length)}`;
}

const points = 700;

/** sampled is a curve of many steps in so many points, each the most of its steps, so that no peak is lost. */
function sampled(live: number[], n: number): number[] {
  const out = new Array<number>(n).fill(0);
  live.forEach((b, i) => {
    const at = Math.min(n - 1, Math.floor((i * n) / live.length));
    out[at] = Math.max(out[at]!, b);
  });
  for (let i = 1; i < n; i++) if (live.length < n && Math.floor((i * live.length) / n) === Math.floor(((i - 1) * live.length) / n)) out[i] = Math.max(out[i]!, out[i - 1]!);
  return out;
}

/** binary are the distances of lines: powers of two, so that labels are round. */
const binary = Array.from({ length: 45 }, (_, i) => 2 ** i);

const hues = ["compute", "launches", "network", "host", "memory", "warn", "plus", "kept"];

function Curve({ old, now }: { old?: Memory; now: Memory }) {
  const n = Math.min(points, Math.max(now.live.length, old?.live.length ?? 0));
  const { data, own, peak } = useMemo(() => stacked(old, now, n), [old, now]);
  const options = () => ({
    scales: { x: { time: false }, y: { range: (_: uPlot, __: number, most: number): uPlot.Range.MinMax => [0, most * 1.08] } },
    cursor: { drag: { x: true, y: false } },
    axes: [axis({ values: (_, list) => list.map((v) => `${v} %`), label: "of the schedule", labelSize: 18 }), axis({ size: 84, incrs: binary, values: (_, list) => list.map(bytes) })],
    series: series(old, now, own, peak),
    hooks: { draw: [(u: uPlot) => mark(u, data[0][peak]!)] },
  });
  return <Chart data={data} options={options} height={340} label={`Live bytes over the schedule. The peak is ${bytes(now.live[now.peak]!)}${old ? `, before ${bytes(old.live[old.peak]!)}` : ""}.`} />;
}

/** stacked sums the scopes from the last to the first, so that the first is drawn on top and each covers the sum below it. */
function stacked(old: Memory | undefined, now: Memory, n: number): { data: uPlot.AlignedData; own: number[][]; peak: number } {
  const below = new Array<number>(n).fill(0);
  const own = now.scopes.map((s) => sampled(s.live, n));
  const sums = [...own].reverse().map((list) => {
    list.forEach((b, i) => (below[i]! += b));
    return [...below];
  });
  const data: number[][] = [below.map((_, i) => (100 * i) / Math.max(1, n - 1)), ...sums.reverse()];
  if (old) {
    own.push(sampled(old.live, n));
    data.push(own.at(-1)!);
  }
  return { data: data as uPlot.AlignedData, own, peak: Math.floor((now.peak * n) / now.live.length) };
}

/** series name the buffers. The legend has their own bytes where the pointer is, else at the peak: the curves are sums. */
function series(old: Memory | undefined, now: Memory, own: number[][], peak: number): uPlot.Series[] {
  const value: uPlot.Series.Value = (_, __, i, at) => bytes(own[i - 1]![at ?? peak]!);
  const line = (label: string, more: Partial<uPlot.Series>): uPlot.Series => ({ label, points: { show: false }, value, ...more });
  const place: uPlot.Series.Value = (_, __, ___, at) => (at == null ? "the peak" : placeOf(Math.floor((at * now.live.length) / own[0]!.length), now));
  const hue = (i: number) => color(hues[i % hues.length]!);
  return [
    { label: "at", value: place },
    ...now.scopes.map((s, i) => line(s.name, { stroke: hue(i), fill: hue(i), width: 0.5 })),
    ...(old ? [line("before, all", { stroke: color("text"), width: 2, dash: [6, 4] })] : []),
  ];
}

function mark(u: uPlot, at: number): void {
  const x = u.valToPos(at, "x", true);
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = color("minus");
  ctx.fillStyle = color("text");
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
  ctx.fillText("peak", x + (ctx.textAlign === "left" ? 6 : -6) * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
  ctx.restore();
}

function Alive({ old, now }: { old?: Memory; now: Memory }) {
  const before = new Map((old?.alive ?? []).map((a) => [a.op + a.shape, a]));
  return (
    <section aria-label="Alive at the peak">
      <h2>Alive at the peak</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of arrays">
        <table>
          <thead>
            <tr>
              <th class="right">bytes</th>
              <th>array</th>
              <th class="wide-only">made by</th>
              <th class="wide-only">line</th>
              <th class="wide-only">op_name</th>
              <th class="right wide-only">instructions</th>
              {old && <th>before</th>}
            </tr>
          </thead>
          <tbody>
            {now.alive.slice(0, 60).map((a, i) => (
              <tr key={i}>
                <td class="right">{bytes(a.bytes)}</td>
                <td class="tight">
                  <code title={a.shape}>{a.shape}</code>
                  <code class="dim narrow-only">
                    {short(a)} {a.op || a.name}
                  </code>
                </td>
                <td class="wide-only tight">
                  <code title={a.name}>{a.name}</code>
                </td>
                <td class="wide-only tight">
                  <code>{short(a)}</code>
                </td>
                <td class="wide-only">
                  <code class="dim">{a.op}</code>
                </td>
                <td class="right wide-only">
                  {a.from + 1}–{a.to + 1}
                </td>
                {old && <td>{before.has(a.op + a.shape) ? "alive" : "not"}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
