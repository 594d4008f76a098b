// SPDX-License-Identifier: Apache-2.0
// The page in headless Chromium: answers, faults, sliders, the picture, the link.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import {
  browser, built_page, example, load_text, need, open, shared_text, takt, verdict, wait_for_comparison, wait_for_verdict,
} from "./support.mjs";

let chromium;
before(async () => {
  if (built_page.startsWith("file:")) { need(fileURLToPath(built_page), "scripts/playground builds it"); }
  chromium = await browser();
});
after(() => chromium?.close());

// One page per test: what one leaves behind is no matter to the next.
function page_test(name, options, run) {
  test(name, { timeout: 180_000 }, async () => {
    const opened = await open(chromium, options);
    await run(opened.page);
    await opened.close();
  });
}

const shown_rows = (page) => page.locator("#policies tr").evaluateAll((rows) => rows.slice(1).map((row) => ({
  policy: row.querySelector("button.pick").textContent, verdict: row.querySelector(".badge").lastChild.textContent,
})));

const words = { schedulable: "schedulable", unschedulable: "unschedulable", "not-proven": "not proven", null: "not judged" };

test("the page is below a megabyte when it is compressed", () => {
  const page = readFileSync(fileURLToPath(built_page));
  const packed = gzipSync(page, { level: 9 }).length;
  console.log(`size of the page: ${page.length} bytes, ${packed} compressed`);
  assert.ok(packed < 1_000_000);
});

page_test("it begins with an example, and shows what the program says of it", {}, async (page) => {
  assert.match(await verdict(page), /schedulable by rtgpu-best/);
  const own = JSON.parse(takt(["compare", "set.json", "--json"], example("gcaps-xavier.json")).out).rows;
  const shown = await shown_rows(page);
  assert.equal(shown.length, own.length);
  for (const row of own) { assert.equal(shown.find(({ policy }) => policy === row.policy).verdict, words[row.status], row.policy); }
  assert.equal(shown[0].policy, "federated-shared");
  await page.waitForFunction(() => document.getElementById("explanation").innerText.includes("60ms for its own kernels on 1 SM"));
});

page_test("all examples are there, each with the verdict of the program", {}, async (page) => {
  const names = await page.locator("#start option").evaluateAll((all) => all.map(({ value }) => value).filter((value) => value.endsWith(".json")));
  assert.equal(names.length, 18);
  for (const name of names) {
    await wait_for_comparison(page, () => page.selectOption("#start", name));
    const said = JSON.parse(takt(["analyze", name, "--json"], example(name), name).out);
    assert.ok((await verdict(page)).replace(/^\W+/, "").startsWith(words[said.status]), `${name}: ${await verdict(page)}`);
    assert.equal(await page.inputValue("#file"), name);
  }
  await wait_for_comparison(page, () => page.selectOption("#start", "takt new"));
  assert.match(await shared_text(page), /Comments may stand anywhere/);
});

page_test("a fault is shown at its line, and the last answers stay until it is mended", {}, async (page) => {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 21; ++i) { await page.keyboard.press("ArrowDown"); }
  await page.keyboard.press("End");
  await page.keyboard.press("Control+ArrowLeft");
  await page.keyboard.type('"perod": 3, ');
  await wait_for_verdict(page, "fault");
  const said = takt(["analyze", "gcaps-xavier.json"], await shared_text(page), "gcaps-xavier.json");
  assert.equal(said.code, 3);
  const shown = await page.locator("#faults button").innerText();
  assert.ok(shown.endsWith(said.err.trim().replace("gcaps-xavier.json: ", "").replace(/^line \d+, column \d+: /, "")), `${shown}\n${said.err}`);
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
    for (let i = 0; i < line; ++i) { await page.keyboard.press("ArrowDown"); }
    for (let i = 0; i < column; ++i) { await page.keyboard.press("ArrowRight"); }
  };
  await go_to(1, board.indexOf('""') + 1);
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(".cm-tooltip-autocomplete");
  const offered = await page.locator(".cm-tooltip-autocomplete li").allInnerTexts();
  assert.ok(offered.some((one) => one.includes('"time-sliced"')), offered.join());
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
  const shown = await page.evaluate(() => new Promise((settle) => {
    const slider = document.querySelector("#sliders input");
    const seen = new Set();
    let moves = 0;
    const timer = setInterval(() => {
      slider.value = String(moves < 100 ? moves : 100 - (moves % 2));
      slider.dispatchEvent(new Event("input"));
      ++moves;
      seen.add(document.getElementById("verdict").innerText.replace(/\s+/g, " "));
      if (![...seen].every((one) => one.includes("✓"))) { clearInterval(timer); settle(moves); }
    }, 16);
  }));
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

