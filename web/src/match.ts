// What became of each kernel, from the links between two lists of kernels.

import type { Kernel, Ledgers } from "./data";

export type Fate = "same" | "changed" | "split" | "merged" | "added" | "removed";

export interface Matching {
  old: Fate[];
  now: Fate[];
  toNew: number[][]; // of each old kernel the new ones that it corresponds to
  toOld: number[][];
}

export function match(l: Ledgers): Matching {
  const old = l.old?.kernels ?? [];
  const now = l.new?.kernels ?? [];
  const m: Matching = { old: old.map(() => "removed"), now: now.map(() => (l.old ? "added" : "same")), toNew: old.map(() => []), toOld: now.map(() => []) };
  for (const [was, is] of l.links) {
    const fate: Fate = is.length > 1 ? "split" : was.length > 1 ? "merged" : alike(old[was[0]!]!, now[is[0]!]!) ? "same" : "changed";
    for (const o of was) {
      m.old[o] = fate;
      m.toNew[o] = is;
    }
    for (const n of is) {
      m.now[n] = fate;
      m.toOld[n] = was;
    }
  }
  return m;
}

function alike(a: Kernel, b: Kernel): boolean {
  if (a.runs !== b.runs) return false;
  if (a.print && b.print) return a.print === b.print;
  return a.does === b.does && a.out === b.out && a.kind === b.kind;
}

/** A row of a lane: one kernel, or a run of kernels that are the same. */
export interface Item {
  list: number[];
  fate: Fate;
  x: number;
  width: number;
}

const widths = { one: 168, run: 118, gap: 10 };

/** lanes places both lists so that what corresponds stands below each other, as far as the order allows. */
export function lanes(m: Matching, order: number[], all: boolean): { old: Item[]; now: Item[]; width: number } {
  const old = items(order, m.old, all);
  const now = items(m.now.map((_, i) => i), m.now, all);
  const itemOf = new Map<number, number>();
  old.forEach((item, i) => item.list.forEach((o) => itemOf.set(o, i)));
  let placed = 0;
  let xOld = widths.gap;
  let xNow = widths.gap;
  const put = (item: Item, x: number) => {
    item.x = x;
    return x + item.width + widths.gap;
  };
  const partners = now.map((item) => itemOf.get(m.toOld[item.list[0]!]?.[0] ?? -1));
  const anchors = rising(partners);
  for (const [at, item] of now.entries()) {
    const partner = partners[at];
    if (partner !== undefined && anchors.has(at) && partner >= placed) {
      while (placed < partner) xOld = put(old[placed++]!, xOld);
      const x = Math.max(xOld, xNow);
      xOld = put(old[placed++]!, x);
      xNow = put(item, x);
    } else xNow = put(item, xNow);
  }
  while (placed < old.length) xOld = put(old[placed++]!, xOld);
  return { old, now, width: Math.max(xOld, xNow) };
}

/** items joins runs of kernels that are the same. */
function items(order: number[], fates: Fate[], all: boolean): Item[] {
  const out: Item[] = [];
  for (const i of order) {
    const fate = fates[i]!;
    const last = out.at(-1);
    if (!all && fate === "same" && last?.fate === "same") last.list.push(i);
    else out.push({ list: [i], fate, x: 0, width: 0 });
  }
  for (const item of out) item.width = item.list.length > 1 ? widths.run : widths.one;
  return out;
}

/** rising are the places of the longest sequence of numbers that grow: those can stand below each other without crossing. */
function rising(list: (number | undefined)[]): Set<number> {
  const ends: number[] = []; // of the sequences of each length, where the one with the least end ends
  const before: number[] = [];
  list.forEach((n, i) => {
    if (n === undefined) return;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[ends[middle]!]! < n) low = middle + 1;
      else high = middle;
    }
    before[i] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = i;
  });
  const out = new Set<number>();
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i]!) out.add(i);
  return out;
}

/**
 * reordered is the old kernels in an order that can be shown: that of their schedule where it is known. A baseline does not keep it; its kernels
 * stand where their partners do, and those without one behind the kernel whose op_name begins most alike.
 */
export function reordered(l: Ledgers, m: Matching, scheduled: boolean): number[] {
  const old = l.old?.kernels ?? [];
  const all = old.map((_, i) => i);
  if (scheduled) return all;
  const now = l.new?.kernels ?? [];
  const key = all.map((i) => m.toNew[i]![0] ?? nearest(old[i]!.op, now) + 0.5);
  return all.sort((a, b) => key[a]! - key[b]!);
}

function nearest(op: string, list: Kernel[]): number {
  let best = -1;
  let most = 0;
  list.forEach((k, i) => {
    let n = 0;
    while (n < op.length && op[n] === k.op[n]) n++;
    if (n > most) [best, most] = [i, n];
  });
  return best;
}
