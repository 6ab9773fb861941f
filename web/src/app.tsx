// The frame around the views: what was looked at, where to go, and which program is shown.

import { useEffect } from "preact/hooks";
import { Changes } from "./changes";
import type { Core } from "./data";
import { count, time } from "./format";
import { nameOf, stepOf, telling, variants, type Placed } from "./program";
import { go, href, useRoute } from "./route";
import { ThemeSwitch } from "./theme";
import { Kernels } from "./kernels";
import { Timeline } from "./timeline";
import { MemoryView } from "./memory";
import { Where } from "./where";
import { SourceView } from "./source";
import { GraphView } from "./graph";

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
  if (core.kind === "diff") return `${core.old} → ${core.new!.slice(sharedFolder(core.old!, core.new!).length)}`;
  if (!r) return core.new ?? "";
  const failing = core.changes.filter((c) => c.findings.length > 0 && !c.waived).length;
  const what = failing ? `${failing} ${failing === 1 ? "change breaks" : "changes break"} a rule` : "all clear";
  return `${what}, ${count(r.summary.checks)} checks, ${plural(r.summary.programs, "program")} in ${plural(r.summary.targets, "target")}`;
}

/** sharedFolder is what two paths begin with. */
function sharedFolder(a: string, b: string): string {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return a.slice(0, a.lastIndexOf("/", n - 1) + 1);
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
  const step = stepOf(at.variant);
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
