// SPDX-License-Identifier: Apache-2.0
// Reaction times and ages of the file's cause-effect chains: bounds beside what a simulation has shown.
import type { ChainBound, Chains, Latency } from "./answers";
import { element } from "./dom";
import { show_milliseconds } from "./times";

function milliseconds(value: number | null): string {
  return value === null ? "–" : show_milliseconds(value);
}

function cells(latency: Latency, limit: number | null): HTMLElement[] {
  return [element("td", { class: "number" }, milliseconds(latency.bound)), element("td", { class: "number quiet" }, milliseconds(latency.seen)),
    element("td", { class: "number" }, milliseconds(limit))];
}

// A limit that is met under a condition is not proven; one that is not met is a miss only where the bound is exact.
function judged(chain: ChainBound): HTMLElement {
  if (chain.meets === true) { return element("span", { class: "badge proven" }, "✓ yes"); }
  if (chain.meets === false) { return element("span", { class: "badge miss" }, "✕ no"); }
  const none = chain.limit.reaction === null && chain.limit.age === null;
  return element("span", { class: `badge ${none ? "none" : "open"}` }, none ? "– no limit" : "? not proven");
}

export function draw_chains(body: HTMLElement, words: HTMLElement, all: Chains): void {
  body.replaceChildren(...all.chains.map((chain) => element("tr", {},
    element("th", { scope: "row", title: chain.tasks.join(" → ") }, chain.name),
    element("td", {}, judged(chain)),
    ...cells(chain.reaction, chain.limit.reaction), ...cells(chain.age, chain.limit.age),
    element("td", {}, chain.semantics))));
  const first = all.chains[0];
  words.replaceChildren(
    ...all.chains.flatMap(({ condition }) => (condition === undefined ? [] : [element("p", {}, condition)])),
    ...(first === undefined ? [] : [element("p", { class: "quiet" }, `reaction: ${first.reaction.definition}`),
      element("p", { class: "quiet" }, `age: ${first.age.definition}`)]),
    ...(all.notes ?? []).map((note) => element("p", { class: "quiet" }, note)));
}
