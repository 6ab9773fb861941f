// The page opens with its core document and renders it.

import "./style.css";
import "./language";
import { render } from "preact";
import { App } from "./app";
import { part, type Core } from "./data";
import { followPrinting } from "./print";

followPrinting();
const root = document.getElementById("app")!;

part<Core>("core").then(
  (core) => {
    root.textContent = "";
    render(<App core={core} />, root);
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
    if (!document.getElementById("core")) follow();
  },
  (wrong) => {
    root.textContent = `This page cannot read its data: ${wrong}`;
  },
);

/** follow shows a served page anew when the server has another one. */
async function follow(): Promise<void> {
  const turn = () => fetch("turn").then((r) => r.text());
  const shown = await turn();
  setInterval(async () => {
    const now = await turn().catch(() => shown); // the server may be gone
    if (now !== shown) location.reload();
  }, 2000);
}
