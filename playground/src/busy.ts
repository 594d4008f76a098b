// SPDX-License-Identifier: Apache-2.0
// Which parts of the page wait for an answer. After a second one can see for how long, and end it.
import { element } from "./dom";
import type { Part } from "./session";

export class Busy {
  private readonly clocks = new Map<Part, ReturnType<typeof setInterval>>();

  constructor(private readonly stop: (part: Part) => void) {}

  show(part: Part, since: number | null): void {
    const place = document.querySelector<HTMLElement>(`[data-part="${part}"]`);
    if (place === null) {
      return;
    }
    place.setAttribute("aria-busy", String(since !== null));
    clearInterval(this.clocks.get(part));
    place.querySelector(".still")?.remove();
    if (since !== null) {
      const tick = (): void => this.tick(place, part, since);
      this.clocks.set(part, setInterval(tick, 1000));
    }
  }

  private tick(place: HTMLElement, part: Part, since: number): void {
    const words = `${Math.round((performance.now() - since) / 1000)} s `;
    const shown = place.querySelector(".still span");
    if (shown !== null) {
      shown.textContent = words;
      return;
    }
    const stop = element("button", { type: "button", onclick: () => this.stop(part) }, "stop");
    const still = element("div", { class: "still" }, element("span", {}, words), stop);
    place.querySelector("h2, #verdict")?.after(still);
  }
}
