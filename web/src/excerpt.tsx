// A line of the model with the lines around it.

import type { Change, SourceFile } from "./data";

const around = 3;

export function Excerpt({ source, file }: { source: NonNullable<Change["source"]>; file?: SourceFile }) {
  const line = source.line ?? 0;
  if (!file || line < 1 || line > file.lines.length) return source.text ? <Lines rows={[{ n: line, text: source.text, at: true, edited: source.edited }]} /> : null;
  const rows = [];
  for (let n = Math.max(1, line - around); n <= Math.min(file.lines.length, line + around); n++) rows.push({ n, text: file.lines[n - 1]!, at: n === line, edited: edited(file, n) });
  return <Lines rows={rows} />;
}

export function edited(file: SourceFile, line: number): boolean {
  return (file.edited ?? []).some(([first, last]) => first <= line && line <= last);
}

interface Row {
  n: number;
  text: string;
  at: boolean;
  edited?: boolean;
}

function Lines({ rows }: { rows: Row[] }) {
  return (
    <div class="excerpt scroll" tabIndex={0} role="region" aria-label="Source">
      {rows.map((r) => (
        <div key={r.n} class={(r.at ? "at" : "") + (r.edited ? " edited" : "")}>
          <span class="number">{r.n}</span>
          <span class="edit">{r.edited ? "●" : ""}</span>
          <code>{r.text || " "}</code>
        </div>
      ))}
    </div>
  );
}
