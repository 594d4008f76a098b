// SPDX-License-Identifier: Apache-2.0
// Runs the program once per question, each time as a fresh instance: nothing is left of a run that fails.
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

export interface Question {
  arguments: string[];
  files: Record<string, string>;
}

export interface Answer {
  code: number;
  out: string;
  err: string;
  files: Record<string, string>;
  milliseconds: number;
}

class Collected {
  private readonly decoder = new TextDecoder();
  text = "";
  readonly stream = new ConsoleStdout((bytes) => {
    this.text += this.decoder.decode(bytes, { stream: true });
  });
}

async function answer(module: WebAssembly.Module, question: Question): Promise<Answer> {
  const begin = performance.now();
  const given = Object.entries(question.files);
  const directory = new PreopenDirectory(
    "/",
    new Map(given.map(([name, text]) => [name, new File(new TextEncoder().encode(text))])),
  );
  const out = new Collected();
  const err = new Collected();
  const descriptors = [new OpenFile(new File([])), out.stream, err.stream, directory];
  const system = new WASI(["takt", ...question.arguments], ["NO_COLOR=1"], descriptors, { debug: false });
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport });
  const code = system.start(instance as Parameters<WASI["start"]>[0]);
  const files: Record<string, string> = {};
  for (const [name, file] of directory.dir.contents) {
    if (file instanceof File && !(name in question.files)) {
      files[name] = new TextDecoder().decode(file.data);
    }
  }
  return { code, out: out.text, err: err.text, files, milliseconds: performance.now() - begin };
}

let module: WebAssembly.Module;

self.onmessage = async ({ data }: MessageEvent<{ module: WebAssembly.Module } | { question: Question }>) => {
  if ("module" in data) {
    module = data.module;
    return;
  }
  try {
    self.postMessage({ answer: await answer(module, data.question) });
  } catch (failure) {
    self.postMessage({ failure: String(failure) });
  }
};
