// SPDX-License-Identifier: Apache-2.0
// The parts that need no browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { deflateRawSync } from "node:zlib";
import { built_page, example, root, source, takt } from "./support.mjs";

test("a time is scaled in its own unit and stays readable", async () => {
  const { scale_time, read_time } = await source("times.ts");
  assert.equal(scale_time('"12.5ms"', 2), '"25ms"');
  assert.equal(scale_time('"12.5ms"', 0.5), '"6.25ms"');
  assert.equal(scale_time('"12.5ms"', 1), '"12.5ms"');
  assert.equal(scale_time('"1us"', 1 / 3), '"0.333us"');
  assert.equal(scale_time("60000000", 1.5), "90000000");
  assert.equal(scale_time('"7ns"', 0.01), '"1ns"');
  assert.equal(scale_time('"0ms"', 4), '"0ms"');
  assert.equal(scale_time('"123.456789ms"', 1.1), '"135.8ms"');
  assert.equal(scale_time('"none"', 2), '"none"');
  assert.equal(read_time('"0.001s"').value, 1_000_000n);
});

test("all times are exact until a slider moves, and the program still reads them afterwards", async () => {
  const { times_of, changes_for } = await source("execution_times.ts");
  for (const name of readdirSync(join(root, "examples/data")).filter((one) => one.endsWith(".json"))) {
    const text = example(name);
    const tasks = times_of(text);
    const { tasks: chains = [], graphs = [] } = JSON.parse(text);
    assert.equal(tasks.length, chains.length + graphs.length, name);
    const all = tasks
      .flatMap(({ period, deadline, steps }) => [period, deadline, ...steps.flatMap(({ times }) => times)])
      .filter((at) => at !== null);
    assert.ok(all.length > tasks.length, `${name} has execution times`);
    assert.deepEqual(
      changes_for(
        text,
        all.map((at) => ({ at, factor: 1 })),
      ),
      [],
      name,
    );
    let doubled = text;
    for (const { from, to, insert } of changes_for(
      text,
      all.map((at) => ({ at, factor: 2 })),
    ).reverse()) {
      doubled = doubled.slice(0, from) + insert + doubled.slice(to);
    }
    assert.notEqual(doubled, text);
    const said = takt(["analyze", "set.json", "--json"], doubled);
    assert.ok(said.code < 3, `${name}: ${said.err}`);
  }
});

test("twice all times bring twice the bounds", async () => {
  const { times_of, changes_for } = await source("execution_times.ts");
  const text = example("waters2019-a57-can-ekf.json");
  const wanted = times_of(text)
    .flatMap(({ period, deadline, steps }) => [period, deadline, ...steps.flatMap(({ times }) => times)])
    .filter((at) => at !== null)
    .map((at) => ({ at, factor: 2 }));
  let doubled = text;
  for (const { from, to, insert } of changes_for(text, wanted).reverse()) {
    doubled = doubled.slice(0, from) + insert + doubled.slice(to);
  }
  const bounds = (of) =>
    JSON.parse(takt(["analyze", "set.json", "--json"], of).out).tasks.map(({ response_bound }) => response_bound);
  bounds(text).forEach((bound, i) =>
    assert.ok(Math.abs(bounds(doubled)[i] / bound - 2) < 1e-3, `${bounds(doubled)[i]} of ${bound}`),
  );
});

test("a message of the program has its place in the text", async () => {
  const { fault_of } = await source("faults.ts");
  const good =
    '{\n  // comment\n  "format": "takt/1",\n  "platform": { "cpus": { "count": 1 } },\n  "tasks": [\n    { "name": "a", "period": "5ms",\n' +
    '      "segments": [{ "cpu": "1ms" }] }\n  ]\n}\n';
  const wrong = [
    [good.replace('"cpu": "1ms"', '"cqu": "1ms"'), '"cqu": "1ms"'],
    [good.replace('"5ms"', '"5m"'), '"period": "5m"'],
    [good.replace('"count": 1', '"count": 0'), '"count": 0'],
    [good.replace('"name": "a", ', ""), "{"],
    [good.replace('"tasks": [', '"tasks" ['), null],
  ];
  for (const [text, marked] of wrong) {
    const said = takt(["analyze", "set.json"], text);
    assert.equal(said.code, 3, text);
    const fault = fault_of(said.err.trim(), "set.json", text);
    if (marked !== null) {
      assert.equal(text.slice(fault.from, fault.to), marked, said.err);
    } else {
      const [, line, column] = /line (\d+), column (\d+)/.exec(said.err);
      assert.deepEqual([fault.line, fault.column], [Number(line), Number(column)]);
    }
  }
});

