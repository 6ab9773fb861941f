// The kernels before over after, joined by what became of them.

import { useMemo, useState } from "preact/hooks";
import type { Kernel, Ledgers } from "./data";
import { Detail } from "./detail";
import { bytes, count, launches, percent, place, short, time, total } from "./format";
import { lanes, match, reordered, type Item, type Matching } from "./match";
import { stepOf, type Shown } from "./program";
import { go, href } from "./route";
import { usePart } from "./use";

export function Kernels(s: Shown) {
  const ledgers = usePart<Ledgers>(s.variant.part || undefined);
  if (!s.variant.part) return <p>This result holds no kernels. The page that `check -f html` writes does.</p>;
  if (ledgers instanceof Error) return <p role="alert">{ledgers.message}</p>;
  if (!ledgers) return <p>Reading …</p>;
  return <Loaded {...s} ledgers={ledgers} />;
}

function Loaded(s: Shown & { ledgers: Ledgers }) {
  const m = useMemo(() => match(s.ledgers), [s.ledgers]);
  const chosen = choice(s.item, s.ledgers);
  return (
    <>
      {s.ledgers.old && s.ledgers.new && <Drawn {...s} m={m} />}
      {chosen && <Detail key={s.item} shown={s} ledgers={s.ledgers} m={m} side={chosen.side} at={chosen.at} />}
      <Table {...s} m={m} />
    </>
  );
}

function choice(item: string, l: Ledgers): { side: "old" | "new"; at: number } | undefined {
  const side = item[0] === "o" ? "old" : item[0] === "n" ? "new" : undefined;
  const at = Number(item.slice(1));
  return side && l[side]?.kernels[at] ? { side, at } : undefined;
}

type DrawnProps = Shown & { ledgers: Ledgers; m: Matching };

function Drawn(s: DrawnProps) {
  const changed = [...s.m.old, ...s.m.now].filter((f) => f !== "same").length;
  const [all, setAll] = useState(false);
  const order = useMemo(() => reordered(s.ledgers, s.m, !!s.variant.old?.graph), [s.m]);
  const placed = useMemo(() => lanes(s.m, order, all), [order, all]);
  const [from, setFrom] = useState(0);
  const shown = (i: Item) => i.x + i.width > from - 800 && i.x < from + 3200;
  return (
    <section aria-label="Kernels before and after">
      <div class="tools">
        <span>{changed ? sum(s.m) : "every kernel is the same"}</span>
        {changed > 0 && (
          <button type="button" aria-pressed={all} onClick={() => setAll(!all)}>
            Show the same ones too
          </button>
        )}
      </div>
      <div class="lanes" tabIndex={0} role="group" aria-label="Before over after" onScroll={(e) => Math.abs(e.currentTarget.scrollLeft - from) > 400 && setFrom(e.currentTarget.scrollLeft)}>
        <div class="lanes-inner" style={{ width: `${placed.width}px`, height: "222px" }}>
          <Ribbons m={s.m} old={placed.old} now={placed.now} from={from} width={placed.width} />
          <span class="lane-label">before: {launches(s.ledgers.old!.kernels)}</span>
          {placed.old.filter(shown).map((i) => (
            <Box key={"o" + i.list[0]} s={s} side="old" item={i} top={28} />
          ))}
          {placed.now.filter(shown).map((i) => (
            <Box key={"n" + i.list[0]} s={s} side="new" item={i} top={146} />
          ))}
          <span class="lane-label" style={{ top: "196px", position: "absolute" }}>
            after: {launches(s.ledgers.new!.kernels)}
          </span>
        </div>
      </div>
    </section>
  );
}

function sum(m: Matching): string {
  const n = (list: string[], fate: string) => list.filter((f) => f === fate).length;
  const said = [
    [n(m.now, "changed"), "changed"],
    [n(m.old, "split"), "split"],
    [n(m.now, "merged"), "merged"],
    [n(m.now, "added"), "added"],
    [n(m.old, "removed"), "removed"],
    [n(m.now, "same"), "the same"],
  ] as const;
  return said
    .filter(([k]) => k > 0)
    .map(([k, what]) => `${count(k)} ${what}`)
    .join(", ");
}

const signs = { same: "=", changed: "~", split: "÷", merged: "&", added: "+", removed: "−" };

function Box({ s, side, item, top }: { s: DrawnProps; side: "old" | "new"; item: Item; top: number }) {
  const style = { left: `${item.x}px`, top: `${top}px`, width: `${item.width}px` };
  if (item.list.length > 1)
    return (
      <span class="box same" style={style}>
        <b>= {count(item.list.length)}</b>
        <small>the same</small>
      </span>
    );
  const k = s.ledgers[side]!.kernels[item.list[0]!]!;
  const id = (side === "old" ? "o" : "n") + item.list[0]!;
  const label = `${item.fate}: ${k.does}, ${k.kind}, ${k.out}, ${time(total(k.time))}`;
  return (
    <button type="button" class={`box ${item.fate}${s.item === id ? " chosen" : ""}`} style={style} title={`${k.name}\n${label}\n${k.op}`} aria-label={label} onClick={() => go(href("kernels", s.index, id))}>
      <b>
        {signs[item.fate]} {k.does}
      </b>
      <small>{k.out}</small>
      <small>
        {k.time ? time(total(k.time)) : bytes(k.bytes)} {place(k)}
      </small>
    </button>
  );
}

