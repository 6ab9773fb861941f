// The text of a kernel, printed from a graph or from what a baseline keeps of it.

import type { Graph, Kernel, Ledger } from "./data";

const names = new WeakMap<Graph, Map<string, number>>();

export function find(g: Graph, name: string): number | undefined {
  let known = names.get(g);
  if (!known) {
    known = new Map(g.names.map((n, i) => [n, i]));
    names.set(g, known);
  }
  return known.get(name);
}

export function word(g: Graph, at: number): string {
  return g.words[at] ?? "";
}

/** instruction is a line of HLO text, with the names that naming gives. */
export function instruction(g: Graph, i: number, naming: (i: number) => string): string {
  const args = g.arguments[i] || g.operands[i]!.map((o) => "%" + naming(o)).join(", ");
  const attrs = word(g, g.attrs[i]!);
  return `%${naming(i)} = ${word(g, g.shapes[i]!)} ${word(g, g.opcodes[i]!)}(${args})${attrs ? ", " + attrs : ""}`;
}

const mostLines = 400;

/** hlo is a kernel's instruction and what it calls. Numbers are given anew in order, so that two texts can be compared. */
export function hlo(g: Graph, name: string): string[] | undefined {
  const start = find(g, name);
  if (start === undefined) return undefined;
  const naming = renumbered(g);
  const lines: string[] = [];
  const seen = new Set<number>();
  const computation = (c: number) => {
    if (seen.has(c) || lines.length > mostLines) return;
    seen.add(c);
    const { first, count, root } = g.comps[c]!;
    lines.push("{");
    for (let i = first; i < first + count && lines.length < mostLines; i++) lines.push(`  ${i === root ? "ROOT " : ""}${instruction(g, i, naming)}`);
    lines.push("}");
    for (let i = first; i < first + count; i++) g.callees[i]!.forEach(computation);
  };
  lines.push(instruction(g, start, naming));
  g.callees[start]!.forEach(computation);
  if (lines.length >= mostLines) lines.push("…");
  return lines;
}

function renumbered(g: Graph): (i: number) => string {
  const given = new Map<number, string>();
  const used = new Map<string, number>();
  return (i) => {
    let name = given.get(i);
    if (!name) {
      const opcode = word(g, g.opcodes[i]!);
      const n = (used.get(opcode) ?? 0) + 1;
      used.set(opcode, n);
      name = `${opcode}.${n}`;
      given.set(i, name);
    }
    return name;
  };
}

/** kept is what the list of kernels alone says of one: a baseline holds no module. */
export function kept(l: Ledger, k: Kernel): string[] {
  const head = `${k.out} ${k.kind}(${(k.in ?? []).join(", ")})`;
  const ops = l.bodies[k.body] ?? [];
  if (ops.length === 0) return [head];
  return [head, "{", ...ops.map((o, i) => `  %${o.opcode}.${i} = ${o.shape} ${o.opcode}(${(o.from ?? []).map((f) => operand(ops, f)).join(", ")})`), "}"];
}

function operand(ops: { opcode: string }[], from: number): string {
  if (from >= 0 && ops[from]) return `%${ops[from].opcode}.${from}`;
  return from < 0 && from > -1000 ? `%operand.${~from}` : "%constant";
}
