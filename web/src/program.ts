// Programs as the page lists them: each variant by itself, with a number by which addresses name it.

import type { Core, Program, Variant } from "./data";

export interface Placed {
  program: Program;
  variant: Variant;
  index: number;
}

/** Shown is what a view draws. */
export interface Shown extends Placed {
  core: Core;
  item: string;
}

export function variants(core: Core): Placed[] {
  return core.programs.flatMap((program) => program.variants.map((variant) => ({ program, variant }))).map((v, index) => ({ ...v, index }));
}

/** stepOf is the predicted time of a step, as it is now; undefined where it is not known. */
export function stepOf(v: Variant): number | undefined {
  return (v.new ?? v.old)?.facts["price.step_ns"];
}

/** telling is what a view shows first: the program of the first change, else the one that takes the longest. */
export function telling(core: Core, all: Placed[]): Placed | undefined {
  const c = core.changes[0];
  const changed = c && all.find((o) => o.program.target === c.target && o.program.name === c.program && (c.variants.length === 0 || c.variants.includes(o.variant.signature)));
  const step = (o: Placed) => stepOf(o.variant) ?? 0;
  return changed ?? all.reduce<Placed | undefined>((most, o) => (most && step(most) >= step(o) ? most : o), undefined);
}

/** nameOf tells a variant from the others: by its program, and by the arguments that differ where the program has several. */
export function nameOf(v: Placed, all: Placed[]): string {
  const several = new Set(all.map((o) => o.program.target)).size > 1;
  const name = several ? `${v.program.target} / ${v.program.name}` : v.program.name;
  return v.program.variants.length === 1 ? name : `${name} ${v.program.variants.indexOf(v.variant) + 1}: ${signature(v.variant, v.program.variants)}`;
}

const mostLetters = 90;

function signature(v: Variant, all: Variant[]): string {
  const own = argumentsOf(v.signature);
  const others = all.filter((o) => o !== v).map((o) => new Set(argumentsOf(o.signature)));
  const differ = own.filter((a) => !others.every((o) => o.has(a)));
  const same = own.length - differ.length;
  const text = differ.length && same > 1 ? `(${differ.join(", ")}, ${same} the same)` : v.signature;
  return text.length > mostLetters ? text.slice(0, mostLetters - 1) + "…" : text;
}

/** argumentsOf splits a signature at the commas outside of brackets. */
function argumentsOf(signature: string): string[] {
  const list = [""];
  let depth = 0;
  for (const letter of signature.replace(/^\(|\)$/g, "")) {
    if ("([{".includes(letter)) depth++;
    if (")]}".includes(letter)) depth--;
    if (letter === "," && depth === 0) list.push("");
    else list[list.length - 1] += letter;
  }
  return list.map((a) => a.trim());
}

/** subject is a program, behind its target where there are several. */
export function subject(core: Core, target: string | undefined, program = ""): string {
  return [core.result && core.result.targets.length > 1 && target, program].filter(Boolean).join(" / ");
}
