// SPDX-License-Identifier: Apache-2.0
// The tasks under the chosen policy, and why the chosen one meets or misses its deadline.
import type { Explanation, Verdict } from "./answers";
import { element } from "./dom";
import { show_milliseconds, show_percent } from "./times";
import { slack_of } from "./verdict";

// The longest of bound and deadline fills the bar.
function response_bar(deadline: number | null, bound: number | null): HTMLElement {
  const whole = Math.max(deadline ?? 0, bound ?? 0, 1);
  const part = (value: number): string => `${(100 * value) / whole}%`;
  const bar = element("span", { class: "bar response", "aria-hidden": "true" });
  if (bound !== null) {
    bar.append(element("i", { style: `width:${part(Math.min(bound, deadline ?? bound))}` }));
    if (deadline !== null && bound > deadline) {
      bar.append(element("i", { class: "late", style: `width:${part(bound - deadline)}` }));
    }
  } else {
    bar.append(element("b", {}, "?"));
  }
  if (deadline !== null) {
    bar.append(element("u", { style: `left:${part(deadline)}` }));
  }
  return bar;
}

export class TaskTable {
  private verdict: Verdict | null = null;
  private explanation: Explanation | null = null;
  private chosen: string | null = null;

  constructor(
    private readonly body: HTMLElement,
    private readonly words: HTMLElement,
    private readonly choose: (task: string) => void,
  ) {}

  get task(): string | null {
    const names = this.verdict?.tasks.map(({ name }) => name) ?? [];
    if (this.chosen !== null && names.includes(this.chosen)) {
      return this.chosen;
    }
    return this.verdict?.tasks.find(({ meets }) => !meets)?.name ?? names[0] ?? null;
  }

  show(verdict: Verdict): void {
    this.verdict = verdict;
    this.draw();
    this.draw_words();
    this.words.classList.add("older");
  }

  mark(task: string | null): void {
    this.chosen = task;
    this.draw();
    this.draw_words();
  }

  explain(all: Explanation): void {
    this.explanation = all;
    this.words.classList.remove("older");
    this.draw_words();
  }

  private draw_words(): void {
    const all = this.explanation;
    const sentences = all?.tasks.find(({ name }) => name === this.task)?.sentences ?? [];
    // What a bound is made of begins with a time.
    const parts = sentences.filter((one) => /^\d/.test(one));
    this.words.replaceChildren(
      ...sentences.filter((one) => !parts.includes(one)).map((one) => element("p", {}, one)),
      ...(parts.length > 0 ? [element("ul", {}, ...parts.map((one) => element("li", {}, one)))] : []),
      ...(all?.reasons ?? []).map((reason) => element("p", {}, reason)),
      ...(all?.notes ?? []).map((note) => element("p", { class: "quiet" }, `note: ${note}`)),
    );
  }

  private draw(): void {
    const focused = this.body.contains(document.activeElement);
    const chosen = this.task;
    this.body.replaceChildren(...(this.verdict?.tasks ?? []).map((task) => this.row(task, task.name === chosen)));
    if (focused) {
      this.body.querySelector<HTMLElement>('button[aria-pressed="true"]')?.focus();
    }
  }

  private row(task: Verdict["tasks"][number], chosen: boolean): HTMLElement {
    const slack = slack_of(task);
    const words = task.meets
      ? task.deadline === null
        ? "✓ bounded"
        : "✓ yes"
      : task.deadline === null && task.response_bound === null
        ? "? no bound"
        : "? not proven";
    return element(
      "tr",
      {
        class: chosen ? "chosen" : "",
        onclick: (event: MouseEvent) => {
          if (!(event.target instanceof Element && event.target.closest("button"))) {
            this.choose(task.name);
          }
        },
      },
      element(
        "th",
        { scope: "row" },
        element(
          "button",
          { type: "button", class: "pick", "aria-pressed": String(chosen), onclick: () => this.choose(task.name) },
          task.name,
        ),
      ),
      element("td", { class: "number" }, task.deadline === null ? "–" : show_milliseconds(task.deadline)),
      element("td", { class: "number" }, task.response_bound === null ? "–" : show_milliseconds(task.response_bound)),
      element("td", { class: "number" }, slack === null ? "–" : show_percent(slack)),
      element("td", { class: "bars" }, response_bar(task.deadline, task.response_bound)),
      element("td", {}, element("span", { class: `badge ${task.meets ? "proven" : "open"}` }, words)),
    );
  }
}
