// SPDX-License-Identifier: Apache-2.0
// What is exported is fed to the program and to the compiler: the verdicts are equal.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import {
  browser,
  example,
  open,
  program,
  root,
  takt,
  temporary_folder,
  verdict,
  wait_for_comparison,
} from "./support.mjs";

let chromium;
let opened;
before(async () => {
  chromium = await browser();
  opened = await open(chromium);
});
after(async () => {
  await opened?.close();
  await chromium?.close();
});

const codes = { schedulable: 0, unschedulable: 1, "not proven": 2 };

async function shown_code() {
  return codes[/schedulable|unschedulable|not proven/.exec((await verdict(opened.page)).replace(/^\W+/, ""))[0]];
}

async function saved(button) {
  await opened.page.locator("#export").click();
  const waiting = opened.page.waitForEvent("download", { timeout: 30_000 });
  await opened.page.locator(`#exports button[data-export="${button}"]`).click();
  const download = await waiting;
  const text = readFileSync(await download.path(), "utf8");
  await opened.page.keyboard.press("Escape");
  return { name: download.suggestedFilename(), text };
}

async function start_from(name) {
  await wait_for_comparison(opened.page, () => opened.page.selectOption("#start", name));
}

test("the file is the one that stands in the editor", { timeout: 60_000 }, async () => {
  for (const name of ["gcaps-xavier.json", "waters2019-planner.json", "reef-kernels-mi50.json"]) {
    await start_from(name);
    const file = await saved("json");
    assert.deepEqual(file, { name, text: example(name) });
    assert.equal(takt(["analyze", name], file.text, name).code, await shown_code());
  }
});

test("the script asks a shell for the same", { timeout: 60_000 }, async () => {
  await start_from("waters2019-planner.json");
  const script = await saved("sh");
  const folder = temporary_folder();
  symlinkSync(program, join(folder, "takt"));
  writeFileSync(join(folder, script.name), script.text);
  const said = spawnSync("sh", [script.name], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  assert.match(said.stdout, /verdict: unschedulable/, said.stderr);
  assert.equal(readFileSync(join(folder, "waters2019-planner.json"), "utf8"), example("waters2019-planner.json"));
  assert.match(readFileSync(join(folder, "waters2019-planner.compare.svg"), "utf8"), /^<svg/);
});

test("the command lines give what is shown, byte by byte", { timeout: 60_000 }, async () => {
  await start_from("gcaps-xavier.json");
  await opened.page.selectOption("#policy", "gang");
  await opened.page.waitForFunction(() => document.getElementById("verdict").innerText.includes("holistic"));
  await opened.page.locator("#export").click();
  const lines = (await opened.page.locator("#command-lines").innerText()).split("\n");
  await opened.page.locator("#copy-lines").click();
  assert.equal(await opened.page.evaluate(() => navigator.clipboard.readText()), lines.join("\n"));
  await opened.page.keyboard.press("Escape");
  assert.ok(lines.includes("takt analyze gcaps-xavier.json --policy gang"), lines.join("\n"));
  for (const [button, command, file] of [
    ["compare.svg", "compare", "gcaps-xavier.compare.svg"],
    ["schedule.svg", "simulate", "gcaps-xavier.schedule.svg"],
  ]) {
    const picture = await saved(button);
    const line = lines.find((one) => one.startsWith(`takt ${command} `));
    const said = takt(line.split(" ").slice(1), example("gcaps-xavier.json"), "gcaps-xavier.json");
    assert.equal(said.code, 0);
    assert.equal(picture.text, readFileSync(join(said.folder, file), "utf8"), button);
    assert.equal(picture.name, file);
  }
  await opened.page.selectOption("#policy", "");
});

test("the C++ program compiles and has the same verdict", { timeout: 600_000 }, async () => {
  await start_from("gcaps-xavier.json");
  await opened.page.locator("#export").click();
  const item = opened.page.locator('#exports li:has(button[data-export="cpp"])');
  if (await item.locator("button").isDisabled()) {
    // Only right where the program has no such export either.
    assert.doesNotMatch(takt(["help", "export"]).out, /\bcpp\b/);
    assert.match(await item.innerText(), /this build of the program has no such export/);
    await opened.page.keyboard.press("Escape");
    console.log("C++: this takt.wasm has no `export cpp`");
    return;
  }
  await opened.page.keyboard.press("Escape");
  for (const [name, policy] of [
    ["gcaps-xavier.json", ""],
    ["waters2019-planner.json", ""],
    ["gcaps-xavier.json", "whole-gpu"],
  ]) {
    await start_from(name);
    if (policy !== "") {
      await opened.page.selectOption("#policy", policy);
      await opened.page.waitForFunction(() => document.getElementById("verdict").innerText.includes("holistic"));
    }
    const file = await saved("cpp");
    assert.equal(file.name, name.replace(".json", ".cpp"));
    const folder = temporary_folder();
    writeFileSync(join(folder, file.name), file.text);
    const built = spawnSync(
      process.env.CXX ?? "g++",
      ["-std=c++20", `-I${join(root, "include")}`, file.name, "-o", "exported"],
      { cwd: folder, encoding: "utf8" },
    );
    assert.equal(built.status, 0, built.stderr);
    const ran = spawnSync(join(folder, "exported"), { encoding: "utf8" });
    assert.equal(ran.status, await shown_code(), ran.stdout + ran.stderr);
    console.log(
      `C++ of ${name}${policy && ` under ${policy}`}: g++ compiles it, and it ends with ${ran.status} as shown`,
    );
  }
});
