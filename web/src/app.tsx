// The frame around the views: what was looked at, where to go, and which program is shown.

import { useEffect } from "preact/hooks";
import { Changes } from "./changes";
import type { Core, Program, Variant } from "./data";
import { count, time } from "./format";
import { go, href, useRoute } from "./route";
import { ThemeSwitch } from "./theme";
import { Kernels } from "./kernels";
import { Timeline } from "./timeline";
import { MemoryView } from "./memory";
import { Where } from "./where";
import { SourceView } from "./source";
import { GraphView } from "./graph";

export interface Shown {
  core: Core;
  program: Program;
  variant: Variant;
  index: number;
  item: string;
}

const views = [
  { id: "kernels", title: "Kernels", show: Kernels },
  { id: "timeline", title: "Timeline", show: Timeline },
  { id: "memory", title: "Memory", show: MemoryView },
  { id: "where", title: "Where", show: Where },
  { id: "source", title: "Source", show: SourceView },
  { id: "graph", title: "Graph", show: GraphView },
];

export function App({ core }: { core: Core }) {
  const route = useRoute();
  const all = variants(core);
  const shown = (route.view === "changes" ? undefined : all[route.variant]) ?? telling(core, all);
  const view = views.find((v) => v.id === route.view);
  useEffect(() => {
    document.title = core.title + (view ? ` · ${view.title}` : "");
  }, [route.view]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header core={core} />
      {all.length > 0 && <Navigation current={view?.id ?? "changes"} variant={all.indexOf(shown!)} core={core} />}
      <main id="main" tabIndex={-1}>
        {view && shown ? (
          <>
            <Picker all={all} at={shown} view={view.id} />
            <view.show key={shown.index} core={core} program={shown.program} variant={shown.variant} index={shown.index} item={route.item} />
          </>
        ) : (
          <Changes core={core} focus={route.change} all={all} />
        )}
      </main>
      <footer>xlagate {core.version} · times are predicted unless they say that they were measured</footer>
    </>
  );
}

function skip(e: Event): void {
  e.preventDefault();
  document.getElementById("main")?.focus();
}

export interface Placed {
  program: Program;
  variant: Variant;
  index: number;
}

function variants(core: Core): Placed[] {
  const all = core.programs.flatMap((program) => program.variants.map((variant) => ({ program, variant })));
  return all.map((v, index) => ({ ...v, index }));
}

/** telling is what a view shows first: the program of the first change, else the one that takes the longest. */
function telling(core: Core, all: Placed[]): Placed | undefined {
  const c = core.changes[0];
  const changed = c && all.find((o) => o.program.target === c.target && o.program.name === c.program && (c.variants.length === 0 || c.variants.includes(o.variant.signature)));
  const step = (o: Placed) => (o.variant.new ?? o.variant.old)?.facts["price.step_ns"] ?? 0;
  return changed ?? all.reduce<Placed | undefined>((most, o) => (most && step(most) >= step(o) ? most : o), undefined);
}

function Header({ core }: { core: Core }) {
  const result = core.result;
  return (
    <header>
      <h1>
        {result ? (
          <span class={"verdict " + result.verdict}>{result.verdict}</span>
        ) : (
          <span class="verdict view">{core.kind === "diff" ? (core.same ? "identical" : "difference") : "contents"}</span>
        )}
        <span class="what">{headline(core)}</span>
      </h1>
      <ThemeSwitch />
    </header>
  );
}

function headline(core: Core): string {
  const r = core.result;
  if (core.kind === "diff") return `${core.old} → ${core.new}`;
  if (!r) return core.new ?? "";
  const failing = core.changes.filter((c) => c.findings.length > 0 && !c.waived).length;
  const what = failing ? `${failing} ${failing === 1 ? "change breaks" : "changes break"} a rule` : "all clear";
  return `${what}, ${count(r.summary.checks)} checks, ${plural(r.summary.programs, "program")} in ${plural(r.summary.targets, "target")}`;
}

function plural(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}

function Navigation({ current, variant, core }: { current: string; variant: number; core: Core }) {
  const all = [{ id: "changes", title: core.kind === "inspect" ? "Programs" : "Changes" }, ...views];
  return (
    <nav aria-label="Views">
      {all.map((v) => (
        <a key={v.id} href={v.id === "changes" ? "#" : href(v.id, variant)} aria-current={v.id === current ? "page" : undefined}>
          {v.title}
        </a>
      ))}
    </nav>
  );
}

function Picker({ all, at, view }: { all: Placed[]; at: Placed; view: string }) {
  const step = (at.variant.new ?? at.variant.old)?.facts["price.step_ns"];
  return (
    <div class="picker">
      <label>
        Program{" "}
        <select value={at.index} onChange={(e) => go(href(view, Number(e.currentTarget.value)))}>
          {all.map((v) => (
            <option key={v.index} value={v.index}>
              {nameOf(v, all)}
            </option>
          ))}
        </select>
      </label>
      {step !== undefined && <span class="dim">predicted step {time(step)}</span>}
    </div>
  );
}

/** nameOf tells a variant from the others: by its program, and by its signature where the program has several. */
export function nameOf(v: Placed, all: Placed[]): string {
  const several = new Set(all.map((o) => o.program.target)).size > 1;
  const name = several ? `${v.program.target} / ${v.program.name}` : v.program.name;
  if (v.program.variants.length === 1) return name;
  const short = v.variant.signature.length > 90 ? v.variant.signature.slice(0, 89) + "…" : v.variant.signature;
  return `${name} ${v.program.variants.indexOf(v.variant) + 1}: ${short}`;
}
