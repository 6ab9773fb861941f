// The page in a headless Chromium, on pages that xlagate wrote: PAGES is their folder. Screenshots go to SHOTS where that is set.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { open, start, stop } from "../browser.mjs";

const pages = process.env.PAGES;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const views = ["", "#/kernels/0", "#/timeline/0", "#/memory/0", "#/where/0", "#/source/0", "#/graph/0"];

/** has reports whether a page was written: some need the corpus. */
function has(name) {
  return existsSync(`${pages}/${name}.html`);
}

after(stop);

async function shown(page, hash) {
  await page.evaluate((h) => (location.hash = h), hash);
  await page.waitForTimeout(300);
  await page.waitForFunction(() => !/Reading …|Laying out/.test(document.body.innerText), undefined, { timeout: 20000 });
}

for (const name of ["quickstart", "transformer", "large"])
  if (has(name)) test(`${name}: every view is quiet and accessible, in light and dark`, async () => {
    for (const dark of [false, true]) {
      const page = await open(`${pages}/${name}.html`, { dark });
      for (const hash of views) {
        await shown(page, hash);
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
        const serious = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
        assert.deepEqual(serious.map((v) => `${hash} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + n.failureSummary)}`), []);
      }
      assert.deepEqual(page.wrong, []);
      await page.context().close();
    }
  });

test("nothing is wider than the window, from a telephone to a wide screen", async () => {
  for (const name of ["quickstart", "transformer"].filter(has))
    for (const width of [400, 1280, 1920])
      for (const dark of [false, true]) {
        const page = await open(`${pages}/${name}.html`, { width, dark });
        for (const hash of views) {
          await shown(page, hash);
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${name}${hash} at ${width}`);
          if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${hash.slice(2, -2) || "changes"}-${width}-${dark ? "dark" : "light"}.png`, fullPage: true });
        }
        await page.context().close();
      }
});

test("a change shows the line that was compiled, and between what its price is", async () => {
  const page = await open(`${pages}/quickstart.html`);
  assert.match(await page.locator(".card .excerpt .at").first().innerText(), /19.*return jax\.pure_callback/);
  assert.match(await page.locator(".card .price").first().innerText(), /^\+.* a step, .+ \(.+ … .+\) predicted$/);
  assert.deepEqual((await page.locator(".program .moved").allInnerTexts()).filter((t) => !/(.+) → (?!\1$)/.test(t.replace(/^\S+\s+/, ""))), []);
  await shown(page, "#/memory/0");
  const [labels, values] = [await page.locator(".u-label").allInnerTexts(), await page.locator(".u-value").allInnerTexts()];
  assert.ok(labels.includes("params['up']") && !labels.includes("Value"), labels.join());
  assert.ok(values.slice(1).every((v) => /^[\d.]+ [KM]?i?B$/.test(v)), values.join());
  await shown(page, "#/kernels/0");
  assert.deepEqual(await page.locator(".lane-label").allInnerTexts(), ["before: 28 kernels, 2 copies", "after: 30 kernels"]);
  await page.context().close();
});

test("no edge of a graph is cut off", { skip: !has("transformer") }, async () => {
  const page = await open(`${pages}/transformer.html`);
  await shown(page, "#/graph/0");
  const cut = await page.evaluate(() => {
    const view = document.querySelector(".drawing svg").viewBox.baseVal;
    const within = (b) => b.x >= view.x && b.y >= view.y && b.x + b.width <= view.x + view.width && b.y + b.height <= view.y + view.height;
    return [...document.querySelectorAll(".drawing .edge")].filter((e) => !within(e.getBBox())).length;
  });
  assert.equal(cut, 0);
  await page.context().close();
});

test("filters, search, links and the command", async () => {
  const page = await open(`${pages}/quickstart.html`);
  const cards = page.locator(".card");
  assert.equal(await cards.count(), 3);
  await page.locator(".filters select").selectOption("donation-kept");
  assert.equal(await cards.count(), 1);
  await page.locator(".filters select").selectOption("");
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("callback pure");
  assert.equal(await cards.count(), 1);
  assert.match(await cards.first().innerText(), /xlagate accept --only [0-9a-f]{12}/);
  const id = (await cards.first().getAttribute("id")).slice("change-".length);
  await page.context().close();
  const linked = await open(`${pages}/quickstart.html`, { hash: "#" + id });
  assert.match(await linked.locator(".card.focused").innerText(), /host callback/);
  await linked.context().close();
});

