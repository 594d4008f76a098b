// SPDX-License-Identifier: Apache-2.0
// The file as a tree whose nodes know where they stand in the text. Comments may stand anywhere.
import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import type { Path } from "./schema";

export type { Node };

export function tree_of(text: string): Node | null {
  return parseTree(text) ?? null;
}

export function path_of_pointer(pointer: string): Path {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/// The node at a path, or else the nearest one around it that is there.
export function nearest_node(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; --length) {
    const found = at_path(root, path.slice(0, length));
    if (found !== null) {
      return found;
    }
  }
  return root;
}

export function at_path(root: Node, path: Path): Node | null {
  let node: Node | undefined = root;
  for (const step of path) {
    if (node === undefined) {
      return null;
    }
    // A key of digits alone is a key where there is an object.
    node = findNodeAtLocation(node, [node.type === "object" ? String(step) : step]);
  }
  return node ?? null;
}

export function text_at(root: Node | null, path: Path): string | null {
  const node = root === null ? null : at_path(root, path);
  return node?.type === "string" ? (node.value as string) : null;
}

/// The path of every member below a node.
export function leaves(node: Node, path: Path = []): { node: Node; path: Path }[] {
  if (node.type === "array") {
    return (node.children ?? []).flatMap((child, i) => leaves(child, [...path, i]));
  }
  if (node.type === "object") {
    return (node.children ?? []).flatMap((member) => {
      const [key, value] = member.children ?? [];
      return key === undefined || value === undefined ? [] : leaves(value, [...path, key.value as string]);
    });
  }
  return [{ node, path }];
}

/// The tasks of a file, also in the older spelling.
export function tasks_of(root: Node | null): { node: Node; path: Path; name: string }[] {
  if (root === null) {
    return [];
  }
  return ["tasks", "graphs"].flatMap((key) =>
    (at_path(root, [key])?.children ?? []).map((node, i) => {
      const name = at_path(node, ["name"]);
      return { node, path: [key, i], name: name?.type === "string" ? (name.value as string) : `${key}/${i}` };
    }),
  );
}
