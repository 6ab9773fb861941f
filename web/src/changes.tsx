// The first screen: the verdict's reasons as cards, what could not be checked, and the programs.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Card, levelOf } from "./card";
import { PriceBars } from "./bar";
import type { Change, Core, Finding, Problem } from "./data";
import { count, fact, moved } from "./format";
import { nameOf, subject, type Placed } from "./program";
import { href } from "./route";

interface Filters {
  text: string;
  program: string;
  level: string;
  rule: string;
}

/** programsOf lists the programs that a change is in. */
const programsOf = (c: Change): string[] => [c.program, ...(c.others ?? []).map((o) => o.program)];

const none: Filters = { text: "", program: "", level: "", rule: "" };

export function Changes({ core, focus, all }: { core: Core; focus: string; all: Placed[] }) {
  const [filters, set] = useState(none);
  const findings = useMemo(() => byChange(core.result?.findings ?? []), [core]);
  const kept = core.changes.filter((c) => c.id === focus || fits(c, findings.get(c.id) ?? [], filters));
  useEffect(() => {
    if (focus) document.getElementById("change-" + focus)?.scrollIntoView({ block: "start" });
  }, [focus]);
  return (
    <>
      <Problems core={core} list={core.result?.problems ?? core.problems ?? []} />
      {core.changes.length > 0 && <FilterBar core={core} filters={filters} set={set} findings={findings} kept={kept.length} />}
      <div class="cards">
        {kept.slice(0, 300).map((c) => (
          <Card key={c.id} change={c} core={core} findings={findings.get(c.id) ?? []} placed={placedOf(c, all)} focused={c.id === focus} alone={alone(c, core)} />
        ))}
      </div>
      {kept.length > 300 && <p>{count(kept.length - 300)} more changes: filter to see them.</p>}
      {core.changes.length === 0 && core.kind !== "inspect" && <p class="calm">Nothing to review.</p>}
      <Programs core={core} all={all} />
      <Rest core={core} />
    </>
  );
}

function byChange(findings: Finding[]): Map<string, Finding[]> {
  return Map.groupBy(findings, (f) => f.change);
}

function fits(c: Change, findings: Finding[], f: Filters): boolean {
  if (f.program && !programsOf(c).includes(f.program)) return false;
  if (f.level && levelOf(c) !== f.level) return false;
  if (f.rule && !findings.some((x) => x.rule === f.rule)) return false;
  const words = f.text.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [c.id, c.title, ...programsOf(c), c.op_name, c.source?.file, c.source?.function, ...(c.details ?? []), ...findings.map((x) => x.rule + " " + x.message)].join(" ").toLowerCase();
  return words.every((w) => text.includes(w));
}

/** alone says whether no other change of the variant has a price: then the variant's parts are the change's. */
function alone(c: Change, core: Core): boolean {
  const same = (o: Change) => o.program === c.program && o.target === c.target && o.variants.some((v) => c.variants.includes(v));
  return c.price.step_ns !== 0 && core.changes.every((o) => o === c || !same(o) || o.price.step_ns === 0);
}

function placedOf(c: Change, all: Placed[]): Placed | undefined {
  const own = all.filter((v) => v.program.name === c.program && v.program.target === (c.target ?? ""));
  return own.find((v) => c.variants.includes(v.variant.signature)) ?? own[0];
}

function FilterBar(p: { core: Core; filters: Filters; set: (f: Filters) => void; findings: Map<string, Finding[]>; kept: number }) {
  const search = useRef<HTMLInputElement>(null);
  useSearchKey(search);
  const programs = unique(p.core.changes.flatMap(programsOf));
  const levels = unique(p.core.changes.map(levelOf));
  const rules = unique([...p.findings.values()].flat().map((f) => f.rule));
  const change = (part: Partial<Filters>) => p.set({ ...p.filters, ...part });
  return (
    <form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
      <label class="grow">
        <span>Search <kbd>/</kbd></span>
        <input type="search" ref={search} value={p.filters.text} onInput={(e) => change({ text: e.currentTarget.value })} />
      </label>
      <Choice label="Program" any="all programs" list={programs} value={p.filters.program} set={(program) => change({ program })} />
      <Choice label="Level" any="all levels" list={levels} value={p.filters.level} set={(level) => change({ level })} />
      <Choice label="Rule" any="all rules" list={rules} value={p.filters.rule} set={(rule) => change({ rule })} />
      <p class="dim" role="status">
        {p.kept === p.core.changes.length ? `${count(p.kept)} ${p.kept === 1 ? "change" : "changes"}` : `${count(p.kept)} of ${count(p.core.changes.length)} changes`}
      </p>
    </form>
  );
}

function Choice(p: { label: string; any: string; list: string[]; value: string; set: (v: string) => void }) {
  if (p.list.length < 2) return null;
  return (
    <label>
      {p.label}
      <select value={p.value} onChange={(e) => p.set(e.currentTarget.value)}>
        <option value="">{p.any}</option>
        {p.list.map((o) => (
          <option key={o}>{o}</option>
        ))}
      </select>
    </label>
  );
}

