// SPDX-License-Identifier: Apache-2.0
// Sliders change the text, and verdicts follow.
import assert from "node:assert/strict";
import { example, page_tests, shared_text, takt, verdict, wait_for_comparison, wait_for_verdict } from "./support.mjs";

const { page_test } = page_tests();

page_test("a slider turns the verdict while it is dragged, changes the text, and goes back", {}, async (page) => {
  const slider = page.locator('#sliders input[type="range"]').first();
  const box = await slider.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 10 });
  await page.mouse.move(box.x + box.width * 0.98, y, { steps: 10 });
  await page.waitForFunction(() => /not proven|unschedulable/.test(document.getElementById("verdict").innerText));
  const while_held = await verdict(page);
  assert.match(while_held, /not proven|unschedulable/);
  await wait_for_comparison(page, () => page.mouse.up());
  const text = await shared_text(page);
  const said = JSON.parse(takt(["analyze", "set.json", "--json"], text).out);
  assert.ok(["not-proven", "unschedulable"].includes(said.status));
  assert.match(text, /"context_switch": "200us"/);
  assert.match(text, /\{"name": "histogram", "period": 100000000,/);
  assert.doesNotMatch(text, /\{"cpu": \[0, 500000\]\}/);
  await page.locator("#reset").click();
  await wait_for_verdict(page, "✓");
  assert.equal(await shared_text(page), example("gcaps-xavier.json"));
});

page_test("verdicts come while a slider never rests", {}, async (page) => {
  const shown = await page.evaluate(
    () =>
      new Promise((settle) => {
        const slider = document.querySelector("#sliders input");
        const seen = new Set();
        let moves = 0;
        const timer = setInterval(() => {
          slider.value = String(moves < 100 ? moves : 100 - (moves % 2));
          slider.dispatchEvent(new Event("input"));
          ++moves;
          seen.add(document.getElementById("verdict").innerText.replace(/\s+/g, " "));
          if (![...seen].every((one) => one.includes("✓"))) {
            clearInterval(timer);
            settle(moves);
          }
        }, 16);
      }),
  );
  console.log(`a slider that moves every 16 ms: the verdict turned at its move ${shown}`);
});

page_test("a time with a unit keeps it, and the deadline goes along with the period", {}, async (page) => {
  await wait_for_comparison(page, () => page.selectOption("#start", "takt new"));
  const period = page.getByLabel("period of camera");
  await period.focus();
  await page.keyboard.press("End");
  const text = await shared_text(page);
  assert.match(text, /"period": "132ms", {4}\/\/ at least so long/);
  assert.match(text, /"deadline": "120ms"/);
  assert.match(await period.getAttribute("aria-valuetext"), /132 ms/);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+z");
  assert.match(await shared_text(page), /"period": "33ms"/);
  assert.equal(await page.getByLabel("period of camera").inputValue(), "0");
});

page_test("a newer question is answered though an older one still runs", {}, async (page) => {
  await page.evaluate(() => {
    const slider = document.querySelector("#sliders input");
    for (let i = 0; i <= 60; ++i) {
      slider.value = String(i);
      slider.dispatchEvent(new Event("input"));
    }
  });
  await page.waitForFunction(() => /not proven|unschedulable/.test(document.getElementById("verdict").innerText));
  const said = JSON.parse(takt(["analyze", "set.json", "--json"], await shared_text(page)).out);
  assert.notEqual(said.status, "schedulable");
  await page.locator(".cm-content").press("Control+z");
  assert.equal(await shared_text(page), example("gcaps-xavier.json"), "one step back undoes the whole movement");
});
