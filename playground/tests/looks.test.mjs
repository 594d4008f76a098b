// SPDX-License-Identifier: Apache-2.0
// Light and dark, wide and narrow, and by keyboard alone. Pictures go to build/playground/shots.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  browser,
  example,
  load_text,
  open,
  shared_text,
  shot_path,
  wait_for_comparison,
  wait_for_verdict,
} from "./support.mjs";

let chromium;
before(async () => {
  chromium = await browser();
});
after(() => chromium?.close());

async function settle(page) {
  await page.waitForSelector("#schedule .along svg", { state: "attached" });
  await page.waitForFunction(() => document.querySelectorAll('[aria-busy="true"]').length === 0);
}

// Of all that has text of its own: ink on the nearest background that is not transparent.
function poor_contrasts() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) =>
    [r, g, b]
      .map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
      .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour[3] > 200) {
        return colour;
      }
    }
    return [255, 255, 255];
  };
  const out = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim() !== "");
    if (
      !own ||
      node.closest("svg, script, style, noscript, [hidden], option, :disabled") ||
      node.getClientRects().length === 0
    ) {
      continue;
    }
    const [a, b] = [light(channels(getComputedStyle(node).color)), light(paper(node))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) {
      out.push(`${node.tagName}.${node.className} "${node.textContent.slice(0, 30)}": ${contrast.toFixed(2)}`);
    }
  }
  return out;
}

for (const scheme of ["light", "dark"]) {
  for (const [width, height] of [
    [1600, 1000],
    [1024, 768],
    [360, 740],
  ]) {
    test(`${scheme}, ${width} wide: nothing sticks out, and all text can be read`, { timeout: 120_000 }, async () => {
      const opened = await open(chromium, { width, height, scheme });
      const { page } = opened;
      await settle(page);
      assert.deepEqual(await page.evaluate(poor_contrasts), []);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(over <= 0, `${over} pixels stick out`);
      await page.screenshot({ path: shot_path(`${scheme}-${width}`), fullPage: width < 1000 });
      await page.locator("#schedule-title").scrollIntoViewIfNeeded();
      await page.locator("#schedule .along").focus();
      for (let i = 0; i < 4; ++i) {
        await page.keyboard.press("+");
      }
      await page.locator("#schedule").screenshot({ path: shot_path(`${scheme}-${width}-zoomed`) });
      await load_text(page, example("gcaps-xavier.json").replace('"period": 100000000', '"perod": 100000000'));
      await wait_for_verdict(page, "fault");
      assert.deepEqual(
        (await page.evaluate(poor_contrasts)).filter((one) => one.includes("fault")),
        [],
      );
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({ path: shot_path(`${scheme}-${width}-fault`) });
      await page.locator("#export").click();
      await page.screenshot({ path: shot_path(`${scheme}-${width}-export`) });
      await page.keyboard.press("Escape");
      await page.selectOption("#start", "waters2019.json");
      await page.waitForSelector("#chain-picture .along svg");
      await settle(page);
      await page.screenshot({ path: shot_path(`${scheme}-${width}-chains`), fullPage: true });
      await opened.close();
    });
  }
}

test("the switch beats the system, and is remembered as long as the page", { timeout: 60_000 }, async () => {
  const opened = await open(chromium, { scheme: "light" });
  const paper = () => opened.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await opened.page.locator("#theme").click();
  assert.equal(await paper(), light);
  await opened.page.locator("#theme").click();
  assert.notEqual(await paper(), light);
  await opened.page.reload();
  await opened.page.waitForSelector("#policies tr:nth-child(3)");
  assert.notEqual(await paper(), light);
  await opened.close();
});

const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at.id || at.getAttribute("aria-label") || at.dataset.policy || at.textContent.slice(0, 40);
  });

async function tab_to(page, wanted, most = 120) {
  const seen = [];
  for (let i = 0; i < most; ++i) {
    await page.keyboard.press("Tab");
    seen.push(await focused(page));
    if (wanted.test(seen.at(-1))) {
      return seen;
    }
  }
  return assert.fail(`Tab never comes to ${wanted}: ${seen.join(" | ")}`);
}

test("the keyboard alone is enough", { timeout: 180_000 }, async () => {
  const opened = await open(chromium);
  const { page } = opened;
  await settle(page);
  await tab_to(page, /^skip$/, 1);
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "comparison");
  assert.match(page.url(), /#set=/);
  for (let i = 0; i < 200 && (await focused(page)) !== "start"; ++i) {
    await page.keyboard.press("Shift+Tab");
  }
  await wait_for_comparison(page, async () => {
    await page.keyboard.type("shares-trio");
    await page.keyboard.press("Enter");
  });
  assert.equal(await page.inputValue("#start"), "shares-trio.json");
  await tab_to(page, /^task-set file$/);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("x");
  await wait_for_verdict(page, "fault");
  await tab_to(page, /^line \d+/, 3);
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "task-set file");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Backspace");
  await wait_for_verdict(page, "schedulable");
  assert.equal(await shared_text(page), example("shares-trio.json"));
  await tab_to(page, /^all execution times of all tasks$/, 5);
  await page.keyboard.press("End");
  await page.waitForFunction(() => !document.getElementById("verdict").innerText.includes("✓"));
  await page.keyboard.press("Home");
  await wait_for_verdict(page, "✓");
  await tab_to(page, /^whole-gpu$/, 60);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#policies tr.chosen button").dataset.policy === "whole-gpu");
  assert.equal(await focused(page), "whole-gpu", "the row keeps the focus");
  await settle(page);
  await tab_to(page, /plus and minus zoom/, 60);
  const before = await page.locator("#schedule .along svg").getAttribute("viewBox");
  await page.keyboard.press("+");
  assert.notEqual(await page.locator("#schedule .along svg").getAttribute("viewBox"), before);
  for (let i = 0; i < 200 && (await focused(page)) !== "export"; ++i) {
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate(() => document.getElementById("exports").open));
  await page.keyboard.press("Escape");
  assert.equal(await focused(page), "export");
  await opened.close();
});

test("what has the focus is seen, and every control has a name", { timeout: 60_000 }, async () => {
  const opened = await open(chromium);
  await settle(opened.page);
  const nameless = await opened.page.evaluate(() =>
    [...document.querySelectorAll("button, input:not([hidden]), select, [tabindex]")]
      .filter(
        (one) =>
          !(
            one.textContent.trim() ||
            one.getAttribute("aria-label") ||
            one.labels?.length ||
            one.getAttribute("aria-labelledby")
          ),
      )
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  for (let i = 0; i < 12; ++i) {
    await opened.page.keyboard.press("Tab");
    const seen = await opened.page.evaluate(() => {
      const at = document.activeElement;
      return at.classList.contains("cm-content") || getComputedStyle(at).outlineStyle !== "none";
    });
    assert.ok(seen, await focused(opened.page));
  }
  await opened.close();
});
