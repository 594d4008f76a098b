// SPDX-License-Identifier: Apache-2.0
// How verdicts look: a sign, a word, a colour. The sign and the word say it without the colour.
import type { ComparedRow, Status, TaskBound } from "./answers";
import { element } from "./dom";

interface Look {
  sign: string;
  words: string;
  style: string;
}

const looks: Record<Status | "none", Look> = {
  schedulable: { sign: "✓", words: "schedulable", style: "proven" },
  unschedulable: { sign: "✕", words: "unschedulable", style: "miss" },
  "not-proven": { sign: "?", words: "not proven", style: "open" },
  overflow: { sign: "–", words: "overflow", style: "none" },
  "invalid-model": { sign: "–", words: "invalid model", style: "none" },
  none: { sign: "–", words: "not judged", style: "none" },
};

export function look_of(status: Status | null): Look {
  return looks[status ?? "none"];
}

export function badge(status: Status | null): HTMLElement {
  const { sign, words, style } = look_of(status);
  return element(
    "span",
    { class: `badge ${style}` },
    element("span", { class: "sign", "aria-hidden": "true" }, sign),
    words,
  );
}

/// Of the deadline, in thousandths. Null without a bound or a deadline.
export function slack_of(task: TaskBound): number | null {
  if (task.deadline === null || task.response_bound === null || task.deadline === 0) {
    return null;
  }
  return Math.floor(((task.deadline - task.response_bound) * 1000) / task.deadline);
}

export function worst_slack(tasks: TaskBound[]): number | null {
  const all = tasks.filter(({ deadline }) => deadline !== null).map(slack_of);
  return all.length === 0 || all.includes(null) ? null : Math.min(...(all as number[]));
}

/// What was decided, in the words of the file's plan, without the cores.
export function plan_words(plan: ComparedRow["plan"] | undefined): string {
  return Object.entries(plan ?? {})
    .flatMap(([key, value]) => {
      if (typeof value !== "object") {
        return [`${key} ${value}`];
      }
      const parts = Object.entries(value).map(([name, one]) => `${name} ${one}`);
      return parts.length === 0 ? [] : [`${key}: ${parts.join(", ")}`];
    })
    .join("; ");
}
