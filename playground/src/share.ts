// SPDX-License-Identifier: Apache-2.0
// The address of the page holds what is shown: the file, deflated, in base64 of the letters that addresses may have.
// docs/playground_links.py writes the same.

export interface Shared {
  text: string;
  file: string;
  policy: string | null;
  cpus: string | null;
  task: string | null;
}

/// What a task-set file may have, for the program too.
export const most_bytes = 4 << 20;

/// A link whose file is longer, whatever the rest of it is.
export class TooLong extends Error {}

/// Says of a link that cannot be followed why.
export function words_of_broken(failure: unknown): string {
  return failure instanceof TooLong
    ? "The link holds more than 4 MiB, which no task-set file has."
    : "The link is broken: it holds no file that can be read.";
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
  most = Infinity,
): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  const blocks: Uint8Array[] = [];
  let length = 0;
  for (const reader = piped.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    length += value.length;
    if (length > most) {
      // What is left is not inflated. Whether that is heard in time changes nothing.
      void reader.cancel().catch(() => undefined);
      throw new TooLong();
    }
    blocks.push(value);
  }
  return new Uint8Array(await new Blob(blocks as BlobPart[]).arrayBuffer());
}

function to_base64(bytes: Uint8Array): string {
  let letters = "";
  for (const byte of bytes) {
    letters += String.fromCharCode(byte);
  }
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function from_base64(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

export async function fragment_of(shared: Shared): Promise<string> {
  const deflated = await through(new TextEncoder().encode(shared.text), new CompressionStream("deflate-raw"));
  const words = new URLSearchParams({ set: to_base64(deflated), file: shared.file });
  if (shared.policy !== null) {
    words.set("policy", shared.policy);
  }
  if (shared.cpus !== null) {
    words.set("cpus", shared.cpus);
  }
  if (shared.task !== null) {
    words.set("task", shared.task);
  }
  return `#${words}`;
}

/// Null if the address holds no file. Throws if it holds a broken one, or one that is longer than files may be.
export async function shared_by(fragment: string): Promise<Shared | null> {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const set = words.get("set");
  if (set === null) {
    return null;
  }
  const inflated = await through(from_base64(set), new DecompressionStream("deflate-raw"), most_bytes);
  return {
    text: new TextDecoder("utf-8", { fatal: true }).decode(inflated),
    file: file_name(words.get("file") ?? ""),
    policy: words.get("policy"),
    cpus: words.get("cpus"),
    task: words.get("task"),
  };
}

/// A name that stands in a command line without quotes.
export function file_name(wanted: string): string {
  const stem = wanted
    .replace(/\.json$/i, "")
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return `${stem === "" ? "set" : stem}.json`;
}
