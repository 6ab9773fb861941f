// Numbers and names as people read them.

import type { Kernel, Price } from "./data";

export function bytes(n: number): string {
  return scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
}

export function time(ns: number): string {
  return scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
}

export function count(n: number): string {
  return n.toLocaleString("en", { maximumFractionDigits: 1 });
}

export function rate(n: number): string {
  return scaled(n, 1000, ["", "k", "M", "G", "T", "P"]);
}

function scaled(n: number, by: number, units: string[]): string {
  const sign = n < 0 ? "−" : "";
  n = Math.abs(n);
  let unit = 0;
  while (n >= by * 0.9995 && unit < units.length - 1) {
    n /= by;
    unit++;
  }
  const digits = unit === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
  return `${sign}${n.toFixed(digits)} ${units[unit]}`.trim();
}

/** fact writes an amount of a fact in the unit that its name tells. */
export function fact(name: string, n: number): string {
  if (name.endsWith("_ns")) return time(n);
  if (/bytes/.test(name)) return bytes(n);
  return count(n);
}

export function signed(text: (n: number) => string, n: number): string {
  return n > 0 ? "+" + text(n) : text(n);
}

export function percent(part: number, whole: number): string {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${Math.abs(share).toFixed(Math.abs(share) < 100 ? 1 : 0)} %`;
}

/** moved says whether a fact changed by so much that it is worth a look: an amount may differ by rounding. */
export function moved(name: string, was: number, is: number): boolean {
  const amount = /_ns$|bytes|flops/.test(name);
  return fact(name, was) !== fact(name, is) && !(amount && Math.abs(is - was) < was / 1000);
}

/** growth is "+6.6 %" of a step, or "× 12"; "" for too little to be seen. */
export function growth(p: Price): string {
  const { step_ns: by, step_was_ns: was = 0 } = p;
  if (was <= 0 || Math.abs(by / was) < 0.0005) return "";
  return by >= 9 * was ? times(by, was) : percent(by, was);
}

/** between is " (+2 … +7 %)" or " (× 1.2 … × 13)": the ends of a price in the unit of its middle; "" where both read the same. */
export function between(p: Price): string {
  const { low_ns, high_ns, step_was_ns: was = 0 } = p;
  if (was <= 0) return "";
  const share = (ns: number) => signed(count, Math.round((100 * ns) / was) || 0).replace("-", "−");
  const many = p.step_ns >= 9 * was;
  const [low, high] = [low_ns, high_ns].map((ns) => (many ? times(ns, was) : share(ns)));
  return low === high ? "" : ` (${low} … ${high}${many ? "" : " %"})`;
}

/** times is "× 1.2" or "× 13": how often the whole fits into what it grew to. */
function times(by: number, whole: number): string {
  const factor = 1 + by / whole;
  return "× " + (factor < 9.95 ? factor.toFixed(1) : count(Math.round(factor)));
}

const classes = [
  { of: ["kernel", "library"], one: "kernel", many: "kernels" },
  { of: ["copy"], one: "copy", many: "copies" },
  { of: ["collective"], one: "collective", many: "collectives" },
  { of: ["control"], one: "loop or branch", many: "loops and branches" },
];

/** launches is "126 kernels, 2 copies": kernels are counted as the fact kernels.total counts them. */
export function launches(list: Kernel[]): string {
  const counted = classes.map((c) => [list.filter((k) => c.of.includes(k.class)).length, c] as const);
  return counted.filter(([n], i) => n > 0 || i === 0).map(([n, c]) => `${count(n)} ${n === 1 ? c.one : c.many}`).join(", ");
}

/** place is "train.py:98"; "" for none. */
export function place(at: { file?: string; line?: number }): string {
  return at.file ? `${at.file}:${at.line ?? 0}` : "";
}

/** short is a place without the folders of its file. */
export function short(at: { file?: string; line?: number }): string {
  return place(at).split("/").at(-1)!;
}

/** scope is an op_name as steps from the outermost in, without the program and the operation itself. */
export function scope(op: string): string[] {
  const steps = op.split("/");
  return steps.length > 2 ? steps.slice(1, -1) : [];
}

/** The parts of a launch's time, in the order in which documents hold them. */
export const parts = ["launches", "compute", "memory", "network", "host"] as const;
export const partFacts = ["price.launch_ns", "price.compute_ns", "price.memory_ns", "price.network_ns", "price.host_ns"];

export function total(times: number[] | undefined): number {
  return (times ?? []).reduce((sum, t) => sum + t, 0);
}
