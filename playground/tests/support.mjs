// SPDX-License-Identifier: Apache-2.0
// What the tests share: the sources as modules, the program itself, and a page that is open.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const built_page = process.env.TAKT_PLAYGROUND ?? pathToFileURL(join(root, "build/playground/index.html")).href;
export const program = process.env.TAKT_PROGRAM ?? join(root, "build/release/bin/takt");
export const shots = join(root, "build/playground/shots");

const folders = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/// A folder that is gone after the tests.
export function temporary_folder() {
  folders.push(mkdtempSync(join(tmpdir(), "takt-playground-")));
  return folders.at(-1);
}

export function need(path, how) {
  assert.ok(existsSync(path), `${path} is missing: ${how}`);
  return path;
}

/// A module of src/, with what build.mjs gives it.
export async function source(name) {
  const schema = readFileSync(join(root, "docs/schema/takt-1.schema.json"), "utf8");
  const made = await build({
    entryPoints: [join(root, "playground/src", name)],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "error",
    plugins: [
      {
        name: "takt",
        setup(on) {
          on.onResolve({ filter: /^takt:unpack$/ }, () =>
            on.resolve("lzma1", { resolveDir: dirname(fileURLToPath(import.meta.url)), kind: "import-statement" }),
          );
          on.onResolve({ filter: /^takt:/ }, ({ path }) => ({ path, namespace: "takt" }));
          on.onLoad({ filter: /.*/, namespace: "takt" }, ({ path }) => ({
            contents: path === "takt:schema" ? schema : '""',
            loader: "json",
          }));
        },
      },
    ],
  });
  const file = join(temporary_folder(), `${name}.mjs`);
  writeFileSync(file, made.outputFiles[0].text);
  return import(pathToFileURL(file).href);
}

export function example(name) {
  return readFileSync(join(root, "examples/data", name), "utf8");
}

/// What the program itself says about a text.
export function takt(words, text, file = "set.json") {
  need(program, "scripts/build_program makes it, or TAKT_PROGRAM names it");
  const folder = temporary_folder();
  if (text !== undefined) {
    writeFileSync(join(folder, file), text);
  }
  const said = spawnSync(program, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 1 << 26,
  });
  return { code: said.status, out: said.stdout, err: said.stderr, folder };
}

export async function browser() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  need(executablePath, "scripts/setup --playground installs it, or CHROMIUM names it");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/// A page that has answered. What it says on the console, and what it asks of others, is an error at its end.
export async function open(from, { fragment = "", width = 1600, height = 1000, scheme = "light", touch = false } = {}) {
  const context = await from.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: touch,
    acceptDownloads: true,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !built_page.startsWith("http")) {
      complaints.push(`asks for ${request.url()}`);
    }
  });
  await page.goto(built_page + fragment);
  const answered = page.waitForSelector("#policies tr:nth-child(3)", { timeout: 60_000 });
  const broken = page.waitForEvent("console", { predicate: (message) => message.type() === "error", timeout: 0 });
  const first = await Promise.race([answered.then(() => null), broken]);
  assert.equal(first, null, complaints.join("\n"));
  return {
    page,
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

/// The text that the address holds, once it has caught up.
export async function shared_text(page) {
  const { shared_by } = await (loaded ??= source("share.ts"));
  await page.waitForTimeout(600);
  return (await shared_by(new URL(page.url()).hash)).text;
}
let loaded;

export function verdict(page) {
  return page.locator("#verdict").innerText();
}

export async function wait_for_verdict(page, words) {
  await page.waitForFunction((wanted) => document.getElementById("verdict").innerText.includes(wanted), words, {
    timeout: 60_000,
  });
}

/// Waits until the comparison is about the text that is there now.
export async function wait_for_comparison(page, act) {
  const count = () => page.evaluate(() => Number(document.getElementById("comparison").dataset.revision));
  const before = await count();
  await act();
  await page.waitForFunction((old) => Number(document.getElementById("comparison").dataset.revision) > old, before, {
    timeout: 60_000,
  });
}

export async function load_text(page, text) {
  await page
    .locator("#chosen-file")
    .setInputFiles({ name: "given.json", mimeType: "application/json", buffer: Buffer.from(text) });
}

export function shot_path(name) {
  mkdirSync(shots, { recursive: true });
  return join(shots, `${name}.png`);
}

/// Opens the browser before the tests of a file. Each test has a page of its own: what one leaves behind is no matter to
/// the next.
export function page_tests() {
  const shared = {};
  before(async () => {
    if (built_page.startsWith("file:")) {
      need(fileURLToPath(built_page), "scripts/playground builds it");
    }
    shared.browser = await browser();
  });
  after(() => shared.browser?.close());
  const page_test = (name, options, run) =>
    test(name, { timeout: 180_000 }, async () => {
      const opened = await open(shared.browser, options);
      await run(opened.page);
      await opened.close();
    });
  return { page_test, shared };
}

/// The rows of the comparison below that of the file's own rules.
export function shown_rows(page) {
  const rows = page.locator("#policies tr");
  return rows.evaluateAll((all) =>
    all
      .slice(1)
      .map((row) => ({
        policy: row.querySelector("button.pick").textContent,
        verdict: row.querySelector(".badge").lastChild.textContent,
      })),
  );
}

/// How the page calls what JSON says.
export const words = {
  schedulable: "schedulable",
  unschedulable: "unschedulable",
  "not-proven": "not proven",
  null: "not judged",
};
