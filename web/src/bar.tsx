// A step's price as a bar, before over after, each part in its colour.

import type { Price, Side } from "./data";
import { between, growth, partFacts, parts, percent, signed, time } from "./format";

export function PriceBars({ old, now, step }: { old?: Side; now?: Side; step?: Price }) {
  const sides = [old && { label: "before", side: old }, now && { label: old ? "after" : "step", side: now }].filter((s) => !!s);
  const most = Math.max(...sides.map((s) => s.side.facts["price.step_ns"] ?? 0));
  if (!most) return null;
  return (
    <div class="bars">
      {sides.map((s) => (
        <Bar key={s.label} label={s.label} side={s.side} most={most} />
      ))}
      <Delta old={old} now={now} step={step} />
      <Legend />
    </div>
  );
}

function Bar({ label, side, most }: { label: string; side: Side; most: number }) {
  const step = side.facts["price.step_ns"] ?? 0;
  const said = parts.map((p, i) => `${p} ${time(side.facts[partFacts[i]!] ?? 0)}`).join(", ");
  return (
    <div class="bar-row">
      <span class="bar-label">{label}</span>
      <span class="bar" role="img" aria-label={`${label}: ${time(step)} (${said})`} title={said}>
        {parts.map((p, i) => (
          <span key={p} class={"part " + p} style={{ width: `${(100 * (side.facts[partFacts[i]!] ?? 0)) / most}%` }} />
        ))}
      </span>
      <span class="bar-value">{time(step)}</span>
    </div>
  );
}

function Delta({ old, now, step }: { old?: Side; now?: Side; step?: Price }) {
  const was = old?.facts["price.step_ns"];
  const is = now?.facts["price.step_ns"];
  if (!was || !is || was === is) return null;
  const moved = parts
    .map((p, i) => [p, (now!.facts[partFacts[i]!] ?? 0) - (old!.facts[partFacts[i]!] ?? 0)] as const)
    .filter(([, by]) => Math.abs(by) > was / 2000)
    .map(([p, by]) => `${p} ${signed(time, by)}`);
  return (
    <p class="bar-delta">
      <strong>{(step && growth(step)) || percent(is - was, was)}</strong>
      {step && between(step)} predicted{moved.length > 0 && ": "}
      {moved.join(", ")}
    </p>
  );
}

export function Legend() {
  return (
    <p class="legend">
      {parts.map((p) => (
        <span key={p}>
          <i class={"swatch " + p} /> {p}
        </span>
      ))}
    </p>
  );
}