test("a print holds every word, is light, and has no controls", async () => {
  const page = await open(`${pages}/quickstart.html`, { dark: true, width: 700 });
  await page.evaluate(() => addEventListener("beforeprint", () => (window.printed = { closed: document.querySelectorAll("details:not([open])").length, ground: getComputedStyle(document.body).backgroundColor })));
  const paper = await page.pdf({ format: "A4", path: process.env.SHOTS && `${process.env.SHOTS}/print.pdf` });
  assert.match(paper.toString("latin1"), /^%PDF-/);
  assert.deepEqual(await page.evaluate(() => window.printed), { closed: 0, ground: "rgb(255, 255, 255)" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 24, 29)");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("button:visible, select:visible, input:visible, nav:visible").count(), 0);
  const text = await page.evaluate(() => document.body.innerText);
  const { changes, findings } = await page.evaluate(() => ({ changes: [...document.querySelectorAll(".card h2")].map((h) => h.textContent), findings: document.querySelectorAll(".breaks li").length }));
  assert.equal(changes.length, 3);
  assert.ok(findings >= 3);
  for (const said of [...changes, "xlagate accept --only", "HEADROOM", "LOOKED AT"]) assert.ok(text.toUpperCase().includes(said.trim().toUpperCase()), said);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 700);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/print.png`, fullPage: true });
  await page.context().close();
});

test("a fusion opens to its HLO of both sides and its operations", { skip: !has("transformer") }, async () => {
  const page = await open(`${pages}/transformer.html`, { hash: "#/kernels/0" });
  await page.locator(".box.changed").first().click();
  await page.waitForSelector(".hlo .plus");
  assert.ok((await page.locator(".hlo .minus").count()) > 0);
  await page.waitForSelector(".drawing[data-ready] .node");
  assert.match(page.url(), /#\/kernels\/0\/[on]\d+$/);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("the keyboard alone reaches a change, its kernels, and a launch", async () => {
  const page = await open(`${pages}/quickstart.html`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  await page.keyboard.press("j");
  assert.match(await page.evaluate(() => document.activeElement.className), /card/);
  await shown(page, "#/timeline/0");
  await page.locator(".track-box").focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "+", "Enter"]) await page.keyboard.press(key);
  await page.waitForSelector("#detail");
  await page.context().close();
});

// How fast a page is depends on the machine, and is only printed. What a browser has to do for it does not: it is held.

test("a large step opens, and what is drawn of it does not grow when it pans", { skip: !has("large") }, async () => {
  await start();
  const began = Date.now();
  const page = await open(`${pages}/large.html`, { hash: "#/timeline/0" });
  await page.waitForSelector(".track path");
  const opened = Date.now() - began;
  await page.getByText("Zoom in").click();
  const panned = await pan(page, () => {
    const [earlier, later] = ["Earlier", "Later"].map((name) => document.querySelector(`[aria-label="${name}"]`));
    return (i) => (i % 2 ? later : earlier).click();
  });
  console.log(`opens in ${opened} ms, pans at ${panned.frames} frames a second: ${panned.elements} elements, ${panned.changes} changes in a frame`);
  assert.ok(panned.elements < 1000, `${panned.elements} elements`);
  assert.ok(panned.changes < 100, `${panned.changes} changes in a frame`);
  await page.context().close();
});

test("fifty thousand instructions open as a graph, pan and answer a search", async () => {
  await start();
  const began = Date.now();
  const page = await open(`${pages}/fifty.html`, { hash: "#/graph/0" });
  await page.waitForSelector(".drawing[data-ready] .node.group");
  const opened = Date.now() - began;
  const [instructions] = (await page.locator(".tools").first().innerText()).match(/[\d,]+(?= instructions)/);
  assert.ok(Number(instructions.replaceAll(",", "")) >= 50_000, instructions);
  const closed = await page.locator(".node.group").count();
  await page.locator(".node.group").first().dispatchEvent("click");
  await page.waitForSelector(".drawing[data-ready] .node:not(.group)");
  assert.equal(await page.locator(".node.group").count(), closed - 1);
  const panned = await pan(page, () => {
    const box = document.querySelector(".drawing");
    return (i) => box.scrollTo(20 * i, 5 * i);
  });
  await page.getByRole("searchbox").fill("divide_subtract_fusion.k0007");
  await page.getByText("Find", { exact: true }).click();
  await page.waitForSelector(".drawing[data-ready] .node.moved");
  console.log(`${instructions} instructions open in ${opened} ms and pan at ${panned.frames} frames a second: ${panned.elements} elements, ${panned.changes} changes in a frame`);
  assert.ok(panned.elements < 5000, `${panned.elements} elements`);
  assert.equal(panned.changes, 0);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

/** pan takes a step in each of 60 frames: the frames a second, the most elements of the page, and the most that a frame changes in them. */
async function pan(page, step) {
  return page.evaluate(`(async () => {
    const step = (${step})();
    let [elements, changes, most] = [0, 0, 0];
    new MutationObserver((records) => (changes += records.length)).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    const begin = performance.now();
    for (let i = 0; i < 60; i++) {
      changes = 0;
      step(i);
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      elements = Math.max(elements, document.querySelectorAll("*").length);
      most = Math.max(most, changes);
    }
    return { elements, changes: most, frames: Math.round(120_000 / (performance.now() - begin)) };
  })()`);
}

test("a hostile dump shows as text", async () => {
  const page = await open(`${pages}/hostile.html`, { hash: "#/kernels/0" });
  await shown(page, "#/kernels/0");
  const text = await page.evaluate(() => document.body.innerText);
  assert.match(text, /<script>/);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  for (const hash of views) await shown(page, hash);
  assert.equal(await page.evaluate(() => document.querySelectorAll("script[src], img, iframe, object").length), 0);
  assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /[\u202a-\u202e\u2066-\u2069]/);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});
