// One change: what was done, where, what it costs, what it breaks, and how it is accepted.

import { useState } from "preact/hooks";
import { PriceBars } from "./bar";
import type { Change, Core, Finding, Price as Cost } from "./data";
import { between, bytes, fact, growth, moved, place, signed, time } from "./format";
import { subject, type Placed } from "./program";
import { href } from "./route";
import { Excerpt } from "./excerpt";

interface CardProps {
  change: Change;
  core: Core;
  findings: Finding[];
  placed?: Placed;
  focused: boolean;
  alone: boolean;
}

export function levelOf(c: Change): string {
  return c.waived ? "waived" : c.level || "change";
}

export function Card({ change: c, core, findings, placed, focused, alone }: CardProps) {
  const level = levelOf(c);
  return (
    <article id={"change-" + c.id} class={`card ${level}${focused ? " focused" : ""}`} tabIndex={-1} aria-labelledby={"title-" + c.id}>
      <h2 id={"title-" + c.id}>
        {c.level !== "" && <span class={"level " + level}>{level}</span>} {c.title}
      </h2>
      <p class="where">
        {place(c.source ?? {}) && <code>{place(c.source!)}</code>}
        {c.source?.function && <span> in {c.source.function}</span>}
        {c.source?.edited && <span class="chip">edited</span>}
        <span class="program-name">
          {subject(core, c.target, c.program)}
        </span>
        <a class="id" href={"#" + c.id} aria-label={`Link to change ${c.id}`}>
          #{c.id}
        </a>
      </p>
      {c.source && <Excerpt source={c.source} file={core.files[c.source.file ?? ""]} />}
      {(c.details ?? []).map((d) => (
        <p class="detail">{d}</p>
      ))}
      <Price change={c} placed={placed} alone={alone} />
      <Breaks findings={findings} change={c} core={core} />
      {core.fixes?.[c.id] && <p class="fix">fix: {core.fixes[c.id]}</p>}
      <Effects change={c} />
      <Evidence change={c} />
      <p class="links">
        {placed?.variant.part && (
          <>
            <a href={href("kernels", placed.index)}>See the kernels</a> <a href={href("timeline", placed.index)}>Timeline</a> <a href={href("memory", placed.index)}>Memory</a>
          </>
        )}
      </p>
      <Accept change={c} />
    </article>
  );
}

function Price({ change: c, placed, alone }: { change: Change; placed?: Placed; alone: boolean }) {
  const said = priceText(c.price);
  return (
    <>
      {said && (
        <p class="price">
          <strong>{said}</strong> {!!c.price.step_ns && <span class="dim">predicted</span>}
        </p>
      )}
      {(c.others ?? []).map((o) => (
        <p class="detail" key={o.program}>
          in <code>{o.program}</code>: {priceText(o.price) || "no cost"}
        </p>
      ))}
      {alone && placed ? <PriceBars old={placed.variant.old} now={placed.variant.new} step={placed.variant.step} /> : <OwnBar change={c} />}
    </>
  );
}

function priceText(price: Cost): string {
  const { step_ns, peak_bytes, compilations } = price;
  const ends = between(price);
  const share = growth(price);
  return [
    Math.abs(step_ns) >= 0.5 && `${signed(time, step_ns)} a step${share && (ends ? `, ${share}${ends}` : ` (${share})`)}`,
    peak_bytes && `${signed(bytes, peak_bytes)} at the peak`,
    compilations && `${signed(String, compilations)} ${Math.abs(compilations) === 1 ? "compilation" : "compilations"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** OwnBar shows what one of several changes adds to the step. */
function OwnBar({ change: c }: { change: Change }) {
  const { step_ns, step_was_ns } = c.price;
  if (!step_ns || !step_was_ns) return null;
  const most = Math.max(step_was_ns, step_was_ns + step_ns);
  const kept = Math.min(step_was_ns, step_was_ns + step_ns);
  return (
    <div class="bars">
      <div class="bar-row">
        <span class="bar-label">step</span>
        <span class="bar" role="img" aria-label={`${time(step_was_ns)} before, ${signed(time, step_ns)} by this change`}>
          <span class="part kept" style={{ width: `${(100 * kept) / most}%` }} />
          <span class={step_ns > 0 ? "part more" : "part less"} style={{ width: `${(100 * Math.abs(step_ns)) / most}%` }} />
        </span>
        <span class="bar-value">{signed(time, step_ns)}</span>
      </div>
    </div>
  );
}

function Effects({ change: c }: { change: Change }) {
  const kernels = c.effects.find((e) => e.fact === "kernels.total");
  const launches = (e: Change["effects"][number]) => e.fact === "kernels.weighted" && e.was === kernels?.was && e.is === kernels.is; // said by the kernels
  const list = c.effects.filter((e) => moved(e.fact, e.was, e.is) && !launches(e));
  if (list.length === 0) return null;
  return (
    <ul class="effects" aria-label="Effects">
      {list.map((e) => (
        <li key={e.fact}>
          <span class="dim">{e.fact}</span> {fact(e.fact, e.was)} → <strong>{fact(e.fact, e.is)}</strong>
        </li>
      ))}
    </ul>
  );
}

function Evidence({ change: c }: { change: Change }) {
  const before = c.evidence?.before ?? [];
  const after = c.evidence?.after ?? [];
  if (before.length + after.length === 0) return null;
  const lines = [...before.map((t) => ["−", t, "minus"] as const), ...after.map((t) => ["+", t, "plus"] as const)];
  return (
    <div class="listing scroll" tabIndex={0} role="region" aria-label="Kernels before and after">
      {lines.slice(0, 40).map(([mark, text, kind]) => (
        <div class={kind}>
          <span class="mark">{mark}</span> {text}
        </div>
      ))}
      {lines.length > 40 && <div class="dim">… {lines.length - 40} more</div>}
    </div>
  );
}

/** Breaks lists the rules that a change breaks; the same in several variants is one. */
function Breaks({ findings, change, core }: { findings: Finding[]; change: Change; core: Core }) {
  if (findings.length === 0) return null;
  const several = findings.some((f) => f.target !== change.target || f.program !== change.program);
  const groups = Map.groupBy(findings, (f) => JSON.stringify([f.target, f.program, f.rule, f.name, f.subject, f.waived]));
  return (
    <ul class="breaks" aria-label="Rules that it breaks">
      {[...groups.values()].map(([f, ...others]) => f && (
        <li key={f.id}>
          {several && <span class="dim">{subject(core, f.target, f.program)}: </span>}
          <code>{f.rule}</code> {f.message !== change.title && f.message}
          {others.length > 0 && <span class="dim">; also in {others.length === 1 ? "1 other variant" : `${others.length} other variants`}</span>}
          {f.reason && <span class="dim"> ({f.reason})</span>}
        </li>
      ))}
    </ul>
  );
}

function Accept({ change: c }: { change: Change }) {
  if (c.waived && c.waiver)
    return (
      <p class="dim">
        waived by {c.waiver.owner} until {c.waiver.expires}: {c.waiver.reason}
      </p>
    );
  if (!c.accept) return null;
  return (
    <div class="accept">
      <span>intended?</span> <code>{c.accept}</code> <Copy text={c.accept} />
      {(c.overrides ?? []).map((o) => (
        <pre class="override">{o}</pre>
      ))}
    </div>
  );
}

function Copy({ text }: { text: string }) {
  const [said, say] = useState("Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      say("Select and copy it");
    }
    setTimeout(say, 2000, "Copy");
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {said}
    </button>
  );
}
