// The model's files with what each line costs in their margin.

import { useMemo } from "preact/hooks";
import type { Core, Kernel, Ledgers } from "./data";
import { edited } from "./excerpt";
import { bytes, percent, short, time, total } from "./format";
import type { Shown } from "./program";
import { go, href } from "./route";
import { usePart } from "./use";

interface Cost {
  was: number;
  is: number;
  kernel: number; // the dearest of the line
  most: number;
}

export function SourceView(s: Shown) {
  const ledgers = usePart<Ledgers>(s.variant.part || undefined);
  if (!s.variant.part) return <p>This result holds no kernels.</p>;
  if (ledgers instanceof Error) return <p role="alert">{ledgers.message}</p>;
  if (!ledgers) return <p>Reading …</p>;
  return <Loaded {...s} ledgers={ledgers} />;
}

function Loaded({ core, index, item, ledgers }: Shown & { ledgers: Ledgers }) {
  const costs = useMemo(() => costsOf(ledgers), [ledgers]);
  const files = [...costs.keys()].sort((a, b) => sum(costs.get(b)!) - sum(costs.get(a)!));
  const name = costs.has(item) ? item : (files.find((f) => core.files[f]) ?? files[0]);
  if (!name) return <p>The kernels name no line of the model.</p>;
  const priced = (ledgers.new ?? ledgers.old)!.kernels.some((k) => k.time);
  return (
    <>
      <div class="tools">
        <label>
          File{" "}
          <select value={name} onChange={(e) => go(href("source", index, e.currentTarget.value))}>
            {files.map((f) => (
              <option key={f} value={f}>
                {f}
                {core.files[f] ? "" : " (not here)"}
              </option>
            ))}
          </select>
        </label>
        <span class="dim">{priced ? "predicted time" : "bytes moved"} of each line's kernels</span>
      </div>
      <Lines core={core} name={name} lines={costs.get(name)!} index={index} write={priced ? time : bytes} compared={stored(ledgers)} />
    </>
  );
}

/** stored says whether both sides know lines: a baseline does not. */
function stored(l: Ledgers): boolean {
  return !!l.old?.kernels.some((k) => k.file) && !!l.new;
}

function weight(k: Kernel): number {
  return k.time ? total(k.time) : k.bytes * k.runs;
}

function costsOf(l: Ledgers): Map<string, Map<number, Cost>> {
  const out = new Map<string, Map<number, Cost>>();
  const add = (k: Kernel, i: number, side: "was" | "is") => {
    if (!k.file) return;
    if (!out.has(k.file)) out.set(k.file, new Map());
    const lines = out.get(k.file)!;
    const cost = lines.get(k.line ?? 0) ?? { was: 0, is: 0, kernel: -1, most: -1 };
    const w = weight(k);
    cost[side] += w;
    if (side === "is" && w > cost.most) [cost.kernel, cost.most] = [i, w];
    lines.set(k.line ?? 0, cost);
  };
  l.old?.kernels.forEach((k, i) => add(k, i, "was"));
  l.new?.kernels.forEach((k, i) => add(k, i, "is"));
  return out;
}

function sum(lines: Map<number, Cost>): number {
  return [...lines.values()].reduce((n, c) => n + c.is, 0);
}

function Lines(p: { core: Core; name: string; lines: Map<number, Cost>; index: number; write: (n: number) => string; compared: boolean }) {
  const file = p.core.files[p.name];
  const most = Math.max(...[...p.lines.values()].map((c) => c.is));
  const numbers = file ? file.lines.map((_, i) => i + 1) : [...p.lines.keys()].sort((a, b) => a - b);
  return (
    <>
      {!file && <p class="dim">The file that was compiled is not here: its lines are named only.</p>}
      <div class="source scroll" tabIndex={0} role="region" aria-label={`Source of ${p.name}`}>
        {numbers.map((n) => {
          const c = p.lines.get(n);
          return (
            <div key={n} id={`line-${n}`} class={file && edited(file, n) ? "edited" : ""}>
              <span class="cost">
                {c && c.kernel >= 0 && (
                  <button type="button" class="plain" onClick={() => go(href("kernels", p.index, "n" + c.kernel))} aria-label={`${p.write(c.is)} in line ${n}`}>
                    {p.write(c.is)}
                  </button>
                )}
                {c && p.compared && c.was !== c.is ? ` ${c.was ? percent(c.is - c.was, c.was) : "new"}` : ""}
              </span>
              <span class="gauge" aria-hidden="true">
                {c && <i style={{ width: `${(100 * c.is) / most}%` }} />}
              </span>
              <span class="number">{n}</span>
              <span class="edit">{file && edited(file, n) ? "●" : ""}</span>
              <code>{file ? file.lines[n - 1] || " " : short({ file: p.name, line: n })}</code>
            </div>
          );
        })}
      </div>
    </>
  );
}