page_test("a policy that is chosen drives what follows, and one that cannot judge says why", {}, async (page) => {
  await page.locator('#policies button[data-policy="busy-waiting"]').click();
  await wait_for_verdict(page, "not proven");
  const said = takt(["explain", "set.json", "--policy", "busy-waiting", "--json"], example("gcaps-xavier.json"));
  const first = JSON.parse(said.out).tasks.find(({ meets }) => !meets);
  await page.waitForFunction((sentence) => document.getElementById("explanation").innerText.includes(sentence), first.sentences[0]);
  assert.equal(await page.locator('#tasks tr.chosen button').innerText(), first.name);
  assert.equal(await page.inputValue("#policy"), "busy-waiting");
  await page.locator('#policies button[data-policy="fifo-blocks"]').click();
  await wait_for_verdict(page, "does not say blocks");
  assert.equal(await page.locator("#faults button").count(), 0);
  await page.locator("#verdict button").click();
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("cm-content")));
  await page.selectOption("#policy", "");
  await wait_for_verdict(page, "rtgpu-best");
  await wait_for_comparison(page, () => page.selectOption("#cpus", "edf"));
  const rows = JSON.parse(takt(["compare", "set.json", "--cpus", "edf", "--json"], example("gcaps-xavier.json")).out).rows;
  const shown = await shown_rows(page);
  for (const row of rows) { assert.equal(shown.find(({ policy }) => policy === row.policy)?.verdict, words[row.status], row.policy); }
});

const window_of = (page) => page.locator("#schedule .along svg").evaluate((svg) => svg.getAttribute("viewBox").split(" ").map(Number));

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
  const shape = await text.evaluate((one) => ({ width: one.getBoundingClientRect().width / Math.max(1, one.textContent.length), shown: one.style.display }));
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
  const touch = (type, distance) => devtools.send("Input.dispatchTouchEvent", {
    type, touchPoints: distance === null ? [] : [{ x: middle - distance, y, id: 0 }, { x: middle + distance, y, id: 1 }],
  });
  await touch("touchStart", 20);
  for (let distance = 24; distance <= 80; distance += 8) { await touch("touchMove", distance); }
  await touch("touchEnd", null);
  const closer = await window_of(page);
  assert.ok(closer[2] < all[2] / 2, `${all[2]} became ${closer[2]}`);
});

page_test("chains are shown with the program's bounds", {}, async (page) => {
  await page.selectOption("#start", "waters2019.json");
  await page.waitForSelector("#chain-rows tr");
  const said = JSON.parse(takt(["chains", "set.json", "--json"], example("waters2019.json")).out).chains;
  const rows = await page.locator("#chain-rows tr").evaluateAll((all) => all.map((row) => [...row.cells].map(({ innerText }) => innerText)));
  assert.equal(rows.length, said.length);
  const told = takt(["chains", "set.json"], example("waters2019.json")).out.split("\n");
  said.forEach((chain, i) => {
    assert.equal(rows[i][0], chain.name);
    assert.ok(told.find((line) => line.trim().startsWith(`${chain.name}  `)).endsWith(`  ${rows[i][1].slice(2)}`), `${chain.name}: ${rows[i][1]}`);
    assert.equal(rows[i][2], (chain.reaction.bound / 1e6).toFixed(3));
  });
  await page.waitForSelector("#chain-picture .along svg");
  await page.selectOption("#start", "gcaps-xavier.json");
  await page.waitForFunction(() => document.getElementById("chains-part").hidden);
});

page_test("a link restores file, policy, processors and task", {}, async (page) => {
  await load_text(page, `// a comment\n${example("waters2019-denver.json")}`);
  await wait_for_verdict(page, "schedulable");
  await page.waitForFunction(() => document.querySelectorAll("#tasks tr").length === 3);
  await page.locator('#policies button[data-policy="gang"]').click();
  await page.selectOption("#cpus", "edf");
  await page.locator("#tasks button").nth(2).click();
  const task = await page.locator("#tasks tr.chosen button").innerText();
  const text = await shared_text(page);
  await page.locator("#share").click();
  await page.waitForFunction(() => document.getElementById("notice").innerText !== "");
  const link = await page.evaluate(() => location.href);
  const other = await open(chromium, { fragment: new URL(link).hash });
  await other.page.waitForFunction((wanted) => document.querySelector("#tasks tr.chosen button")?.innerText === wanted, task);
  assert.equal(await shared_text(other.page), text);
  assert.equal(await other.page.inputValue("#policy"), "gang");
  assert.equal(await other.page.inputValue("#cpus"), "edf");
  assert.equal(await verdict(other.page), await verdict(page));
  await other.close();
  const broken = await open(chromium, { fragment: "#set=AAAA" });
  assert.match(await broken.page.locator("#notice").innerText(), /link is broken/);
  await broken.close();
});

page_test("a name that looks like a page stays a name", {}, async (page) => {
  const name = '<img src=x onerror=\\"document.title=1\\">';
  await load_text(page, example("waters2019-planner.json").replace('"Planner"', `"${name}"`));
  await wait_for_verdict(page, "unschedulable");
  await page.waitForFunction(() => document.querySelector("#tasks button")?.innerText.includes("<img"));
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(await page.title(), "takt playground");
});

