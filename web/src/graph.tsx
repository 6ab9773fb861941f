// The whole program as a graph, collapsed by the model's scopes: only what is open is laid out.

import { useMemo, useState } from "preact/hooks";
import type { Graph } from "./data";
import { Drawing, type Edge, type Node } from "./drawing";
import { count } from "./format";
import { find, hlo, instruction, word } from "./hlo";
import type { Shown } from "./program";
import { usePart } from "./use";

export function GraphView(s: Shown) {
  const [before, setBefore] = useState(!s.variant.new?.graph);
  const name = (before ? s.variant.old : s.variant.new)?.graph;
  const graph = usePart<Graph>(name);
  if (!s.variant.new?.graph && !s.variant.old?.graph) return <p>The module is not there: a page that is made from a dump draws it.</p>;
  return (
    <>
      {s.variant.old?.graph && s.variant.new?.graph && (
        <div class="tools">
          <button type="button" aria-pressed={before} onClick={() => setBefore(!before)}>
            Before
          </button>
        </div>
      )}
      {graph instanceof Error ? <p role="alert">{graph.message}</p> : graph ? <Whole key={name} g={graph} /> : <p>Reading …</p>}
    </>
  );
}

interface Scope {
  name: string;
  path: string;
  parent?: Scope;
  scopes: Map<string, Scope>;
  instructions: number[];
  size: number;
}

const mostNodes = 150;
const fewest = 40; // instructions that are drawn however many scopes there are

function Whole({ g }: { g: Graph }) {
  const tree = useMemo(() => treeOf(g), [g]);
  const [open, setOpen] = useState<string[]>(() => firstOpen(tree.root));
  const [chosen, choose] = useState<number>();
  const [text, setText] = useState("");
  const [sought, seek] = useState<number>();
  const toggle = (path: string) => setOpen(open.includes(path) ? open.filter((o) => o !== path && !o.startsWith(path + "/")) : [...open, path]);
  const drawn = useMemo(() => visible(g, tree, new Set(open), toggle, choose, sought), [g, tree, open, sought]);
  const search = (e: Event) => {
    e.preventDefault();
    const i = found(g, tree, text);
    if (i === undefined) return;
    choose(i);
    seek(i);
    setOpen([...new Set([...open, ...ancestors(tree.of.get(i)!)])]);
  };
  return (
    <>
      <form class="tools" role="search" onSubmit={search}>
        <label>
          Find an instruction or a scope <input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
        <button type="submit">Find</button>
        <button type="button" onClick={() => setOpen(firstOpen(tree.root))}>
          Close all
        </button>
        <span class="dim">
          {count(g.names.length)} instructions{drawn.left ? `; ${count(drawn.left)} of the open scopes are not drawn` : ""}
        </span>
      </form>
      <Opened open={open} close={toggle} />
      <Drawing nodes={drawn.nodes} edges={drawn.edges} label="The program by scope" />
      {chosen !== undefined && <Instruction g={g} i={chosen} />}
    </>
  );
}

function Opened({ open, close }: { open: string[]; close: (path: string) => void }) {
  const shown = open.filter((o) => o);
  if (shown.length === 0) return null;
  return (
    <p class="crumbs">
      <span class="dim">open:</span>
      {shown.map((o) => (
        <button key={o} type="button" onClick={() => close(o)} aria-label={`Close ${o}`}>
          {o} ×
        </button>
      ))}
    </p>
  );
}

function Instruction({ g, i }: { g: Graph; i: number }) {
  return (
    <section class="detail-panel" aria-label="The chosen instruction">
      <h2>{g.names[i]}</h2>
      <p>
        <code>{word(g, g.ops[i]!)}</code> <code>{word(g, g.places[i]!)}</code>
      </p>
      <div class="hlo scroll" tabIndex={0} role="region" aria-label="HLO">
        <div>{instruction(g, i, (n) => g.names[n]!)}</div>
        {(hlo(g, g.names[i]!) ?? []).slice(1).map((l) => (
          <div>{l}</div>
        ))}
      </div>
    </section>
  );
}

interface TreeOf {
  root: Scope;
  of: Map<number, Scope>;
  sources: (i: number) => number[];
}

const throughs = new Set(["get-tuple-element", "bitcast", "copy-done", "opt-barrier"]);
const leftOut = new Set(["parameter", "constant", "tuple", ...throughs]);

/** treeOf puts the instructions that run by themselves into their scopes: those of fusions stand in the fusion's text. */
function treeOf(g: Graph): TreeOf {
  const root: Scope = { name: "", path: "", scopes: new Map(), instructions: [], size: 0 };
  const of = new Map<number, Scope>();
  for (const c of running(g)) {
    const { first, count } = g.comps[c]!;
    for (let i = first; i < first + count; i++) {
      if (leftOut.has(word(g, g.opcodes[i]!))) continue;
      const scope = scopeAt(root, word(g, g.ops[i]!));
      scope.instructions.push(i);
      of.set(i, scope);
      for (let s: Scope | undefined = scope; s; s = s.parent) s.size++;
    }
  }
  return { root, of, sources: sourcesIn(g) };
}