test("a place behind letters of several bytes is counted in letters", async () => {
  const { fault_of } = await source("faults.ts");
  const text = '{ "name": "äöü", ]';
  const said = takt(["analyze", "set.json"], text);
  const fault = fault_of(said.err.trim(), "set.json", text);
  assert.equal(text.slice(fault.from, fault.to), "]", said.err);
});

test("what the address holds comes back, and a broken one is an error", async () => {
  const { fragment_of, shared_by, file_name } = await source("share.ts");
  const shared = {
    text: `${example("waters2019.json")}// äöü €`,
    file: "waters2019.json",
    policy: "gang",
    cpus: "edf",
    task: "a b&c",
  };
  assert.deepEqual(await shared_by(await fragment_of(shared)), shared);
  assert.equal(await shared_by("#comparison"), null);
  await assert.rejects(shared_by("#set=AAAA"));
  assert.equal(file_name("../a b;rm.json"), "a-b-rm.json");
  assert.equal(file_name("..."), "set.json");
});

test("a link of a few kilobytes that inflates without end is given up at the limit of files", async () => {
  const { shared_by, most_bytes, words_of_broken } = await source("share.ts");
  const link_of = (bytes) => `#set=${deflateRawSync(Buffer.alloc(bytes, " ")).toString("base64url")}&file=a.json`;
  assert.equal((await shared_by(link_of(most_bytes))).text.length, most_bytes);
  const long = link_of(64 << 20);
  const usual = globalThis.DecompressionStream;
  let inflated = 0;
  globalThis.DecompressionStream = class {
    constructor(format) {
      const { readable, writable } = new usual(format);
      const counted = { transform: (block, to) => ((inflated += block.length), to.enqueue(block)) };
      Object.assign(this, { writable, readable: readable.pipeThrough(new TransformStream(counted)) });
    }
  };
  const broken = await shared_by(long).catch((failure) => failure);
  globalThis.DecompressionStream = usual;
  assert.equal(words_of_broken(broken), "The link holds more than 4 MiB, which no task-set file has.");
  assert.ok(inflated < 2 * most_bytes, `${inflated} bytes are inflated`);
  assert.equal(await shared_by(link_of(most_bytes + 1)).catch(words_of_broken), words_of_broken(broken));
  assert.match(words_of_broken(await shared_by("#set=AAAA").catch((failure) => failure)), /^The link is broken/);
});