/** Ribbons join what corresponds: thin where nothing changed, marked where something did. */
function Ribbons({ m, old, now, from, width }: { m: Matching; old: Item[]; now: Item[]; from: number; width: number }) {
  const at = new Map<number, Item>();
  for (const i of old) for (const o of i.list) at.set(o, i);
  const drawn = [];
  for (const i of now) {
    for (const o of m.toOld[i.list[0]!] ?? []) {
      const partner = at.get(o);
      if (partner && Math.min(partner.x, i.x) < from + 3200 && Math.max(partner.x + partner.width, i.x + i.width) > from - 800)
        drawn.push(<path class={"ribbon " + i.fate} d={ribbon(partner, i)} />);
    }
  }
  return (
    <svg width={width} height={222} aria-hidden="true">
      {drawn}
    </svg>
  );
}

function ribbon(a: Item, b: Item): string {
  const [top, bottom, middle] = [78, 146, 112];
  const [a1, a2, b1, b2] = [a.x + 2, a.x + a.width - 2, b.x + 2, b.x + b.width - 2];
  return `M${a1},${top} C${a1},${middle} ${b1},${middle} ${b1},${bottom} L${b2},${bottom} C${b2},${middle} ${a2},${middle} ${a2},${top} Z`;
}

const page = 40;

function Table(s: DrawnProps) {
  const [text, setText] = useState("");
  const [order, setOrder] = useState<"time" | "schedule">("time");
  const [shownRows, show] = useState(page);
  const side = s.ledgers.new ? "new" : "old";
  const list = s.ledgers[side]?.kernels ?? [];
  const rows = useMemo(() => sorted(list, text, order), [list, text, order]);
  const sum = list.reduce((t, k) => t + weight(k), 0);
  const step = (list.some((k) => k.time) && stepOf(s.variant)) || undefined;
  return (
    <section aria-label="All kernels">
      <h2>Kernels {s.ledgers.old && s.ledgers.new ? "after" : ""}</h2>
      <div class="tools">
        <label>
          Search <input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
        <label>
          Order{" "}
          <select value={order} onChange={(e) => setOrder(e.currentTarget.value as "time")}>
            <option value="time">by time</option>
            <option value="schedule">by schedule</option>
          </select>
        </label>
        <span class="dim" role="status">
          {rows.length > shownRows && `the first ${shownRows} of `}
          {launches(rows.map((i) => list[i]!))}
          {step && rows.length === list.length && `: ${time(sum)} of the step's ${time(step)}`}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of kernels">
        <table>
          <thead>
            <tr>
              <th class="right">share</th>
              <th class="right">{list.some((k) => k.time) ? "time" : "bytes"}</th>
              <th>kernel</th>
              <th class="wide-only">writes</th>
              <th class="right wide-only">runs</th>
              <th class="wide-only">line</th>
              <th class="wide-only">op_name</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownRows).map((i) => (
              <Row key={i} s={s} side={side} at={i} whole={step ?? sum} />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shownRows && (
        <button type="button" onClick={() => show(shownRows + 5 * page)}>
          Show more
        </button>
      )}
    </section>
  );
}

function weight(k: Kernel): number {
  return k.time ? total(k.time) : k.bytes;
}

function sorted(list: Kernel[], text: string, order: string): number[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (k: Kernel) => words.every((w) => `${k.name} ${k.does} ${k.kind} ${k.op} ${k.out} ${k.file ?? ""}:${k.line}`.toLowerCase().includes(w));
  const kept = list.map((_, i) => i).filter((i) => words.length === 0 || fits(list[i]!));
  return order === "time" ? kept.sort((a, b) => weight(list[b]!) - weight(list[a]!)) : kept;
}

function Row({ s, side, at, whole }: { s: DrawnProps; side: "old" | "new"; at: number; whole: number }) {
  const k = s.ledgers[side]!.kernels[at]!;
  const id = side[0] + String(at);
  return (
    <tr class={s.item === id ? "chosen" : ""}>
      <td class="right">{percent(weight(k), whole).replace("+", "")}</td>
      <td class="right">{k.time ? time(total(k.time)) : bytes(k.bytes)}</td>
      <td>
        <button type="button" class="plain" onClick={() => go(href("kernels", s.index, id))}>
          {k.does}
        </button>{" "}
        {k.kind !== k.does && <span class="dim">{k.kind}</span>}
        <code class="dim narrow-only">
          {short(k)} {k.op}
        </code>
      </td>
      <td class="tight wide-only">
        <code title={k.out}>{k.out}</code>
      </td>
      <td class="right wide-only">{count(k.runs)}</td>
      <td class="tight wide-only">
        <code title={place(k)}>{short(k)}</code>
      </td>
      <td class="wide-only">
        <code class="dim">{k.op}</code>
      </td>
    </tr>
  );
}