/** running are the computations whose instructions are launched: the entry, and the bodies and branches below it. */
function running(g: Graph): number[] {
  const seen = new Set<number>();
  const todo = [g.entry];
  while (todo.length) {
    const c = todo.pop()!;
    if (seen.has(c)) continue;
    seen.add(c);
    const { first, count } = g.comps[c]!;
    for (let i = first; i < first + count; i++) if (/^(while|conditional|call|async-start)$/.test(word(g, g.opcodes[i]!))) todo.push(...g.callees[i]!);
  }
  return [...seen];
}

const noScope = "without a scope";

function scopeAt(root: Scope, op: string): Scope {
  let at = root;
  const steps = op.split("/");
  for (const step of steps.length > 2 ? steps.slice(1, -1) : [noScope]) {
    let next = at.scopes.get(step);
    if (!next) {
      next = { name: step, path: at.path ? `${at.path}/${step}` : step, parent: at, scopes: new Map(), instructions: [], size: 0 };
      at.scopes.set(step, next);
    }
    at = next;
  }
  return at;
}

/** sourcesIn looks through what only names a value: the instructions that an operand really comes from. */
function sourcesIn(g: Graph): (i: number) => number[] {
  const through = (i: number): number => {
    for (let n = 0; n < 50 && throughs.has(word(g, g.opcodes[i]!)) && g.operands[i]!.length; n++) i = g.operands[i]![0]!;
    return i;
  };
  return (i) => g.operands[i]!.map(through);
}

const enough = 8; // closed scopes, to see how they hang together
const mostLoose = 20; // instructions of a scope itself that is opened unasked

/** firstOpen opens the largest scopes, until there is something to see. */
function firstOpen(root: Scope): string[] {
  const open = [root];
  const closed = [...root.scopes.values()];
  while (closed.length < enough) {
    closed.sort((a, b) => b.size - a.size);
    const at = closed.findIndex((s) => s.scopes.size > 0 && s.instructions.length < mostLoose);
    if (at < 0) break;
    const [largest] = closed.splice(at, 1);
    open.push(largest!);
    closed.push(...largest!.scopes.values());
  }
  return open.map((s) => s.path);
}

function ancestors(s: Scope): string[] {
  const out: string[] = [];
  for (let at: Scope | undefined = s; at; at = at.parent) out.push(at.path);
  return out;
}

function found(g: Graph, tree: TreeOf, text: string): number | undefined {
  const exact = find(g, text);
  if (exact !== undefined && tree.of.has(exact)) return exact;
  const lower = text.toLowerCase();
  for (const i of tree.of.keys()) if (`${g.names[i]} ${word(g, g.ops[i]!)}`.toLowerCase().includes(lower)) return i;
  return undefined;
}

/** visible are the closed scopes and the instructions of open ones, with the edges between them. Closed scopes come first: they stand for the most. */
function visible(g: Graph, tree: TreeOf, open: Set<string>, toggle: (path: string) => void, choose: (i: number) => void, chosen?: number): { nodes: Node[]; edges: Edge[]; left: number } {
  const nodes: Node[] = [];
  const scopes = new Map<Scope, number>();
  const single = new Map<number, number>();
  const opened: Scope[] = [];
  let left = 0;
  const walk = (s: Scope) => {
    opened.push(s);
    for (const inner of s.scopes.values()) {
      if (open.has(inner.path)) walk(inner);
      else if (nodes.length < mostNodes) {
        scopes.set(inner, nodes.length);
        nodes.push({ label: inner.name, sub: inner.size === 1 ? "1 instruction" : `${count(inner.size)} instructions`, kind: "group", said: "a scope: opens", open: () => toggle(inner.path) });
      } else left += inner.size;
    }
  };
  walk(tree.root);
  const room = Math.max(fewest, mostNodes - nodes.length);
  const lastFirst = [...open].reverse();
  opened.sort((a, b) => lastFirst.indexOf(a.path) - lastFirst.indexOf(b.path));
  for (const i of around(opened.flatMap((s) => s.instructions), room, chosen)) {
    single.set(i, nodes.length);
    nodes.push({ label: word(g, g.opcodes[i]!), sub: g.names[i], said: word(g, g.shapes[i]!), kind: i === chosen ? "moved" : "", sought: i === chosen, open: () => choose(i) });
  }
  for (const s of opened) left += s.instructions.length;
  const nodeOf = (i: number) => single.get(i) ?? scopeNode(tree.of.get(i), scopes);
  return { nodes, edges: edgesOf(tree, nodeOf), left: left - single.size };
}

/** around is as much of a list as there is room for, with the chosen one in it. */
function around(list: number[], room: number, chosen?: number): number[] {
  const at = chosen === undefined ? 0 : list.indexOf(chosen);
  const first = Math.max(0, Math.min(at - (room >> 1), list.length - room));
  return list.slice(first, first + room);
}

function scopeNode(s: Scope | undefined, scopes: Map<Scope, number>): number | undefined {
  for (; s; s = s.parent) {
    const at = scopes.get(s);
    if (at !== undefined) return at;
  }
  return undefined;
}

function edgesOf(tree: TreeOf, nodeOf: (i: number) => number | undefined): Edge[] {
  const seen = new Set<number>();
  const edges: Edge[] = [];
  for (const i of tree.of.keys()) {
    const to = nodeOf(i);
    if (to === undefined) continue;
    for (const source of tree.sources(i)) {
      const from = nodeOf(source);
      if (from === undefined || from === to || seen.has(from * 100_000 + to)) continue;
      seen.add(from * 100_000 + to);
      edges.push({ from, to });
    }
  }
  return edges;
}