function unique(list: string[]): string[] {
  return [...new Set(list)].sort();
}

/** "/" goes to the search; j and k go from card to card. */
function useSearchKey(search: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest("input, select, textarea")) return;
      if (e.key === "/") {
        e.preventDefault();
        search.current?.focus();
      } else if (e.key === "j" || e.key === "k") step(e.key === "j" ? 1 : -1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function step(by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".card")];
  const at = cards.findIndex((c) => c.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, at + by))]?.focus();
}

function Problems({ core, list }: { core: Core; list: Problem[] }) {
  if (list.length === 0) return null;
  return (
    <section class="problems" aria-label="Problems">
      <h2>Could not check</h2>
      <ul>
        {list.map((p) => (
          <li>
            {[subject(core, p.target, p.program)].filter(Boolean).map((s) => s + ": ")}
            {p.file && <code>{p.file}</code>} {p.message}
            {p.fix && <span class="fix"> → {p.fix}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Programs({ core, all }: { core: Core; all: Placed[] }) {
  if (all.length === 0) return null;
  return (
    <section>
      <h2>Programs</h2>
      <div class="programs">
        {all.slice(0, 100).map((v) => (
          <article key={v.index} class="program">
            <h3>
              <a href={href("kernels", v.index)}>{nameOf(v, all)}</a> <span class="chip">{v.variant.change || v.program.change || "measured"}</span>
            </h3>
            <PriceBars old={v.variant.old} now={v.variant.new} step={v.variant.step} />
            <KeyFacts v={v} />
          </article>
        ))}
      </div>
      {core.kind !== "inspect" && all.every((v) => !v.variant.part) && (
        <p class="dim">This result holds no kernels: the views show more in the page that `check -f html` or `diff -f html` writes.</p>
      )}
    </section>
  );
}

const keyFacts = ["kernels.total", "fusions.total", "loops.while", "memory.peak_bytes", "memory.temp_bytes", "memory.argument_bytes", "cost.flops", "cost.bytes_accessed", "price.unpriced"];

function KeyFacts({ v }: { v: Placed }) {
  const was = v.variant.old?.facts ?? {};
  const is = v.variant.new?.facts ?? was;
  return (
    <dl class="facts">
      {keyFacts
        .filter((f) => f in is)
        .map((f) => (
          <div key={f} class={f in was && moved(f, was[f]!, is[f]!) ? "moved" : ""}>
            <dt>{f}</dt>
            <dd>{f in was && moved(f, was[f]!, is[f]!) ? `${fact(f, was[f]!)} → ${fact(f, is[f]!)}` : fact(f, is[f]!)}</dd>
          </div>
        ))}
    </dl>
  );
}

function Rest({ core }: { core: Core }) {
  const r = core.result;
  if (!r) return null;
  const missing = r.targets.flatMap((t) => t.not_covered.map((n) => (r.targets.length > 1 ? `${t.name}: ${n}` : n)));
  const notes = r.notes ?? [];
  return (
    <>
      {notes.length > 0 && <List title="Worth knowing" items={notes.map((n) => [subject(core, n.target, n.program), n.message].filter(Boolean).join(": "))} />}
      {(r.headroom?.length ?? 0) > 0 && <Headroom core={core} />}
      {missing.length > 0 && <List title="Not covered" items={missing} />}
      <List title="Looked at" items={r.targets.map((t) => lookedAt(t))} />
    </>
  );
}

function lookedAt(t: NonNullable<Core["result"]>["targets"][number]): string {
  const versions = Object.entries(t.toolchain.versions ?? {}).map(([name, v]) => `${name} ${v}`);
  return [`${t.name}: dump ${t.dump}`, t.baseline && `baseline ${t.baseline}`, t.device && `priced for ${t.device}${t.device_assumed ? " (assumed)" : ""}`, ...versions].filter(Boolean).join(", ");
}

function List({ title, items }: { title: string; items: string[] }) {
  return (
    <details class="rest" open={items.length < 6}>
      <summary>
        {title} ({items.length})
      </summary>
      <ul>
        {items.map((t) => (
          <li>{t}</li>
        ))}
      </ul>
    </details>
  );
}

function Headroom({ core }: { core: Core }) {
  const rows = [...core.result!.headroom!].sort((a, b) => b.actual / b.limit - a.actual / a.limit);
  return (
    <details class="rest">
      <summary>Headroom ({rows.length})</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Headroom">
        <table>
          <thead>
            <tr>
              <th>program</th>
              <th>rule</th>
              <th class="right">used</th>
              <th class="right">limit</th>
              <th>share</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 200).map((h) => (
              <tr>
                <td>{subject(core, h.target, h.program)}</td>
                <td>{[h.rule, h.subject].filter(Boolean).join(" ")}</td>
                <td class="right">{fact(h.unit ?? "", h.actual)}</td>
                <td class="right">{fact(h.unit ?? "", h.limit)}</td>
                <td>
                  <meter min={0} max={1} high={0.99} value={h.limit ? Math.min(1, h.actual / h.limit) : 0} aria-label={`${Math.round((100 * h.actual) / h.limit)} % used`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
