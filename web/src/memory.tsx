// The bytes that are alive at each step of the schedule, by scope, before against after, and what is alive at the peak.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { Shown } from "./app";
import { axis, Chart } from "./chart";
import type { Ledgers, Memory } from "./data";
import { bytes, short } from "./format";
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
        {!old && s.variant.old && <span class="dim">The baseline keeps no schedule: only what is now is drawn.</span>}
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
      {title} {bytes(m.live[m.peak]!)} at step {m.peak} of {m.live.length}
    </span>
  );
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
  const { data, peak } = useMemo(() => stacked(old, now, n), [old, now]);
  const options = () => ({
    scales: { x: { time: false }, y: { range: (_: uPlot, __: number, most: number): uPlot.Range.MinMax => [0, most * 1.08] } },
    cursor: { drag: { x: true, y: false } },
    axes: [axis({ values: (_, list) => list.map((v) => `${Math.round((100 * v) / Math.max(1, n - 1))} %`), label: "of the schedule", labelSize: 18 }), axis({ size: 84, incrs: binary, values: (_, list) => list.map(bytes) })],
    series: series(old, now),
    hooks: { draw: [(u: uPlot) => mark(u, peak)] },
  });
  return <Chart data={data} options={options} height={340} label={`Live bytes over the schedule. The peak is ${bytes(now.live[now.peak]!)}${old ? `, before ${bytes(old.live[old.peak]!)}` : ""}.`} />;
}

/** stacked sums the scopes from the last to the first, so that the first is drawn on top and each covers the sum below it. */
function stacked(old: Memory | undefined, now: Memory, n: number): { data: uPlot.AlignedData; peak: number } {
  const below = new Array<number>(n).fill(0);
  const sums = [...now.scopes].reverse().map((s) => {
    sampled(s.live, n).forEach((b, i) => (below[i]! += b));
    return [...below];
  });
  const data: number[][] = [below.map((_, i) => i), ...sums.reverse()];
  if (old) data.push(sampled(old.live, n));
  return { data: data as uPlot.AlignedData, peak: Math.floor((now.peak * n) / now.live.length) };
}

function series(old: Memory | undefined, now: Memory): uPlot.Series[] {
  const list: uPlot.Series[] = [{ label: "step", value: (_, v) => (v == null ? "" : String(v)) }];
  now.scopes.forEach((s, i) => list.push({ label: s.name, stroke: color(hues[i % hues.length]!), fill: color(hues[i % hues.length]!), width: 0.5, points: { show: false }, value: (_, v) => (v == null ? "" : bytes(v)) }));
  if (old) list.push({ label: "before, all", stroke: color("text"), width: 2, dash: [6, 4], points: { show: false }, value: (_, v) => (v == null ? "" : bytes(v)) });
  return list;
}

function mark(u: uPlot, peak: number): void {
  const x = u.valToPos(peak, "x", true);
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = color("minus");
  ctx.fillStyle = color("text");
  ctx.lineWidth = 2 * devicePixelRatio;
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
              <th>line</th>
              <th>op_name</th>
              <th class="right wide-only">steps</th>
              {old && <th>before</th>}
            </tr>
          </thead>
          <tbody>
            {now.alive.slice(0, 60).map((a, i) => (
              <tr key={i}>
                <td class="right">{bytes(a.bytes)}</td>
                <td class="tight">
                  <code title={a.shape}>{a.shape}</code>
                </td>
                <td class="wide-only tight">
                  <code title={a.name}>{a.name}</code>
                </td>
                <td class="tight">
                  <code>{short(a)}</code>
                </td>
                <td>
                  <code class="dim">{a.op}</code>
                </td>
                <td class="right wide-only">
                  {a.from}–{a.to}
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
