// SPDX-License-Identifier: Apache-2.0
// From the program's line about a fault to its place in the text.
import { nearest_node, path_of_pointer, tree_of, type Node } from "./document";

export interface Fault {
  from: number;
  to: number;
  line: number;
  column: number;
  words: string;
}

function place(text: string, from: number, to: number, words: string): Fault {
  const before = text.slice(0, from);
  const line = before.split("\n").length;
  return { from, to, line, column: from - before.lastIndexOf("\n"), words };
}

function at_line(text: string, line: number, column: number, words: string): Fault {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  // The reader counts bytes.
  const bytes = new TextEncoder().encode(lines[line - 1] ?? "").slice(0, Math.max(0, column - 1));
  const from = Math.min(text.length, start + new TextDecoder().decode(bytes).length);
  return place(text, Math.max(0, from - (from === text.length ? 1 : 0)), Math.min(text.length, from + 1), words);
}

// A member is shown by its key, a container by its bracket.
function shown_part(node: Node): [number, number] {
  const key = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
  const is_value = node.type !== "object" && node.type !== "array";
  if (key !== undefined) {
    return [key.offset, is_value ? node.offset + node.length : key.offset + key.length];
  }
  return [node.offset, is_value ? node.offset + node.length : node.offset + 1];
}

/// `line` is what the program said on standard error about the file of this name.
export function fault_of(line: string, file: string, text: string): Fault {
  const said = line.startsWith(`${file}: `) ? line.slice(file.length + 2) : line;
  const syntax = /^line (\d+), column (\d+): (.*)$/s.exec(said);
  if (syntax !== null) {
    return at_line(text, Number(syntax[1]), Number(syntax[2]), syntax[3]!);
  }
  const pointed = /^((?:\/[^/:\s]*)+): /.exec(said);
  const root = tree_of(text);
  if (pointed === null || root === null) {
    return place(text, 0, Math.min(1, text.length), said);
  }
  const [from, to] = shown_part(nearest_node(root, path_of_pointer(pointed[1]!)));
  return place(text, from, to, said);
}
