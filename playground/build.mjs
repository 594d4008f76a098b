// SPDX-License-Identifier: Apache-2.0
// Bundles the page: node build.mjs TAKT.WASM [OUT], which is build/playground/index.html if it is left out.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { compress } from "lzma1";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);

// Folders of the packages that have come into the page.
const packages = new Set();

async function bundle(entry, plugins) {
  const made = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    plugins,
    metafile: true,
    logLevel: "warning",
  });
  for (const input of Object.keys(made.metafile.inputs)) {
    const [folder] = input.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/) ?? [];
    if (folder !== undefined) {
      packages.add(resolve(folder));
    }
  }
  return made.outputFiles[0].text;
}

// What their licences ask every copy to hold.
function licences() {
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...text].join("\n\n");
  });
  // takt.wasm has parts of these. What else is in there asks for nothing in programs.
  for (const name of ["libcli11-dev", "libfmt-dev", "nlohmann-json3-dev", "wasi-libc"]) {
    const file = `/usr/share/doc/${name}/copyright`;
    if (existsSync(file)) {
      texts.push(`${name}\n\n${readFileSync(file, "utf8").trim()}`);
    }
  }
  return texts.join("\n\n\n").replaceAll("--", "- -");
}

function examples() {
  const folder = join(root, "examples/data");
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

// In the order of their names.
function styles() {
  const folder = join(here, "src/style");
  const all = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return transform(all.join("\n"), { loader: "css", minify: true, target: "chrome123", legalComments: "none" });
}

// What the sources import as takt:NAME.
function given(parts) {
  return {
    name: "takt",
    setup(on) {
      on.onResolve({ filter: /^takt:unpack$/ }, () =>
        on.resolve("lzma1", { resolveDir: here, kind: "import-statement" }),
      );
      on.onResolve({ filter: /^takt:/ }, ({ path }) => ({ path, namespace: "takt" }));
      on.onLoad({ filter: /.*/, namespace: "takt" }, ({ path }) => ({
        contents: JSON.stringify(parts[path.slice(5)]),
        loader: "json",
      }));
    },
  };
}

async function page_of(wasm) {
  const schema = JSON.parse(readFileSync(join(root, "docs/schema/takt-1.schema.json"), "utf8"));
  const worker = await bundle("worker.ts", []);
  const code = await bundle("main.ts", [given({ examples: examples(), schema, worker })]);
  const script = code.replace(/<\/script/gi, "<\\/script").trim();
  const parts = {
    style: (await styles()).code.trim(),
    program: Buffer.from(compress(wasm, 9)).toString("base64"),
    script,
    licences: licences(),
    "script-hash": `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  };
  // The hash is about all that stands between the tags.
  return readFileSync(join(here, "src/page.html"), "utf8").replace(/\{\{([\w-]+)\}\}/g, (_, name) => parts[name]);
}

const [wasm, out = join(root, "build/playground/index.html")] = process.argv.slice(2);
if (wasm === undefined) {
  console.error("usage: node build.mjs TAKT.WASM [OUT]");
  process.exit(2);
}
const page = await page_of(readFileSync(wasm));
mkdirSync(dirname(resolve(out)), { recursive: true });
writeFileSync(out, page);
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
console.log(
  `${out}: ${kilobytes(Buffer.byteLength(page))}, ${kilobytes(gzipSync(page, { level: 9 }).length)} compressed`,
);
