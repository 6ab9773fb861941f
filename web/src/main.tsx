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
  },
  (wrong) => {
    root.textContent = `This page cannot read its data: ${wrong}`;
  },
);
