// SPDX-License-Identifier: Apache-2.0
// takt.wasm answers as the program does: output, errors, exit code and written files, byte by byte.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = process.env.TAKT_PROGRAM ?? join(root, "build/release/bin/takt");
const wasm = process.env.TAKT_WASM ?? join(root, "build/wasm/bin/takt.wasm");
const missing = [program, wasm].filter((file) => !existsSync(file));
const options = { skip: missing.length > 0 && `there is no ${missing.join(", no ")}` };

const commands = ["compare", "analyze", "explain", "simulate", "sensitivity", "chains"];
const random_sets = 200;
const written = ["out.svg", "out.json"];

let module;
let folder;
const spent = { program: 0, wasm: 0, calls: 0 };

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "takt-equal-"));
  if (missing.length === 0) {
    module = await WebAssembly.compile(readFileSync(wasm));
  }
});
after(() => rmSync(folder, { recursive: true }));

function of_program(args) {
  for (const name of written) {
    rmSync(join(folder, name), { force: true });
  }
  const begin = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: folder, env: {} });
    const out = [];
    const err = [];
    child.stdout.on("data", (bytes) => out.push(bytes));
    child.stderr.on("data", (bytes) => err.push(bytes));
    child.on("error", fail);
    child.on("close", (code) => {
      spent.program += performance.now() - begin;
      const files = written.filter((name) => existsSync(join(folder, name)));
      done({
        code,
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
        files: files.map((name) => [name, readFileSync(join(folder, name), "utf8")]),
      });
    });
  });
}

function of_wasm(args, given) {
  const begin = performance.now();
  const texts = ["", ""];
  const stream = (i) =>
    new ConsoleStdout((bytes) => {
      texts[i] += Buffer.from(bytes).toString("latin1");
    });
  const directory = new PreopenDirectory(
    "/",
    new Map(Object.entries(given).map(([name, text]) => [name, new File(Buffer.from(text))])),
  );
  const system = new WASI(["takt", ...args], [], [new OpenFile(new File([])), stream(0), stream(1), directory], {
    debug: false,
  });
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system.wasiImport });
  const code = system.start(instance);
  const [out, err] = texts.map((text) => Buffer.from(text, "latin1").toString());
  const files = written.filter((name) => directory.dir.contents.has(name));
  spent.wasm += performance.now() - begin;
  return {
    code,
    out,
    err,
    files: files.map((name) => [name, Buffer.from(directory.dir.contents.get(name).data).toString()]),
  };
}

/// Answers are long: only the place where they part is shown.
function require_equal(found, expected, what) {
  for (const part of ["code", "out", "err", "files"]) {
    const [a, b] = [found, expected].map((answer) => JSON.stringify(answer[part]));
    if (a === b) {
      continue;
    }
    let at = 0;
    while (a[at] === b[at]) {
      ++at;
    }
    const near = (text) => text.slice(Math.max(at - 100, 0), at + 100);
    assert.fail(`${what}\n${part} of takt.wasm: ${near(a)}\n${part} of the program: ${near(b)}`);
  }
}

async function same(args, given) {
  for (const [name, text] of Object.entries(given)) {
    writeFileSync(join(folder, name), text);
  }
  ++spent.calls;
  const expected = of_program(args);
  const found = of_wasm(args, given);
  require_equal(found, await expected, `takt ${args.join(" ")}\n${JSON.stringify(given).slice(0, 100)}`);
  return found;
}

async function random_workloads() {
  const list = (await of_program(["generate", "--list"])).out;
  const names = list
    .slice(0, list.indexOf("\n\n"))
    .split("\n")
    .map((line) => line.split(" ")[0]);
  const count = Math.ceil(random_sets / names.length);
  const sets = [];
  for (const name of names) {
    const made = await of_program(["generate", name, "--count", String(count), "--seed", "7"]);
    assert.equal(made.code, 0, made.err);
    sets.push(...made.out.trimEnd().split("\n"));
  }
  return sets;
}

