// One kernel with its counterparts: what it costs, the HLO of both sides with their difference, and its operations as a graph.

import { diffArrays } from "diff";
import { useMemo } from "preact/hooks";
import type { Graph, Kernel, Ledger, Ledgers, Op } from "./data";
import { Drawing, type Edge, type Node } from "./drawing";
import { bytes, count, parts, place, rate, time, total } from "./format";
import { hlo, kept } from "./hlo";
import type { Matching } from "./match";
import type { Shown } from "./program";
import { href } from "./route";
import { usePart } from "./use";

interface DetailProps {
  shown: Shown;
  ledgers: Ledgers;
  m: Matching;
  side: "old" | "new";
  at: number;
}

export function Detail({ shown, ledgers, m, side, at }: DetailProps) {
  const old = side === "old" ? [at] : (m.toOld[at] ?? []);
  const now = side === "new" ? [at] : (m.toNew[at] ?? []);
  const before = useTexts(shown.variant.old?.graph, ledgers.old, old);
  const after = useTexts(shown.variant.new?.graph, ledgers.new, now);
  const fate = side === "old" ? m.old[at] : m.now[at];
  return (
    <section class="detail-panel" id="detail" aria-label="The chosen kernel">
      <h2>
        {ledgers[side]!.kernels[at]!.does} <span class="chip">{ledgers.old && ledgers.new ? fate : "kernel"}</span> <a href={href("kernels", shown.index)}>close</a>
      </h2>
      <div class="sides">
        {old.length > 0 && <Side title="before" ledger={ledgers.old!} list={old} index={shown.index} side="o" />}
        {now.length > 0 && <Side title={ledgers.old ? "after" : ""} ledger={ledgers.new!} list={now} index={shown.index} side="n" />}
      </div>
      <h3>HLO</h3>
      <Text before={before} after={after} />
      <Operations ledgers={ledgers} old={old} now={now} />
    </section>
  );
}

function Side({ title, ledger, list, index, side }: { title: string; ledger: Ledger; list: number[]; index: number; side: string }) {
  return (
    <div>
      {title && <h3>{title}</h3>}
      {list.map((i) => (
        <Facts key={i} k={ledger.kernels[i]!} link={href("kernels", index, side + i)} />
      ))}
    </div>
  );
}

