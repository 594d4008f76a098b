// SPDX-License-Identifier: Apache-2.0
// Reaction times and ages of the file's cause-effect chains: bounds beside what a simulation has shown.
import type { ChainBound, Chains, Latency } from "./answers";
import { element } from "./dom";
import { show_milliseconds } from "./times";

function milliseconds(value: number | null): string {
  return value === null ? "–" : show_milliseconds(value);
}

function cells(latency: Latency, limit: number | null): HTMLElement[] {
  return [
    element("td", { class: "number" }, milliseconds(latency.bound)),
    element("td", { class: "number quiet" }, milliseconds(latency.seen)),
    element("td", { class: "number" }, milliseconds(limit)),
  ];
}

function beyond(latency: Latency, limit: number | null): boolean {
  return limit !== null && latency.seen !== null && latency.seen > limit;
}

// A limit that the simulation has seen exceeded is missed, whatever the bound says.
function judged(chain: ChainBound): HTMLElement {
  const { reaction, age } = chain.limit;
  if (beyond(chain.reaction, reaction) || beyond(chain.age, age)) {
    return element("span", { class: "badge miss" }, "✕ no");
  }
  if (!chain.meets) {
    return element("span", { class: "badge open" }, "? not proven");
  }
  const limited = reaction !== null || age !== null;
  return element("span", { class: "badge proven" }, limited ? "✓ yes" : "✓ bounded");
}

export function draw_chains(body: HTMLElement, words: HTMLElement, all: Chains): void {
  body.replaceChildren(
    ...all.chains.map((chain) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", title: chain.tasks.join(" → ") }, chain.name),
        element("td", {}, judged(chain)),
        ...cells(chain.reaction, chain.limit.reaction),
        ...cells(chain.age, chain.limit.age),
        element("td", {}, chain.semantics),
      ),
    ),
  );
  const first = all.chains[0];
  words.replaceChildren(
    ...all.chains.flatMap(({ condition }) => (condition === undefined ? [] : [element("p", {}, condition)])),
    ...(first === undefined
      ? []
      : [
          element("p", { class: "quiet" }, `reaction: ${first.reaction.definition}`),
          element("p", { class: "quiet" }, `age: ${first.age.definition}`),
        ]),
    ...(all.notes ?? []).map((note) => element("p", { class: "quiet" }, note)),
  );
}