test("all files of examples/data have the same answers", options, async () => {
  const data = join(root, "examples/data");
  for (const name of readdirSync(data).filter((file) => file.endsWith(".json"))) {
    const given = { "set.json": readFileSync(join(data, name), "utf8") };
    for (const command of commands) {
      await same([command, "set.json", "--json"], given);
    }
    await same(["compare", "set.json", "--svg", "out.svg", "--write", "out.json"], given);
    await same(["explain", "set.json"], given);
    await same(["simulate", "set.json", "--for", "100ms", "--svg", "out.svg", "--trace", "out.json"], given);
    await same(["chains", "set.json", "--svg", "out.svg"], given);
  }
});

test(`${random_sets} random workloads have the same answers`, options, async () => {
  const sets = await random_workloads();
  assert.ok(sets.length >= random_sets);
  for (const [i, set] of sets.entries()) {
    const given = { "set.json": set };
    await same(["compare", "set.json", "--json"], given);
    const other = commands[1 + (i % 5)];
    const short = ["simulate", "chains"].includes(other) ? ["--for", "300ms"] : [];
    await same([other, "set.json", "--json", ...short], given);
    await same(
      [
        "simulate",
        "set.json",
        "--json",
        "--for",
        "100ms",
        "--releases",
        "sporadic",
        "--execution",
        "random",
        "--seed",
        String(i),
      ],
      given,
    );
  }
});

test("what is wrong is said in the same words", options, async () => {
  const set = readFileSync(join(root, "examples/data/gcaps-xavier.json"), "utf8");
  const faults = {
    "a file that ends early": set.slice(0, 300),
    "no JSON": "takt",
    "an empty file": "",
    "an unknown key": set.replace('"tasks"', '"task"'),
    "a time below 0": set.replace(/"period": *"?[0-9a-z.]+"?/, '"period": -1'),
    "a time that overflows": set.replace(/"period": *"?[0-9a-z.]+"?/, '"period": "9223372036.854775807s"'),
    "text that is no UTF-8 for the terminal": '{"format": "takt/1", "name": "\u001b[31m", "x": 1}',
  };
  for (const [what, text] of Object.entries(faults)) {
    assert.notEqual(text, set, what);
    for (const command of commands) {
      await same([command, "set.json", "--json"], { "set.json": text });
    }
    await same(["analyze", "set.json"], { "set.json": text });
  }
  const calls = [
    ["analyze"],
    ["analyze", "absent.json"],
    ["analyze", "set.json", "--jsn"],
    ["analyze", "set.json", "more.json"],
    ["analyze", "set.json", "--policy", "gangs"],
    ["analyze", "set.json", "--policy"],
    ["compare", "set.json", "--cpus", "edff"],
    ["compare", "set.json", "--policies", "gang,federated,time-sliced:1ms", "--cpus", "edf,g-edf", "--json"],
    ["simulate", "set.json", "--seed", "-1"],
    ["simulate", "set.json", "--for", "1h"],
    ["simulate", "set.json", "--svg", "out.gif"],
    ["simulate", "set.json", "--svg", "no/folder.svg"],
    ["simulate", "set.json", "--svg", "out.png"],
    ["help", "compare"],
    ["new", "mine", "--write", "out.json"],
    ["new", "mine", "--write", "set.json"],
    ["new"],
    ["schema"],
    ["--version"],
    ["--color", "always", "analyze", "set.json"],
    ["--color", "seldom", "analyze", "set.json"],
  ];
  for (const args of calls) {
    await same(args, { "set.json": set });
  }
});

test("a command that is not there is refused in one sentence", options, () => {
  const { code, out, err } = of_wasm(["run", "set.json"], {});
  assert.deepEqual([code, out], [3, ""]);
  assert.match(err, /^takt: there is no command "run", the nearest is "[a-z]+": expected .*, help\n$/);
});

test("one call as many others see it", { skip: options.skip }, (t) => {
  t.diagnostic(
    `${spent.calls} calls: the program ${Math.round(spent.program)} ms with its start, takt.wasm ${Math.round(spent.wasm)} ms`,
  );
});
