// SPDX-License-Identifier: Apache-2.0
// The page in headless Chromium: what it shows, what it refuses, what it lets nobody do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import {
  built_page,
  example,
  load_text,
  open,
  page_tests,
  shared_text,
  shown_rows,
  takt,
  verdict,
  wait_for_comparison,
  wait_for_verdict,
  words,
} from "./support.mjs";

const { page_test, shared } = page_tests();

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
  for (const row of own) {
    assert.equal(shown.find(({ policy }) => policy === row.policy).verdict, words[row.status], row.policy);
  }
  assert.equal(shown[0].policy, "federated-shared");
  await page.waitForFunction(() =>
    document.getElementById("explanation").innerText.includes("60ms for its own kernels on 1 SM"),
  );
});

page_test("all examples are there, each with the verdict of the program", {}, async (page) => {
  const names = await page
    .locator("#start option")
    .evaluateAll((all) => all.map(({ value }) => value).filter((value) => value.endsWith(".json")));
  assert.equal(names.length, 18);
  for (const name of names) {
    await wait_for_comparison(page, () => page.selectOption("#start", name));
    const said = JSON.parse(takt(["analyze", name, "--json"], example(name), name).out);
    assert.ok(
      (await verdict(page)).replace(/^\W+/, "").startsWith(words[said.status]),
      `${name}: ${await verdict(page)}`,
    );
    assert.equal(await page.inputValue("#file"), name);
  }
  await wait_for_comparison(page, () => page.selectOption("#start", "takt new"));
  assert.match(await shared_text(page), /Comments may stand anywhere/);
});

page_test("rows stand in the order of the program, by slack and by factor", {}, async (page) => {
  for (const name of ["gpusync-board.json", "accelerator-example1.json", "camera-graph.json", "gcaps-xavier.json"]) {
    await wait_for_comparison(page, () => page.selectOption("#start", name));
    for (const by of ["factor", "slack"]) {
      await page.locator(`[data-rank="${by}"]`).click();
      const table = takt(["compare", "set.json", "--sort", by], example(name))
        .out.split(/\n *-+  .*\n/)[1]
        .split("\n\n")[0];
      const told = [
        ...table.matchAll(/^  ?(\S+)(?: \([^)]*\))?  +(?:schedulable|unschedulable|not proven|not judged)/gm),
      ];
      const rows = await shown_rows(page);
      assert.deepEqual(
        rows.map(({ policy }) => policy),
        told.map(([, policy]) => policy),
        `${name} by ${by}`,
      );
    }
  }
});

page_test("a policy that is chosen drives what follows, and one that cannot judge says why", {}, async (page) => {
  await page.locator('#policies button[data-policy="busy-waiting"]').click();
  await wait_for_verdict(page, "not proven");
  const said = takt(["explain", "set.json", "--policy", "busy-waiting", "--json"], example("gcaps-xavier.json"));
  const first = JSON.parse(said.out).tasks.find(({ meets }) => !meets);
  await page.waitForFunction(
    (sentence) => document.getElementById("explanation").innerText.includes(sentence),
    first.sentences[0],
  );
  assert.equal(await page.locator("#tasks tr.chosen button").innerText(), first.name);
  assert.equal(await page.inputValue("#policy"), "busy-waiting");
  await page.locator('#policies button[data-policy="fifo-blocks"]').click();
  await wait_for_verdict(page, "does not say blocks");
  assert.equal(await page.locator("#faults button").count(), 0);
  await page.locator("#verdict button").click();
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("cm-content")));
  await page.selectOption("#policy", "");
  await wait_for_verdict(page, "rtgpu-best");
  await wait_for_comparison(page, () => page.selectOption("#cpus", "edf"));
  const rows = JSON.parse(
    takt(["compare", "set.json", "--cpus", "edf", "--json"], example("gcaps-xavier.json")).out,
  ).rows;
  const shown = await shown_rows(page);
  for (const row of rows) {
    assert.equal(shown.find(({ policy }) => policy === row.policy)?.verdict, words[row.status], row.policy);
  }
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
  const other = await open(shared.browser, { fragment: new URL(link).hash });
  await other.page.waitForFunction(
    (wanted) => document.querySelector("#tasks tr.chosen button")?.innerText === wanted,
    task,
  );
  assert.equal(await shared_text(other.page), text);
  assert.equal(await other.page.inputValue("#policy"), "gang");
  assert.equal(await other.page.inputValue("#cpus"), "edf");
  assert.equal(await verdict(other.page), await verdict(page));
  await other.close();
  const broken = await open(shared.browser, { fragment: "#set=AAAA" });
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

