// Numbers and names as people read them.

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
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${Math.abs(share).toFixed(Math.abs(share) < 10 ? 1 : 0)} %`;
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