function Facts({ k, link }: { k: Kernel; link: string }) {
  const split = (k.time ?? []).map((t, i) => t > 0 && `${parts[i]} ${time(t)}`).filter(Boolean);
  const rows: [string, string][] = [
    ["kind", k.kind],
    ["writes", k.out],
    ["reads", (k.in ?? []).join(", ")],
    ["op_name", k.op],
    ["line", place(k) + (k.function ? ` in ${k.function}` : "")],
    ["runs", k.runs > 1 ? `${count(k.runs)} times a step${k.loop ? ` in ${k.loop}` : ""}` : ""],
    ["predicted", k.time ? `${time(total(k.time))}: ${split.join(", ")}` : ""],
    ["measured", k.measured ? time(k.measured) : ""],
    ["moves", bytes(k.bytes)],
    ["computes", k.flops ? `${rate(k.flops)}flop` : ""],
  ];
  return (
    <dl class="facts">
      <div>
        <dt>name</dt>
        <dd>
          <a href={link}>
            <code>{k.name || "not kept"}</code>
          </a>
        </dd>
      </div>
      {rows
        .filter(([, v]) => v)
        .map(([name, v]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{v}</code>
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** useTexts is the HLO of kernels: of the module where it is there, else of what the ledger keeps. */
function useTexts(graph: string | undefined, ledger: Ledger | undefined, list: number[]): string[] | undefined {
  const g = usePart<Graph>(list.length ? graph : undefined);
  return useMemo(() => {
    if (!ledger || list.length === 0) return [];
    if (graph && !g) return undefined;
    return list.flatMap((i) => {
      const k = ledger.kernels[i]!;
      return (g && !(g instanceof Error) && hlo(g, k.name)) || kept(ledger, k);
    });
  }, [g, graph, ledger, list.join()]);
}

function Text({ before, after }: { before?: string[]; after?: string[] }) {
  if (!before || !after) return <p class="dim">Reading …</p>;
  const runs = before.length && after.length ? diffArrays(before, after) : [{ value: before.length ? before : after, added: false, removed: false }];
  const rows = runs.flatMap((r) => r.value.map((text) => ({ text, kind: r.added ? "plus" : r.removed ? "minus" : "", mark: r.added ? "+" : r.removed ? "−" : " " })));
  return (
    <div class="hlo scroll" tabIndex={0} role="region" aria-label="HLO, before and after">
      {rows.map((r, i) => (
        <div key={i} class={r.kind}>
          <span class="mark">{r.mark}</span>
          {r.text}
        </div>
      ))}
    </div>
  );
}

function Operations({ ledgers, old, now }: { ledgers: Ledgers; old: number[]; now: number[] }) {
  const before = old.map((i) => ledgers.old!.bodies[ledgers.old!.kernels[i]!.body] ?? []);
  const after = now.map((i) => ledgers.new!.bodies[ledgers.new!.kernels[i]!.body] ?? []);
  const key = old.join() + "/" + now.join();
  const left = useMemo(() => operations(before, after, "removed"), [key]);
  const right = useMemo(() => operations(after, before, "added"), [key]);
  if (left.nodes.length + right.nodes.length < 2) return null;
  return (
    <>
      <h3>Operations</h3>
      <div class="sides">
        {left.nodes.length > 0 && (
          <div>
            {now.length > 0 && <p class="dim">before</p>}
            <Drawing nodes={left.nodes} edges={left.edges} label="Operations before" />
          </div>
        )}
        {right.nodes.length > 0 && (
          <div>
            {old.length > 0 && <p class="dim">after</p>}
            <Drawing nodes={right.nodes} edges={right.edges} label="Operations after" />
          </div>
        )}
      </div>
    </>
  );
}

const mostOperations = 300;

/** operations are kernels as a graph; what the other side has not is marked, operations by what they do and edges by their ends. */
function operations(bodies: Op[][], others: Op[][], mark: "added" | "removed"): { nodes: Node[]; edges: Edge[] } {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const compare = others.flat().length > 0;
  const known = counts(others.flatMap((ops) => ops.map(spell)));
  const joined = counts(others.flatMap((ops) => ops.flatMap((o) => ends(ops, o))));
  for (const ops of bodies) {
    const first = nodes.length;
    const inputs = new Map<number, number>();
    for (const o of ops.slice(0, mostOperations)) nodes.push({ label: o.opcode, sub: o.shape, kind: compare && !take(known, spell(o)) ? mark : "" });
    ops.slice(0, mostOperations).forEach((o, i) => {
      for (const f of o.from ?? []) {
        const from = f >= 0 ? (f < mostOperations ? first + f : -1) : input(f, nodes, inputs);
        if (from >= 0) edges.push({ from, to: first + i, kind: compare && f >= 0 && !take(joined, end(ops, f, o)) ? mark : "" });
      }
    });
  }
  return { nodes, edges };
}

function input(from: number, nodes: Node[], inputs: Map<number, number>): number {
  if (from < -1000) return -1; // a constant
  let at = inputs.get(from);
  if (at === undefined) {
    at = nodes.length;
    nodes.push({ label: `operand ${~from}`, kind: "input" });
    inputs.set(from, at);
  }
  return at;
}

const spell = (o: Op) => `${o.opcode} ${o.shape}`;
const end = (ops: Op[], from: number, o: Op) => `${ops[from]?.opcode} ${o.opcode}`;
const ends = (ops: Op[], o: Op) => (o.from ?? []).filter((f) => f >= 0).map((f) => end(ops, f, o));

function counts(list: string[]): Map<string, number> {
  const out = new Map<string, number>();
  for (const s of list) out.set(s, (out.get(s) ?? 0) + 1);
  return out;
}

function take(left: Map<string, number>, key: string): boolean {
  const n = left.get(key) ?? 0;
  left.set(key, n - 1);
  return n > 0;
}
