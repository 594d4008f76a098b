// SPDX-License-Identifier: Apache-2.0
// Sliders for periods and execution times. They change the text in place, from what it was when they were made.
import { element } from "./dom";
import { changes_for, times_of, type Change, type TaskTimes, type TimeAt } from "./execution_times";
import { read_time, scale_time, show_time } from "./times";

// From a quarter to four times, and the middle is 1.
const steps = 100;
const range = 4;

function factor_at(position: number): number {
  return position === 0 ? 1 : Number((range ** (position / steps)).toPrecision(3));
}

class Slider {
  readonly input: HTMLInputElement;
  private readonly shown = element("output", {});

  constructor(
    private readonly name: string,
    label: string,
    private readonly words: (factor: number) => string,
    moved: () => void,
  ) {
    this.input = element("input", {
      type: "range",
      min: -steps,
      max: steps,
      value: 0,
      "aria-label": label,
      oninput: () => {
        this.show();
        moved();
      },
      ondblclick: () => {
        this.input.value = "0";
        this.show();
        moved();
      },
    });
    this.show();
  }

  get factor(): number {
    return factor_at(Number(this.input.value));
  }

  row(): HTMLElement {
    return element("label", { class: "slider" }, element("span", {}, this.name), this.input, this.shown);
  }

  private show(): void {
    const words = this.words(this.factor);
    this.shown.textContent = words;
    this.input.setAttribute("aria-valuetext", words);
  }
}

function times_words(factor: number): string {
  return `× ${factor.toFixed(2)}`;
}

function period_words(period: TimeAt): (factor: number) => string {
  return (factor) => show_time(Number(read_time(scale_time(period.token, factor))?.value ?? 0));
}

class TaskSliders {
  readonly dom: HTMLElement;
  private readonly period: Slider | null;
  private readonly all: Slider;
  private readonly each: Slider[];

  constructor(
    private readonly task: TaskTimes,
    moved: () => void,
  ) {
    const name = task.name;
    this.period =
      task.period === null ? null : new Slider("period", `period of ${name}`, period_words(task.period), moved);
    this.all = new Slider("execution times", `all execution times of ${name}`, times_words, moved);
    this.each = task.steps.map(({ label }) => new Slider(label, `${label} of ${name}`, times_words, moved));
    this.dom = this.rows();
  }

  wanted(of_all: number): { at: TimeAt; factor: number }[] {
    const { period, deadline } = this.task;
    const by = this.period?.factor ?? 1;
    const out = [period, deadline].flatMap((at) => (at === null ? [] : [{ at, factor: by }]));
    this.task.steps.forEach(({ times }, i) => {
      const factor = of_all * this.all.factor * (this.each[i]?.factor ?? 1);
      out.push(...times.map((at) => ({ at, factor })));
    });
    return out;
  }

  private rows(): HTMLElement {
    const group = element("fieldset", {}, element("legend", {}, this.task.name));
    if (this.period !== null) {
      group.append(this.period.row());
    }
    if (this.each.length > 0) {
      group.append(this.all.row());
    }
    if (this.each.length > 1) {
      group.append(
        element(
          "details",
          {},
          element("summary", {}, `each of ${this.each.length} steps`),
          ...this.each.map((one) => one.row()),
        ),
      );
    }
    return group;
  }
}

export class Sliders {
  private tasks: TaskSliders[] = [];
  private whole: Slider | null = null;
  private reset_to = "";

  constructor(
    private readonly host: HTMLElement,
    private readonly text: () => string,
    private readonly edit: (changes: Change[]) => void,
  ) {}

  /// What the text says now becomes the middle of all sliders.
  take(text: string): void {
    const found = times_of(text);
    const signature = JSON.stringify(found);
    if (signature === this.reset_to) {
      return;
    }
    this.reset_to = signature;
    const moved = (): void => this.apply();
    this.whole = new Slider("times of all tasks", "all execution times of all tasks", times_words, moved);
    this.tasks = found.map((task) => new TaskSliders(task, moved));
    this.host.replaceChildren(
      ...(found.length === 0
        ? [element("p", { class: "quiet" }, "No task is there yet.")]
        : [this.whole.row(), ...this.tasks.map(({ dom }) => dom)]),
    );
  }

  reset(): void {
    for (const input of this.host.querySelectorAll<HTMLInputElement>("input")) {
      if (input.value !== "0") {
        input.value = "0";
        input.dispatchEvent(new Event("input"));
      }
    }
  }

  private apply(): void {
    const factor = this.whole?.factor ?? 1;
    const changes = changes_for(
      this.text(),
      this.tasks.flatMap((task) => task.wanted(factor)),
    );
    this.reset_to = "";
    if (changes.length > 0) {
      this.edit(changes);
    }
  }
}