page_test("a newer question is answered though an older one still runs", {}, async (page) => {
  await page.evaluate(() => {
    const slider = document.querySelector("#sliders input");
    for (let i = 0; i <= 60; ++i) { slider.value = String(i); slider.dispatchEvent(new Event("input")); }
  });
  await page.waitForFunction(() => /not proven|unschedulable/.test(document.getElementById("verdict").innerText));
  const said = JSON.parse(takt(["analyze", "set.json", "--json"], await shared_text(page)).out);
  assert.notEqual(said.status, "schedulable");
});

page_test("a text that is cut anywhere is a fault with a place, and nothing worse", {}, async (page) => {
  const whole = example("shares-trio.json");
  for (let i = 1; i <= 24; ++i) {
    const text = whole.slice(0, Math.floor((whole.length * i) / 26));
    await load_text(page, text);
    const said = takt(["analyze", "given.json"], text, "given.json");
    assert.equal(said.code, 3);
    const words = said.err.trim().replace("given.json: ", "").replace(/^line \d+, column \d+: /, "");
    await page.waitForFunction((wanted) => document.getElementById("faults").innerText.includes(wanted), words);
  }
  await wait_for_comparison(page, () => load_text(page, whole));
  assert.match(await verdict(page), /schedulable/);
});

page_test("an answer that takes long can be stopped", {}, async (page) => {
  const tasks = Array.from({ length: 60 }, (_, i) => ({
    name: `t${i}`, period: `${150 + 7 * i}ms`,
    segments: [{ cpu: "1ms" }, { kernel: { work: `${3 + (i % 5)}ms`, overhead: "20us", interleave: "9/5", wcet: "1ms", blocks: 24, threads_per_block: 256, length: "100us" } },
      { cpu: "500us" }],
  }));
  const gpu = { sms: 80, threads_per_sm: 2048, virtual_per_sm: 2, blocks_per_sm: 32, preemption_levels: 2, context_switch: "200us", sharing: "isolated" };
  await load_text(page, JSON.stringify({ format: "takt/1", platform: { cpus: { count: 4 }, gpus: [gpu] }, tasks }));
  await page.locator('[data-part="comparison"] .still button').click();
  await page.waitForFunction(() => document.querySelectorAll('[data-part="comparison"][aria-busy="true"], [data-part="comparison"] .still').length === 0);
  assert.match(await page.locator("#notice").innerText(), /Stopped/);
  await wait_for_comparison(page, () => page.selectOption("#start", "shares-trio.json"));
  assert.match(await verdict(page), /schedulable/);
});

function ten_tasks() {
  const tasks = Array.from({ length: 10 }, (_, i) => ({
    name: `task ${i}`, period: `${20 + 8 * i}ms`, priority: i, core: i % 4,
    segments: [{ cpu: ["100us", "300us"] }, { copy: "50us", direction: "to-device" },
      { kernel: { work: ["1ms", "3ms"], overhead: "20us", interleave: "9/5", wcet: "600us", blocks: 24, threads_per_block: 256, length: "100us" } },
      { copy: "50us", direction: "to-host" }, { cpu: "200us" }],
  }));
  return JSON.stringify({
    format: "takt/1", name: "ten tasks",
    platform: {
      cpus: { count: 4, policy: "fixed-priority" }, copy_engines: { count: 1 },
      gpus: [{ sms: 12, threads_per_sm: 2048, virtual_per_sm: 2, blocks_per_sm: 32, preemption_levels: 2, context_switch: "200us", sharing: "isolated" }],
    }, tasks,
  }, null, 2);
}

page_test("ten tasks under all policies: how long it takes is told", {}, async (page) => {
  const text = ten_tasks();
  await wait_for_comparison(page, () => load_text(page, text));
  const times = [];
  for (const cpus of ["edf", "", "edf", ""]) {
    await wait_for_comparison(page, () => page.selectOption("#cpus", cpus));
    times.push(Number(await page.locator("#comparison").getAttribute("data-milliseconds")));
  }
  const rows = await shown_rows(page);
  const proven = rows.filter(({ verdict: one }) => one === "schedulable").length;
  console.log(`ten tasks, ${rows.length} policies, ${proven} proven: compared in ${times.join(", ")} ms in the worker`);
  const said = JSON.parse(takt(["compare", "set.json", "--json"], text).out).rows;
  assert.deepEqual(rows.map(({ policy }) => policy).sort(), said.map(({ policy }) => policy).sort());
});

test("without a word to the outside: the page's own rule forbids it", async () => {
  const page = readFileSync(fileURLToPath(built_page), "utf8");
  assert.match(page, /Content-Security-Policy" content="default-src 'none';/);
  assert.doesNotMatch(page, /connect-src|https?:\/\/(?!www\.w3\.org)[\w.-]+\/[\w.-]*\.js/);
  const opened = await open(chromium);
  const refused = await opened.page.evaluate(() => new Promise((settle) => {
    document.addEventListener("securitypolicyviolation", (event) => settle(event.effectiveDirective), { once: true });
    fetch("https://example.org/").catch(() => {});
  }));
  assert.equal(refused, "connect-src");
  await opened.page.context().close();
});
