// Builds the page into internal/webpage/dist, where the Go program embeds it.
import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";

const common = { bundle: true, minify: true, format: "iife", target: "es2022", legalComments: "none", charset: "utf8" };

// No files import each other in a ring, types included.
const imports = new Map(readdirSync("src").map((file) => [file.replace(/\.tsx?$/, ""), [...readFileSync("src/" + file, "utf8").matchAll(/^import .*"\.\/(.+)";$/gm)].map((m) => m[1])]));
const done = new Set();
function follow(file, path) {
  if (path.includes(file)) throw new Error(`these files import each other: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
  if (done.has(file)) return;
  for (const next of imports.get(file) ?? []) follow(next, [...path, file]);
  done.add(file);
}
for (const file of imports.keys()) follow(file, []);

// The layout runs in a worker. A page without a network starts one from a text that it holds.
const worker = await build({ ...common, entryPoints: ["src/layout.worker.ts"], write: false });

const licenses = "/*! holds preact, @dagrejs/dagre, uPlot (MIT), d3-hierarchy (ISC) and diff (BSD-3-Clause) */";

await build({
  ...common,
  entryPoints: { page: "src/main.tsx" },
  outdir: process.env.PAGE_DIST ?? "../internal/webpage/dist",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { LAYOUT_WORKER: JSON.stringify(worker.outputFiles[0].text) },
  banner: { js: licenses, css: licenses },
});