page_test("an answer that takes long can be stopped", {}, async (page) => {
  const tasks = Array.from({ length: 60 }, (_, i) => ({
    name: `t${i}`,
    period: `${150 + 7 * i}ms`,
    segments: [
      { cpu: "1ms" },
      {
        kernel: {
          work: `${3 + (i % 5)}ms`,
          overhead: "20us",
          interleave: "9/5",
          wcet: "1ms",
          blocks: 24,
          threads_per_block: 256,
          length: "100us",
        },
      },
      { cpu: "500us" },
    ],
  }));
  const gpu = {
    sms: 80,
    threads_per_sm: 2048,
    virtual_per_sm: 2,
    blocks_per_sm: 32,
    preemption_levels: 2,
    context_switch: "200us",
    sharing: "isolated",
  };
  await load_text(page, JSON.stringify({ format: "takt/1", platform: { cpus: { count: 4 }, gpus: [gpu] }, tasks }));
  await page.locator('[data-part="comparison"] .still button').click();
  await page.waitForFunction(
    () =>
      document.querySelectorAll('[data-part="comparison"][aria-busy="true"], [data-part="comparison"] .still')
        .length === 0,
  );
  assert.match(await page.locator("#notice").innerText(), /Stopped/);
  // What was asked beside it goes on.
  await page.waitForFunction(() => document.getElementById("explanation").innerText.includes("t0 "));
  await wait_for_comparison(page, () => page.selectOption("#start", "shares-trio.json"));
  assert.match(await verdict(page), /schedulable/);
});

function ten_tasks() {
  const tasks = Array.from({ length: 10 }, (_, i) => ({
    name: `task ${i}`,
    period: `${20 + 8 * i}ms`,
    priority: i,
    core: i % 4,
    segments: [
      { cpu: ["100us", "300us"] },
      { copy: "50us", direction: "to-device" },
      {
        kernel: {
          work: ["1ms", "3ms"],
          overhead: "20us",
          interleave: "9/5",
          wcet: "600us",
          blocks: 24,
          threads_per_block: 256,
          length: "100us",
        },
      },
      { copy: "50us", direction: "to-host" },
      { cpu: "200us" },
    ],
  }));
  return JSON.stringify(
    {
      format: "takt/1",
      name: "ten tasks",
      platform: {
        cpus: { count: 4, policy: "fixed-priority" },
        copy_engines: { count: 1 },
        gpus: [
          {
            sms: 12,
            threads_per_sm: 2048,
            virtual_per_sm: 2,
            blocks_per_sm: 32,
            preemption_levels: 2,
            context_switch: "200us",
            sharing: "isolated",
          },
        ],
      },
      tasks,
    },
    null,
    2,
  );
}

page_test("ten tasks under all policies: how long it takes is told", {}, async (page) => {
  const text = ten_tasks();
  await wait_for_comparison(page, () => load_text(page, text));
  const times = [];
  for (const rule of ["edf", "", "edf", ""]) {
    await wait_for_comparison(page, () => page.selectOption("#cpus", rule));
    times.push(Number(await page.locator("#comparison").getAttribute("data-milliseconds")));
  }
  const rows = await shown_rows(page);
  const proven = rows.filter(({ verdict: one }) => one === "schedulable").length;
  console.log(
    `ten tasks, ${rows.length} policies, ${proven} proven: compared in ${times.join(", ")} ms in the worker; ${cpus().length} cores with a load of ${loadavg()[0].toFixed(1)}`,
  );
  const said = JSON.parse(takt(["compare", "set.json", "--json"], text).out).rows;
  assert.deepEqual(rows.map(({ policy }) => policy).sort(), said.map(({ policy }) => policy).sort());
});

test("without a word to the outside: the page's own rule forbids it", async () => {
  const page = readFileSync(fileURLToPath(built_page), "utf8");
  assert.match(page, /Content-Security-Policy" content="default-src 'none';/);
  assert.doesNotMatch(page, /connect-src|https?:\/\/(?!www\.w3\.org)[\w.-]+\/[\w.-]*\.js/);
  const opened = await open(shared.browser);
  const refused = await opened.page.evaluate(
    () =>
      new Promise((settle) => {
        document.addEventListener("securitypolicyviolation", (event) => settle(event.effectiveDirective), {
          once: true,
        });
        fetch("https://example.org/").catch(() => {});
      }),
  );
  assert.equal(refused, "connect-src");
  await opened.page.context().close();
});
