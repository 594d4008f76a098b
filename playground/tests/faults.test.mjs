// SPDX-License-Identifier: Apache-2.0
// Faults, and what the editor offers against them.
import assert from "node:assert/strict";
import {
  example,
  load_text,
  page_tests,
  shared_text,
  takt,
  verdict,
  wait_for_comparison,
  wait_for_verdict,
  words,
} from "./support.mjs";

const { page_test } = page_tests();

page_test("a fault is shown at its line, and the last answers stay until it is mended", {}, async (page) => {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 21; ++i) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("End");
  await page.keyboard.press("Control+ArrowLeft");
  await page.keyboard.type('"perod": 3, ');
  await wait_for_verdict(page, "fault");
  const said = takt(["analyze", "gcaps-xavier.json"], await shared_text(page), "gcaps-xavier.json");
  assert.equal(said.code, 3);
  const shown = await page.locator("#faults button").innerText();
  assert.ok(
    shown.endsWith(
      said.err
        .trim()
        .replace("gcaps-xavier.json: ", "")
        .replace(/^line \d+, column \d+: /, ""),
    ),
    `${shown}\n${said.err}`,
  );
  assert.match(shown, /^line 2[23], column \d+: /);
  assert.equal(await page.locator(".cm-lint-marker-error").count(), 1);
  assert.equal(await page.locator("#answers.stale #policies tr").count(), 14);
  assert.match(await page.locator("#stale").innerText(), /fault/);
  await page.locator("#faults button").click();
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("cm-content")));
  await wait_for_comparison(page, async () => {
    for (let i = 0; i < 20 && (await page.locator("#answers.stale").count()) > 0; ++i) {
      await page.keyboard.press("Control+z");
      await page.waitForTimeout(300);
    }
  });
  assert.equal(await shared_text(page), example("gcaps-xavier.json"));
  assert.match(await verdict(page), /schedulable/);
  assert.equal(await page.locator("#faults button").count(), 0);
});

page_test("a syntax error has its line and column", {}, async (page) => {
  await load_text(page, '{\n  "format": "takt/1",\n  "tasks" [\n}\n');
  await wait_for_verdict(page, "fault");
  assert.match(await page.locator("#faults button").innerText(), /^line 3, column 11: .*':'/);
});

page_test("the schema completes keys and words", {}, async (page) => {
  const board = '"platform": { "gpus": [{ "sharing": "" }] },';
  const tasks = '"tasks": [{ }] }';
  await load_text(page, `{ "format": "takt/1",\n${board}\n${tasks}`);
  await wait_for_verdict(page, "fault");
  const go_to = async (line, column) => {
    await page.locator(".cm-content").press("Control+Home");
    for (let i = 0; i < line; ++i) {
      await page.keyboard.press("ArrowDown");
    }
    for (let i = 0; i < column; ++i) {
      await page.keyboard.press("ArrowRight");
    }
  };
  await go_to(1, board.indexOf('""') + 1);
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(".cm-tooltip-autocomplete");
  const offered = await page.locator(".cm-tooltip-autocomplete li").allInnerTexts();
  assert.ok(
    offered.some((one) => one.includes('"time-sliced"')),
    offered.join(),
  );
  await page.keyboard.type("tim");
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  assert.match(await shared_text(page), /"sharing": "time-sliced" \}/);
  await go_to(2, tasks.indexOf("{ }") + 2);
  await page.keyboard.type('"per');
  await page.waitForSelector(".cm-tooltip-autocomplete");
  await page.waitForTimeout(300);
  assert.match(await page.locator(".cm-completionInfo").innerText(), /between two releases/);
  await page.keyboard.press("Enter");
  assert.match(await shared_text(page), /"tasks": \[\{ "period": /);
});

page_test("a text that is cut anywhere is a fault with a place, and nothing worse", {}, async (page) => {
  const whole = example("shares-trio.json");
  for (let i = 1; i <= 24; ++i) {
    const text = whole.slice(0, Math.floor((whole.length * i) / 26));
    await load_text(page, text);
    const said = takt(["analyze", "given.json"], text, "given.json");
    assert.equal(said.code, 3);
    const words = said.err
      .trim()
      .replace("given.json: ", "")
      .replace(/^line \d+, column \d+: /, "");
    await page.waitForFunction((wanted) => document.getElementById("faults").innerText.includes(wanted), words);
  }
  await wait_for_comparison(page, () => load_text(page, whole));
  assert.match(await verdict(page), /schedulable/);
});
