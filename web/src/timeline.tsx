// The launches of a step in the order of their schedule, as wide as they take long: before over after, asynchronous work on a lane of its own.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Legend } from "./bar";
import type { Kernel, Ledgers, Side, Variant } from "./data";
import { parts, place, time, total } from "./format";
import { match, type Fate } from "./match";
import type { Shown } from "./program";
import { go, href } from "./route";
import { usePart, useWidth } from "./use";

interface Launch {
  at: number; // in its ledger
  from: number;
  to: number;
  part: string; // the largest of its time
  fate: Fate;
}

interface Track {
  id: string; // o or n
  title: string;
  step?: number; // its whole predicted time, with what the host does besides
  launches: Launch[];
  kernels: Kernel[];
}

export function Timeline(s: Shown) {
  const ledgers = usePart<Ledgers>(s.variant.part || undefined);
  if (!s.variant.part) return <p>This result holds no kernels.</p>;
  if (ledgers instanceof Error) return <p role="alert">{ledgers.message}</p>;
  if (!ledgers) return <p>Reading …</p>;
  return <Loaded {...s} ledgers={ledgers} />;
}

function Loaded({ ledgers, index, variant }: Shown & { ledgers: Ledgers }) {
  const measured = (ledgers.new?.kernels ?? []).some((k) => k.measured);
  const [real, setReal] = useState(measured);
  const tracks = useMemo(() => tracksOf(ledgers, variant, real), [ledgers, real]);
  const end = Math.max(...tracks.flatMap((t) => t.launches.map((l) => l.to)), 0);
  if (!end) return <p>No times: no price is known of the device, or nothing was launched.</p>;
  return (
    <>
      {measured && (
        <div class="tools">
          <button type="button" aria-pressed={real} onClick={() => setReal(!real)}>
            Measured times
          </button>
        </div>
      )}
      <Legend />
      <Zoomed key={String(real)} tracks={tracks} end={end} index={index} />
      {variant.old && !variant.old.graph && <p class="dim">The baseline keeps no schedule: its launches are drawn where their counterparts are.</p>}
    </>
  );
}

function tracksOf(l: Ledgers, v: Variant, measured: boolean): Track[] {
  const m = match(l);
  const out: Track[] = [];
  const add = (id: string, title: string, side: Side | undefined, kernels: Kernel[], order: number[], fates: Fate[]) => {
    const { serial, beside } = scheduled(kernels, order, fates, measured);
    out.push({ id, title, step: measured ? undefined : side?.facts["price.step_ns"], launches: serial, kernels });
    if (beside.length) out.push({ id, title: title + ", asynchronous", launches: beside, kernels });
  };
  const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
  if (l.old) add("o", "before", v.old, l.old.kernels, byPartner(numbers(l.old.kernels.length), m.toNew, !l.old.kernels.some((k) => k.from?.length)), m.old);
  if (l.new) add("n", l.old ? "after" : "schedule", v.new, l.new.kernels, numbers(l.new.kernels.length), m.now);
  return out;
}

function byPartner(order: number[], toNew: number[][], stored: boolean): number[] {
  if (!stored) return order;
  let last = 0;
  const key = order.map((i) => (last = toNew[i]![0] ?? last));
  return order.sort((a, b) => key[a]! - key[b]!);
}

/** scheduled puts launches one behind the other. What is asynchronous begins where it is started, and runs beside what follows. */
function scheduled(kernels: Kernel[], order: number[], fates: Fate[], measured: boolean): { serial: Launch[]; beside: Launch[] } {
  const serial: Launch[] = [];
  const beside: Launch[] = [];
  let now = 0;
  for (const at of order) {
    const k = kernels[at]!;
    const takes = (measured && k.measured) || total(k.time);
    const launch = { at, from: now, to: now + takes, part: largest(k.time), fate: fates[at]! };
    if (k.async && k.beside) beside.push(launch);
    else {
      serial.push(launch);
      now += takes;
    }
  }
  return { serial, beside };
}

function largest(times: number[] = []): string {
  let best = 0;
  times.forEach((t, i) => t > times[best]! && (best = i));
  return parts[best]!;
}

const height = 38;
const gap = 24;

