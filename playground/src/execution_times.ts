// SPDX-License-Identifier: Apache-2.0
// The times of a file that sliders change: periods with their deadlines, and how long the steps of jobs take.
import { at_path, leaves, tasks_of, tree_of, type Node } from "./document";
import { is_time, type Path } from "./schema";
import { scale_time } from "./times";

export interface TimeAt {
  path: Path;
  token: string;
}

export interface StepTimes {
  label: string;
  times: TimeAt[];
}

export interface TaskTimes {
  name: string;
  period: TimeAt | null;
  deadline: TimeAt | null;
  steps: StepTimes[];
}

// Of a task: when jobs come, not how long they take. Of a step: a choice, not a fact about its length.
const not_execution = new Set(["period", "deadline", "jitter", "offset", "priority_point", "slice"]);

function token_of(text: string, node: Node): string {
  return text.slice(node.offset, node.offset + node.length);
}

function time_at(text: string, task: Node, path: Path, key: string): TimeAt | null {
  const node = at_path(task, [key]);
  const full = [...path, key];
  return node !== null && node.type !== "null" && is_time(full) ? { path: full, token: token_of(text, node) } : null;
}

// The innermost object that is a member of a list of steps: /tasks/0/segments/2, /tasks/0/nodes/1/segments/0.
function step_of(path: Path, from: number): Path {
  const lists = new Set<string | number>(["segments", "nodes", "kernels", "variants"]);
  let end = from + 1;
  for (let i = from; i + 1 < path.length; ++i) {
    if (lists.has(path[i]!) && typeof path[i + 1] === "number") {
      end = i + 2;
    }
  }
  return path.slice(0, end);
}

function kind_of(node: Node | null): string {
  if (node?.type !== "object") {
    return "";
  }
  const keys = (node.children ?? []).map((member) => String(member.children?.[0]?.value));
  const name = at_path(node, ["name"]);
  const kind = keys.find((key) => key !== "name") ?? "";
  return name?.type === "string" ? `${name.value as string}: ${kind}` : kind;
}

function steps_of(text: string, root: Node, task: Node, path: Path): StepTimes[] {
  const steps = new Map<string, StepTimes>();
  for (const leaf of leaves(task, path)) {
    const own = leaf.path.slice(path.length);
    if (own.some((key) => not_execution.has(String(key))) || !is_time(leaf.path)) {
      continue;
    }
    const step = step_of(leaf.path, path.length);
    const id = step.slice(path.length).join("/");
    const found = steps.get(id) ?? {
      label: `${id} ${typeof step.at(-1) === "number" ? kind_of(at_path(root, step)) : ""}`.trim(),
      times: [],
    };
    found.times.push({ path: leaf.path, token: token_of(text, leaf.node) });
    steps.set(id, found);
  }
  return [...steps.values()];
}

export function times_of(text: string): TaskTimes[] {
  const root = tree_of(text);
  return root === null
    ? []
    : tasks_of(root).map(({ node, path, name }) => ({
        name,
        period: time_at(text, node, path, "period"),
        deadline: time_at(text, node, path, "deadline"),
        steps: steps_of(text, root, node, path),
      }));
}

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/// What has to change in the text so that each time is so many times what it was.
export function changes_for(text: string, wanted: { at: TimeAt; factor: number }[]): Change[] {
  const root = tree_of(text);
  if (root === null) {
    return [];
  }
  return wanted
    .flatMap(({ at, factor }) => {
      const node = at_path(root, at.path);
      const insert = scale_time(at.token, factor);
      if (node === null || insert === token_of(text, node)) {
        return [];
      }
      return [{ from: node.offset, to: node.offset + node.length, insert }];
    })
    .sort((a, b) => a.from - b.from);
}
