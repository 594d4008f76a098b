// SPDX-License-Identifier: Apache-2.0
// Pictures with a time axis, and the table of chains.
import assert from "node:assert/strict";
import { example, page_tests, takt } from "./support.mjs";

const { page_test } = page_tests();

const window_of = (page) =>
  page.locator("#schedule .along svg").evaluate((svg) => svg.getAttribute("viewBox").split(" ").map(Number));

page_test("the picture is zoomed and moved by keys, wheel, drag and buttons", {}, async (page) => {
  await page.waitForSelector("#schedule .along svg");
  const all = await window_of(page);
  await page.locator("#schedule .along").focus();
  await page.keyboard.press("+");
  const closer = await window_of(page);
  assert.ok(closer[2] < all[2]);
  assert.equal(closer[3], all[3], "rows keep their height");
  await page.keyboard.press("ArrowRight");
  const later = await window_of(page);
  assert.ok(later[0] > closer[0] && Math.abs(later[2] - closer[2]) < 1e-6);
  const box = await page.locator("#schedule .along").boundingBox();
  await page.locator("#schedule .along").scrollIntoViewIfNeeded();
  const place = await page.locator("#schedule .along").boundingBox();
  await page.mouse.move(place.x + place.width / 4, place.y + 40);
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(100);
  const wheeled = await window_of(page);
  assert.ok(wheeled[2] < later[2]);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 4 + 100, place.y + 40, { steps: 4 });
  await page.mouse.up();
  const dragged = await window_of(page);
  assert.ok(dragged[0] < wheeled[0] && box.width > 0);
  const text = page.locator("#schedule .along text").first();
  const shape = await text.evaluate((one) => ({
    width: one.getBoundingClientRect().width / Math.max(1, one.textContent.length),
    shown: one.style.display,
  }));
  assert.ok(shape.shown === "none" || shape.width < 12, "letters are not stretched");
  await page.locator('#schedule button[aria-label="show all"]').click();
  assert.deepEqual(await window_of(page), all);
  assert.ok((await page.locator("#schedule .names div").allInnerTexts()).includes("core 0"));
});

page_test("two fingers zoom the picture", { touch: true, width: 400, height: 900 }, async (page) => {
  await page.waitForSelector("#schedule .along svg");
  await page.locator("#schedule .along").scrollIntoViewIfNeeded();
  const all = await window_of(page);
  const box = await page.locator("#schedule .along").boundingBox();
  const y = box.y + 60;
  const middle = box.x + box.width / 2;
  const devtools = await page.context().newCDPSession(page);
  const touch = (type, distance) =>
    devtools.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        distance === null
          ? []
          : [
              { x: middle - distance, y, id: 0 },
              { x: middle + distance, y, id: 1 },
            ],
    });
  await touch("touchStart", 20);
  for (let distance = 24; distance <= 80; distance += 8) {
    await touch("touchMove", distance);
  }
  await touch("touchEnd", null);
  const closer = await window_of(page);
  assert.ok(closer[2] < all[2] / 2, `${all[2]} became ${closer[2]}`);
});

page_test("chains are shown with the program's bounds", {}, async (page) => {
  await page.selectOption("#start", "waters2019.json");
  await page.waitForSelector("#chain-rows tr");
  const said = JSON.parse(takt(["chains", "set.json", "--json"], example("waters2019.json")).out).chains;
  const rows = await page
    .locator("#chain-rows tr")
    .evaluateAll((all) => all.map((row) => [...row.cells].map(({ innerText }) => innerText)));
  assert.equal(rows.length, said.length);
  const told = takt(["chains", "set.json"], example("waters2019.json")).out.split("\n");
  said.forEach((chain, i) => {
    assert.equal(rows[i][0], chain.name);
    assert.ok(
      told.find((line) => line.trim().startsWith(`${chain.name}  `)).endsWith(`  ${rows[i][1].slice(2)}`),
      `${chain.name}: ${rows[i][1]}`,
    );
    assert.equal(rows[i][2], (chain.reaction.bound / 1e6).toFixed(3));
  });
  await page.waitForSelector("#chain-picture .along svg");
  await page.selectOption("#start", "gcaps-xavier.json");
  await page.waitForFunction(() => document.getElementById("chains-part").hidden);
});