test("a link of the book is one that the page reads", async () => {
  const { shared_by } = await source("share.ts");
  const code =
    "import pathlib, playground_links as links\nfor page in ['README.md', 'docs/program.md', 'examples/data/README.md']:\n" +
    "    path = links.root / page\n    print(links.with_links(path.read_text(), path.parent, 'playground/index.html'))";
  const pages = execFileSync("python3", ["-B", "-c", code], {
    cwd: join(root, "docs"),
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const links = [...pages.matchAll(/href="playground\/index\.html(#[^"]*)"/g)].map(([, fragment]) =>
    fragment.replaceAll("&amp;", "&"),
  );
  assert.ok(links.length > 20, `${links.length} links`);
  const found = await Promise.all(links.map(shared_by));
  assert.equal(found.find(({ file }) => file === "gcaps-xavier.json").text, example("gcaps-xavier.json"));
  assert.match(found.find(({ file }) => file === "misspelt.json").text, /overhed/);
});

test("the schema knows times, words and descriptions by their path", async () => {
  const { is_time, meanings_at, description_at, words_of } = await source("schema.ts");
  assert.ok(is_time(["tasks", 0, "segments", 1, "kernel", "work", 1]));
  assert.ok(is_time(["tasks", 0, "segments", 0, "npu"]));
  assert.ok(!is_time(["tasks", 0, "segments", 1, "kernel", "interleave"]));
  assert.ok(!is_time(["tasks", 0, "priority"]));
  assert.ok(meanings_at(["platform", "gpus", 0, "sharing"]).some(({ schema }) => schema.enum?.includes("time-sliced")));
  assert.match(description_at(["tasks", 0, "period"]), /between two releases/);
  assert.ok(words_of("cpu_policy").includes("edf"));
});

test("a command line is quoted for a shell", async () => {
  const { commands, shell_line } = await source("commands.ts");
  const asked = { file: "set.json", policy: "tokens-k-fmlp", cpus: null, task: "it's" };
  assert.equal(shell_line(commands.explain(asked)), "takt explain set.json --task 'it'\\''s' --policy tokens-k-fmlp");
});

// A worker that answers when the test says so.
function lane_of(Lane) {
  const workers = [];
  const program = {
    worker() {
      const made = {
        asked: [],
        ended: false,
        postMessage: ({ question }) => made.asked.push(question),
        terminate: () => {
          made.ended = true;
        },
      };
      workers.push(made);
      return made;
    },
  };
  return { lane: new Lane(program), workers };
}

const question = (name) => ({ arguments: [name], files: {} });

test("of the questions that wait only the newest is asked", async () => {
  const { Lane } = await source("program.ts");
  const { lane, workers } = lane_of(Lane);
  const answers = ["a", "b", "c"].map((name) => lane.ask(question(name)));
  assert.equal(await answers[1], null);
  workers[0].onmessage({ data: { answer: "first" } });
  assert.equal(await answers[0], "first");
  workers[0].onmessage({ data: { answer: "last" } });
  assert.equal(await answers[2], "last");
  assert.deepEqual(
    workers.flatMap(({ asked }) => asked.map((one) => one.arguments[0])),
    ["a", "c"],
  );
});

test("a question that runs too long gives way to a newer one", async () => {
  const { Lane } = await source("program.ts");
  const { lane, workers } = lane_of(Lane);
  const [old, newer] = [lane.ask(question("old")), lane.ask(question("new"))];
  assert.equal(await old, null);
  assert.ok(workers[0].ended);
  workers[1].onmessage({ data: { answer: "new" } });
  assert.equal(await newer, "new");
});

test("an instance that fails costs its answer and nothing else", async () => {
  const { Lane } = await source("program.ts");
  const { lane, workers } = lane_of(Lane);
  const trapped = lane.ask(question("traps"));
  workers[0].onmessage({ data: { failure: "RuntimeError: unreachable" } });
  await assert.rejects(trapped, /unreachable/);
  const dead = lane.ask(question("dies"));
  workers[0].onerror({ message: "out of memory", preventDefault() {} });
  await assert.rejects(dead, /out of memory/);
  const next = lane.ask(question("next"));
  workers[1].onmessage({ data: { answer: "next" } });
  assert.equal(await next, "next");
});

test("what is stopped has no answer, and the lane goes on", async () => {
  const { Lane } = await source("program.ts");
  const { lane, workers } = lane_of(Lane);
  const stopped = lane.ask(question("long"));
  lane.stop();
  assert.equal(await stopped, null);
  assert.ok(workers[0].ended);
  const next = lane.ask(question("next"));
  workers[1].onmessage({ data: { answer: "next" } });
  assert.equal(await next, "next");
});

test("the page holds the licences of all that is bundled in it", () => {
  const page = readFileSync(new URL(built_page), "utf8");
  const notices = page.slice(page.lastIndexOf("<!--"));
  for (const name of ["@bjorn3/browser_wasi_shim", "@codemirror/view", "jsonc-parser", "lzma1", "style-mod"]) {
    assert.match(notices, new RegExp(`^${name} [0-9.]+ \\(`, "m"));
  }
  assert.ok(notices.split("Permission is hereby granted").length > 10);
});