function Zoomed({ tracks, end, index }: { tracks: Track[]; end: number; index: number }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [view, setView] = useState({ from: 0, to: end });
  const [chosen, choose] = useState<{ track: number; launch: number }>();
  const zoom = (by: number, around = (view.from + view.to) / 2) => setView(zoomed(view, by, around, end));
  const pan = (share: number) => setView(shifted(view, share * (view.to - view.from), end));
  const at = (x: number) => view.from + (x / Math.max(1, width)) * (view.to - view.from);
  const keys = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (step) choose(stepped(tracks, chosen, step));
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") choose(otherTrack(tracks, chosen, e.key === "ArrowDown" ? 1 : -1));
    else if (e.key === "+" || e.key === "=") zoom(0.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "Enter" && chosen) open(tracks, chosen, index);
    else return;
    e.preventDefault();
  };
  useEffect(() => {
    if (!chosen) return;
    const l = tracks[chosen.track]!.launches[chosen.launch]!;
    if (l.to < view.from || l.from > view.to) setView(shifted(view, (l.from + l.to) / 2 - (view.from + view.to) / 2, end));
  }, [chosen]);
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => zoom(0.5)}>
          Zoom in
        </button>
        <button type="button" onClick={() => zoom(2)}>
          Zoom out
        </button>
        <button type="button" onClick={() => pan(-0.4)} aria-label="Earlier">
          ◀
        </button>
        <button type="button" onClick={() => pan(0.4)} aria-label="Later">
          ▶
        </button>
        <span class="dim">
          {time(view.from)} to {time(view.to)} · drag to move, wheel with Ctrl to zoom, arrow keys step
        </span>
      </div>
      <div class="track-box" ref={ref} tabIndex={0} role="group" aria-label="Timeline of launches" onKeyDown={keys}>
        {width > 0 && <Tracks tracks={tracks} view={view} width={width} chosen={chosen} at={at} zoom={zoom} pan={(ns) => setView((v) => shifted(v, ns, end))} choose={choose} open={(c) => open(tracks, c, index)} />}
      </div>
      <Reading tracks={tracks} chosen={chosen} index={index} />
    </>
  );
}

interface View {
  from: number;
  to: number;
}

function zoomed(v: View, by: number, around: number, end: number): View {
  const span = Math.min(end, Math.max(end / 1e6, (v.to - v.from) * by));
  const share = (around - v.from) / (v.to - v.from);
  return shifted({ from: around - share * span, to: around + (1 - share) * span }, 0, end);
}

function shifted(v: View, by: number, end: number): View {
  const span = v.to - v.from;
  const from = Math.max(0, Math.min(end - span, v.from + by));
  return { from, to: from + span };
}

type Chosen = { track: number; launch: number } | undefined;

function stepped(tracks: Track[], c: Chosen, by: number): Chosen {
  if (!c) return { track: 0, launch: 0 };
  const n = tracks[c.track]!.launches.length;
  return { ...c, launch: Math.max(0, Math.min(n - 1, c.launch + by)) };
}

function otherTrack(tracks: Track[], c: Chosen, by: number): Chosen {
  if (!c) return { track: 0, launch: 0 };
  const track = Math.max(0, Math.min(tracks.length - 1, c.track + by));
  const from = tracks[c.track]!.launches[c.launch]!.from;
  return { track, launch: Math.max(0, firstAfter(tracks[track]!.launches, from) - 0) };
}

function open(tracks: Track[], c: NonNullable<Chosen>, index: number): void {
  const t = tracks[c.track]!;
  go(href("kernels", index, t.id + t.launches[c.launch]!.at));
}

/** firstAfter finds the first launch that ends behind a time. Launches follow each other. */
function firstAfter(list: Launch[], at: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.to <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface TracksProps {
  tracks: Track[];
  view: View;
  width: number;
  chosen: Chosen;
  at: (x: number) => number;
  zoom: (by: number, around: number) => void;
  pan: (ns: number) => void;
  choose: (c: Chosen) => void;
  open: (c: NonNullable<Chosen>) => void;
}

function Tracks(p: TracksProps) {
  const { tracks, view, width } = p;
  const svg = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; moved: boolean } | undefined>();
  const hit = (e: PointerEvent | MouseEvent): Chosen => {
    const box = svg.current!.getBoundingClientRect();
    const track = Math.floor((e.clientY - box.top) / (height + gap));
    const t = tracks[track];
    if (!t) return undefined;
    const x = p.at(e.clientX - box.left);
    const launch = firstAfter(t.launches, x);
    return t.launches[launch] && t.launches[launch].from <= x ? { track, launch } : undefined;
  };
  useWheel(svg, (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    p.zoom(e.deltaY > 0 ? 1.25 : 0.8, p.at(e.clientX - svg.current!.getBoundingClientRect().left));
  });
  return (
    <svg
      ref={svg}
      class="track"
      width={width}
      height={tracks.length * (height + gap)}
      aria-hidden="true"
      onPointerDown={(e) => {
        drag.current = { x: e.clientX, moved: false };
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        const d = drag.current;
        if (!d) return p.choose(hit(e) ?? p.chosen);
        if (Math.abs(e.clientX - d.x) < 3 && !d.moved) return;
        p.pan(((d.x - e.clientX) / width) * (view.to - view.from));
        drag.current = { x: e.clientX, moved: true };
      }}
      onPointerUp={(e) => {
        const moved = drag.current?.moved;
        drag.current = undefined;
        const c = hit(e);
        if (!moved && c) p.open(c);
      }}
    >
      {tracks.map((t, i) => (
        <g key={t.title} transform={`translate(0,${i * (height + gap)})`}>
          <text x={6} y={15}>
            {t.title}: {t.step && `step ${time(t.step)}, of which `}launches {time(total(t.launches.map((l) => l.to - l.from)))}
          </text>
          <g transform={`translate(0,${gap - 4})`}>
            <rect class="lane" width={width} height={height} />
            {[...drawn(t.launches, view, width)].map(([kind, d]) => (
              <path key={kind} class={kind} d={d} />
            ))}
            {p.chosen?.track === i && <Outline l={t.launches[p.chosen.launch]} view={view} width={width} />}
          </g>
        </g>
      ))}
    </svg>
  );
}

