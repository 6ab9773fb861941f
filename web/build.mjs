// Builds the page into internal/webpage/dist, where the Go program embeds it.
import { build } from "esbuild";

const common = { bundle: true, minify: true, format: "iife", target: "es2022", legalComments: "none", charset: "utf8" };

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
