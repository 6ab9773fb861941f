// The documents that xlagate writes into the page, and how they are read. internal/webpage holds the same types in Go.

export type Facts = Record<string, number>;

export interface Core {
  kind: "result" | "diff" | "inspect";
  title: string;
  version: string;
  old?: string;
  new?: string;
  same?: boolean;
  result?: Result;
  changes: Change[];
  programs: Program[];
  files: Record<string, SourceFile>;
  problems?: Problem[];
  fixes?: Record<string, string>; // by the id of a change
}

export interface Result {
  verdict: "pass" | "fail" | "incomplete";
  summary: { changes: number; errors: number; warnings: number; infos: number; waived: number; checks: number; targets: number; programs: number };
  targets: { name: string; dump: string; baseline?: string; device?: string; device_assumed?: boolean; not_covered: string[]; toolchain: Toolchain }[];
  findings: Finding[];
  problems?: Problem[];
  notes?: { kind: string; target?: string; program?: string; message: string; fix?: string }[];
  headroom?: { target: string; program: string; rule: string; subject?: string; actual: number; limit: number; unit?: string }[];
}

export interface Toolchain {
  framework?: string;
  versions?: Record<string, string>;
  backend?: string;
  device?: string;
}

export interface Problem {
  target?: string;
  program?: string;
  file?: string;
  message: string;
  fix?: string;
}

export interface Finding {
  id: string;
  change: string;
  rule: string;
  name?: string;
  level: string;
  target: string;
  program: string;
  subject?: string;
  waived: boolean;
  message: string;
  reason?: string;
}

export interface Price {
  step_ns: number;
  low_ns: number; // the ends between which it is expected
  high_ns: number;
  step_was_ns?: number;
  peak_bytes: number;
  compilations: number;
}

export interface Change {
  id: string;
  level: string;
  target: string;
  program: string;
  variants: string[];
  others?: { program: string; variants: string[]; price: Price }[];
  kind: string;
  title: string;
  details?: string[];
  op_name?: string;
  source?: { file?: string; line?: number; function?: string; text?: string; edited?: boolean };
  price: Price;
  effects: { fact: string; was: number; is: number }[];
  evidence?: { before?: string[]; after?: string[] };
  findings: string[];
  accept?: string;
  overrides?: string[];
  waived: boolean;
  waiver?: { reason: string; owner: string; expires: string };
}

export interface Program {
  target: string;
  name: string;
  was?: string;
  change: string;
  main?: boolean;
  variants: Variant[];
}

export interface Variant {
  signature: string;
  change: string;
  part: string;
  step?: Price; // what it grew by
  old?: Side;
  new?: Side;
}

export interface Side {
  facts: Facts;
  device?: { name: string; flops: number; vector: number; bandwidth: number };
  modules?: string[];
  missing?: string[];
  kernels: number;
  graph?: string;
}

export interface SourceFile {
  lines: string[];
  edited?: [number, number][];
}

export interface Ledgers {
  old?: Ledger;
  new?: Ledger;
  links: [number[], number[]][];
  memory?: { old?: Memory; new?: Memory };
}

export interface Ledger {
  kernels: Kernel[];
  bodies: Op[][];
}

export interface Kernel {
  name: string;
  does: string;
  kind: string;
  class: "kernel" | "library" | "copy" | "collective" | "control";
  out: string;
  in?: string[];
  op: string;
  file?: string;
  line?: number;
  function?: string;
  runs: number;
  time?: number[];
  measured?: number;
  bytes: number;
  flops?: number;
  async?: boolean;
  beside?: number;
  loop?: string;
  from?: number[];
  body: number;
  print?: string;
}

export interface Op {
  opcode: string;
  shape: string;
  from: number[] | null;
}

export interface Memory {
  live: number[];
  scopes: { name: string; live: number[] }[];
  peak: number;
  alive: { name: string; op: string; shape: string; file?: string; line?: number; bytes: number; from: number; to: number }[];
  kernel: number[];
}

export interface Graph {
  entry: number;
  comps: { name: string; first: number; count: number; root: number }[];
  names: string[];
  opcodes: number[];
  shapes: number[];
  attrs: number[];
  ops: number[];
  places: number[];
  operands: number[][];
  callees: number[][];
  arguments: string[];
  words: string[];
}

const read = new Map<string, Promise<unknown>>();

/** part reads a document that the page holds, by its name. */
export function part<T>(name: string): Promise<T> {
  let known = read.get(name);
  if (!known) {
    known = unpack(name);
    read.set(name, known);
  }
  return known as Promise<T>;
}

async function unpack(name: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(document.getElementById(name)!.textContent!), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