/** useWheel listens to the wheel in a way that may keep the page from scrolling. */
function useWheel(ref: { current: SVGSVGElement | null }, listen: (e: WheelEvent) => void): void {
  const latest = useRef(listen);
  latest.current = listen;
  useEffect(() => {
    const node = ref.current!;
    const wheel = (e: WheelEvent) => latest.current(e);
    node.addEventListener("wheel", wheel, { passive: false });
    return () => node.removeEventListener("wheel", wheel);
  }, []);
}

/** drawn is what of a lane is seen, one path for each class: launches of a pixel and more by themselves, smaller ones joined, and what moved. */
function drawn(list: Launch[], v: View, width: number): Map<string, string> {
  const scale = width / (v.to - v.from);
  const out = new Map<string, string>();
  const add = (kind: string, x: number, w: number, tall = height) => out.set(kind, (out.get(kind) ?? "") + `M${x.toFixed(1)},${height}h${w.toFixed(1)}v${-tall}h${(-w).toFixed(1)}z`);
  let small: { from: number; to: number } | undefined;
  let underlined = -1; // where the last line below a launch ends
  for (let i = firstAfter(list, v.from); i < list.length && list[i]!.from < v.to; i++) {
    const l = list[i]!;
    const from = Math.max(0, (l.from - v.from) * scale);
    const to = Math.min(width, (l.to - v.from) * scale);
    if (small && (to - from >= 1 || to - small.from >= 4)) {
      add("small", small.from, small.to - small.from);
      small = undefined;
    }
    if (to - from >= 1) add(l.part, from, to - from > 3 ? to - from - 0.6 : to - from);
    else small = { from: small?.from ?? from, to: Math.max(to, from + 0.4) };
    if (l.fate !== "same" && to > underlined) {
      const start = Math.max(from, underlined);
      underlined = Math.max(to, from + 2);
      add("moved", start, underlined - start, 6);
    }
  }
  if (small) add("small", small.from, small.to - small.from);
  return new Map([...out].sort(([a], [b]) => Number(a === "moved") - Number(b === "moved")));
}

function Outline({ l, view, width }: { l?: Launch; view: View; width: number }) {
  if (!l) return null;
  const scale = width / (view.to - view.from);
  return <rect class="outline" x={(l.from - view.from) * scale} y={1} width={Math.max(3, (l.to - l.from) * scale)} height={height - 2} />;
}

function Reading({ tracks, chosen, index }: { tracks: Track[]; chosen: Chosen; index: number }) {
  const t = chosen && tracks[chosen.track];
  const l = t?.launches[chosen!.launch];
  const k = l && t!.kernels[l.at];
  return (
    <div class="reading" aria-live="polite">
      {k ? (
        <>
          <a href={href("kernels", index, t!.id + l!.at)}>
            <strong>{k.does}</strong>
          </a>{" "}
          {k.kind} → <code>{k.out}</code>, {time(l!.to - l!.from)} from {time(l!.from)}
          {l!.fate !== "same" && <span class="chip">{l!.fate}</span>}
          <br />
          <span class="dim">
            {k.name} <code>{place(k)}</code> {k.op}
          </span>
        </>
      ) : (
        <span class="dim">Point at a launch, or step with the arrow keys. What changed is underlined.</span>
      )}
    </div>
  );
}
