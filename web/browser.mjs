// A headless Chromium for the tests.

import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { pathToFileURL } from "node:url";

let browser;

export async function start() {
  browser ??= await playwright.launch({ executablePath: await chromium.executablePath(), args: ["--no-sandbox", "--disable-dev-shm-usage"], headless: true });
  return browser;
}

export async function stop() {
  await browser?.close();
}

/** open shows a file, and notes what no page may do: an error on the console, a request, a breach of its own policy. */
export async function open(file, { width = 1280, height = 900, dark = false, hash = "" } = {}) {
  const context = await (await start()).newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.wrong.push(m.text()));
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("request", (r) => /^(file|blob|data):/.test(r.url()) || page.wrong.push("request: " + r.url()));
  await page.goto(pathToFileURL(file).href + hash);
  await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 20000 }).catch((e) => { throw new Error(page.wrong.join("\n") + e) });
  return page;
}
