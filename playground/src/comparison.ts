// SPDX-License-Identifier: Apache-2.0
// One workload under every way of sharing the GPU: a table with bars of the worst slack.
import type { ComparedRow, Status } from "./answers";
import { element } from "./dom";
import { show_factor, show_percent } from "./times";
import { badge, plan_words } from "./verdict";

export interface Own {
  status: Status;
  analysis: string | null;
  slack: number | null;
  factor: number | null;
  plan: ComparedRow["plan"];
}

/// The policy without what a search has added, such as the tokens of tokens-r2dglp:1.
export function base_name(policy: string): string {
  return policy.split(":")[0]!;
}

export type Rank = "slack" | "factor";

const grades: (Status | null)[] = ["schedulable", "not-proven", "unschedulable", "overflow", "invalid-model", null];

// As the program ranks them: what is unknown comes last, and equals keep their order.
function best_first(rows: ComparedRow[], by: Rank): ComparedRow[] {
  const key = (row: ComparedRow): number[] => {
    const [slack, factor] = [row.slack_permille ?? -Infinity, row.factor_permille ?? -Infinity];
    return [-grades.indexOf(row.status), ...(by === "slack" ? [slack, factor] : [factor, slack])];
  };
  return [...rows].sort((a, b) => {
    const [one, other] = [key(a), key(b)];
    const at = one.findIndex((value, i) => value !== other[i]);
    return at < 0 ? 0 : other[at]! > one[at]! ? 1 : -1;
  });
}

function list_of(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

// Cores and priorities stand below, where the tasks are explained; what is said of each step would fill the page.
const not_told = { cores: {}, priorities: {}, offsets: {}, local_deadlines: {}, instances: {} };

function chosen_words(plan: ComparedRow["plan"]): string {
  return plan_words({ ...plan, ...not_told });
}

function slack_bar(slack: number | null): HTMLElement {
  const width = Math.max(0, Math.min(1000, slack ?? 0)) / 10;
  return element("span", { class: "bar", "aria-hidden": "true" }, element("i", { style: `width:${width}%` }));
}

export class ComparisonTable {
  private rows: ComparedRow[] = [];
  private own: Own | null = null;
  private chosen: string | null = null;

  constructor(
    private readonly body: HTMLElement,
    private readonly choose: (policy: string | null) => void,
    private readonly go_to: (pointer: string) => void,
  ) {}

  get policies(): string[] {
    return this.rows.map(({ policy }) => base_name(policy));
  }

  show(rows: ComparedRow[], by: Rank): void {
    this.rows = best_first(rows, by);
    this.draw();
  }

  rank(by: Rank): void {
    this.show(this.rows, by);
  }

  show_own(own: Own | null): void {
    this.own = own;
    this.draw();
  }

  mark(policy: string | null): void {
    this.chosen = policy;
    this.draw();
  }

  private draw(): void {
    // A redrawn row keeps the focus that it had.
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.body.contains(active) ? active.dataset.policy : undefined;
    const best = this.rows.find(({ status }) => status === "schedulable");
    this.body.replaceChildren(this.own_row(), ...this.rows.map((row) => this.row(row, row === best)));
    if (focused !== undefined) {
      this.body.querySelector<HTMLElement>(`button[data-policy="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  private picker(policy: string | null, shown: string): HTMLElement {
    const chosen = this.chosen === policy;
    return element(
      "button",
      {
        type: "button",
        class: "pick",
        "aria-pressed": String(chosen),
        "data-policy": policy ?? "",
        onclick: () => this.choose(policy),
      },
      shown,
    );
  }

  private own_row(): HTMLElement {
    const own = this.own;
    return this.cells(
      null,
      [this.picker(null, "the file's own rules")],
      own?.status ?? null,
      own?.analysis ?? null,
      own?.slack ?? null,
      own?.factor ?? null,
      [chosen_words(own?.plan ?? null)],
    );
  }

  private row(row: ComparedRow, best: boolean): HTMLElement {
    const name: (Node | string)[] = [this.picker(base_name(row.policy), row.policy)];
    if (best) {
      name.push(element("span", { class: "tag" }, "best"));
    }
    if (row.policy.startsWith("time-sliced")) {
      name.push(
        element(
          "span",
          { class: "tag", title: "Time slices are what a board does if nothing else is chosen." },
          "today",
        ),
      );
    }
    return this.cells(
      base_name(row.policy),
      name,
      row.status,
      row.analysis,
      row.slack_permille,
      row.factor_permille,
      this.remarks(row),
    );
  }

  private cells(
    policy: string | null,
    name: (Node | string)[],
    status: Status | null,
    method: string | null,
    slack: number | null,
    factor: number | null,
    remarks: (Node | string)[],
  ): HTMLElement {
    const shown = slack === null ? "–" : show_percent(slack);
    return element(
      "tr",
      {
        class: this.chosen === policy ? "chosen" : "",
        onclick: (event: MouseEvent) => {
          if (!(event.target instanceof Element && event.target.closest("button"))) {
            this.choose(policy);
          }
        },
      },
      element("th", { scope: "row" }, ...name),
      element("td", {}, badge(status)),
      element("td", { class: "method" }, method ?? "–"),
      element("td", { class: "number" }, shown),
      element("td", { class: "bars" }, slack_bar(slack)),
      element(
        "td",
        { class: factor === null ? "number" : "number factor" },
        factor === null ? "–" : show_factor(factor),
      ),
      element("td", { class: "remarks" }, ...remarks),
    );
  }

  private remarks(row: ComparedRow): (Node | string)[] {
    if (row.because !== undefined) {
      return [row.because];
    }
    const out: (Node | string)[] = row.why.length > 0 ? [row.why.map(({ words }) => words).join("; ")] : [];
    for (const fact of new Set(row.missing.map((one) => one.fact))) {
      const places = row.missing.filter((one) => one.fact === fact).map(({ at }) => at);
      if (out.length > 0) {
        out.push("; ");
      }
      out.push(
        element("code", {}, fact),
        " is missing at ",
        ...places.flatMap((at, i) => [i > 0 ? ", " : "", this.place(at)]),
      );
    }
    if (out.length > 0) {
      return out;
    }
    const unbounded = row.tasks.filter((task) => task.response_bound === null).map(({ name }) => name);
    if (row.status === "not-proven" && unbounded.length > 0) {
      return [`no bound is known for ${list_of(unbounded)}`];
    }
    return [chosen_words(row.plan)];
  }

  private place(pointer: string): HTMLElement {
    return element("button", { type: "button", class: "link", onclick: () => this.go_to(pointer) }, pointer);
  }
}
