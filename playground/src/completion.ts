// SPDX-License-Identifier: Apache-2.0
// Keys and words of the schema at the cursor, and what the schema says about what is under the pointer.
import { snippet, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView } from "@codemirror/view";
import { findNodeAtOffset, getLocation, getNodePath, type Location } from "jsonc-parser";
import { at_path, tasks_of, tree_of, type Node } from "./document";
import { element } from "./dom";
import { description_at, meanings_at, type Meaning, type Path } from "./schema";

// A quote that the editor has closed is replaced with the rest.
function inserted(template: string): Completion["apply"] {
  const insert = snippet(template);
  return (view, completion, from, to) =>
    insert(view, completion, from, to + (view.state.sliceDoc(to, to + 1) === '"' ? 1 : 0));
}

function offered(label: string, detail: string): Completion {
  return { label, apply: inserted(label.replace(/[\\#$]\{/g, "\\$&")), detail, type: "keyword" };
}

function type_of(path: Path): string {
  const types = meanings_at(path).flatMap(({ schema }) => schema.type ?? []);
  return types[0] ?? "";
}

// What stands behind a new key: an empty value of the right kind, with the cursor in it.
function empty_value(path: Path): string {
  const kind = type_of(path);
  if (meanings_at(path).some(({ schema }) => schema.enum !== undefined || schema.const !== undefined)) {
    return '"${}"';
  }
  if (kind === "object") {
    return "{ ${} }";
  }
  if (kind === "array") {
    return "[${}]";
  }
  return kind === "string" ? '"${}"' : "${}";
}

function is_step(found: Meaning[]): boolean {
  return found.some(({ definition }) => definition === "segment" || definition === "node");
}

function names_of_resources(root: Node | null): string[] {
  const list = root === null ? null : at_path(root, ["platform", "resources"]);
  return (list?.children ?? []).flatMap((one) => {
    const name = at_path(one, ["name"]);
    return name?.type === "string" ? [name.value as string] : [];
  });
}

function keys_at(path: Path, present: Set<string>, root: Node | null): Completion[] {
  const found = meanings_at(path);
  const required = new Set(found.flatMap(({ schema }) => schema.required ?? []));
  const keys = new Set(found.flatMap(({ schema }) => Object.keys(schema.properties ?? {})));
  if (is_step(found)) {
    names_of_resources(root).forEach((name) => keys.add(name));
  }
  if (path[0] === "plan" && path.length === 2) {
    tasks_of(root).forEach(({ name }) => keys.add(name));
  }
  return [...keys]
    .filter((key) => !present.has(key))
    .map((key) => {
      const value = empty_value([...path, key]);
      return {
        label: `"${key}"`,
        apply: inserted(`"${key}": ${value}`),
        detail: required.has(key) ? "required" : type_of([...path, key]),
        info: description_at([...path, key]) ?? undefined,
        type: "property",
        boost: required.has(key) ? 1 : 0,
      };
    });
}

function values_at(path: Path, root: Node | null): Completion[] {
  const found = meanings_at(path);
  const words = new Map<string, Completion>();
  const offer = (value: unknown, detail: string): void => {
    const text = JSON.stringify(value);
    if (!words.has(text)) {
      words.set(text, offered(text, detail));
    }
  };
  for (const { schema } of found) {
    schema.enum?.forEach((word) => offer(word, schema.title ?? ""));
    if (schema.const !== undefined) {
      offer(schema.const, "");
    }
    if (schema.type === "boolean") {
      [true, false].forEach((value) => offer(value, ""));
    }
    if (schema.type === "null") {
      offer(null, "");
    }
    schema.examples?.forEach((example) => offer(example, "an example"));
  }
  if (path[0] === "chains" && path[2] === "tasks") {
    tasks_of(root).forEach(({ name }) => offer(name, "a task"));
  }
  return [...words.values()];
}

function present_keys(root: Node | null, path: Path): Set<string> {
  const node = root === null ? null : at_path(root, path);
  const members = node?.type === "object" ? (node.children ?? []) : [];
  return new Set(members.map((member) => String(member.children?.[0]?.value)));
}

function begin_of(location: Location, position: number): number | null {
  const node = location.previousNode;
  return node !== undefined && node.offset < position && position <= node.offset + node.length ? node.offset : null;
}

export function complete(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString();
  const location = getLocation(text, context.pos);
  const typed = context.matchBefore(/"?[\w./-]*/);
  if (!context.explicit && (typed === null || typed.from === typed.to)) {
    return null;
  }
  const begin = begin_of(location, context.pos);
  const from = begin ?? typed?.from ?? context.pos;
  const root = tree_of(text);
  if (location.isAtPropertyKey) {
    const object = location.path.slice(0, -1);
    const present = present_keys(root, object);
    present.delete(String(location.path.at(-1)));
    return { from, options: keys_at(object, present, root), validFor: /^"?[\w-]*"?$/ };
  }
  return { from, options: values_at(location.path, root), validFor: /^"?[\w./-]*"?$/ };
}

function described(view: EditorView, position: number) {
  const root = tree_of(view.state.doc.toString());
  const node = root === null ? undefined : findNodeAtOffset(root, position);
  if (node === undefined || node.type === "object" || node.type === "array") {
    return null;
  }
  const words = description_at(getNodePath(node));
  if (words === null) {
    return null;
  }
  return {
    pos: node.offset,
    end: node.offset + node.length,
    above: true,
    create: () => ({ dom: element("div", { class: "hint" }, words) }),
  };
}

export const descriptions = hoverTooltip(described);
