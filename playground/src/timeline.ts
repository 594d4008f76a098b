// SPDX-License-Identifier: Apache-2.0
// A picture with a time axis that can be zoomed and moved by wheel, drag, pinch, buttons and keys. The view box follows
// the time alone: rows keep their height and their names.
import { element } from "./dom";
import { drawing_of, parse_svg, type Drawing } from "./drawing";

const closest = 2000; // times the whole
const step = 1.5;

interface Sign {
  shape: SVGGraphicsElement;
  x: number;
  words: number; // letters of a text; 0: a sign
  room: number; // the width of the bar that it stands in
}

export class Timeline {
  private drawing: Drawing | null = null;
  private signs: Sign[] = [];
  private from = 0;
  private to = 1;
  private readonly above = element("div", { class: "above" });
  private readonly names = element("div", { class: "names" });
  private readonly along = element("div", { class: "along", tabindex: 0, role: "application" });
  private readonly axis = element("div", { class: "axis", "aria-hidden": "true" });
  private readonly range = element("output", { class: "range" });
  private readonly notes = element("div", { class: "quiet" });
  private readonly pointers = new Map<number, number>();

  constructor(
    private readonly host: HTMLElement,
    label: string,
  ) {
    this.along.setAttribute("aria-label", `${label}: plus and minus zoom, arrows move, 0 shows all`);
    this.along.setAttribute("aria-roledescription", "picture with a time axis");
    host.append(
      this.buttons(label),
      this.above,
      element("div", { class: "lanes" }, this.names, this.along, this.axis),
      this.notes,
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.along);
  }

  /// True if the picture could be taken apart; else it is shown as it is.
  show(text: string): boolean {
    const root = parse_svg(text);
    const old = this.drawing;
    this.drawing = root === null ? null : drawing_of(root);
    this.host.classList.toggle("whole", this.drawing === null);
    this.names.replaceChildren();
    this.notes.replaceChildren();
    this.signs = [];
    if (this.drawing === null) {
      this.above.replaceChildren(...(root === null ? [] : [root]));
      this.along.replaceChildren();
      return false;
    }
    this.take(this.drawing);
    if (old === null || old.unit !== this.drawing.unit) {
      this.all();
    } else {
      this.keep(old, this.drawing);
    }
    return true;
  }

  /// The next picture is about something else: it is shown whole.
  forget(): void {
    this.drawing = null;
  }

  all(): void {
    [this.from, this.to] = this.whole;
    this.draw();
  }

  zoom(by: number, at = (this.from + this.to) / 2): void {
    if (this.drawing === null) {
      return;
    }
    const [left, right] = this.whole;
    const width = Math.min(right - left, Math.max((right - left) / closest, (this.to - this.from) / by));
    const part = (at - this.from) / (this.to - this.from);
    this.move_to(at - part * width, width);
  }

  move(by: number): void {
    this.move_to(this.from + by * (this.to - this.from), this.to - this.from);
  }

  // With room for the signs at both ends.
  private get whole(): [number, number] {
    const { left, right } = this.drawing ?? { left: 0, right: 1 };
    const margin = (right - left) / 100;
    return [left - margin, right + margin];
  }

  private move_to(from: number, width: number): void {
    if (this.drawing === null) {
      return;
    }
    const [left, right] = this.whole;
    this.from = Math.max(left, Math.min(from, right - width));
    this.to = this.from + width;
    this.draw();
  }

  // The same stretch of time in a new picture, as far as it is there.
  private keep(old: Drawing, now: Drawing): void {
    const showed_all = this.to - this.from >= old.right - old.left;
    const [from, to] = [now.x_at(old.time_at(this.from)), now.x_at(old.time_at(this.to))];
    if (showed_all || from >= now.right || to <= now.left) {
      this.all();
      return;
    }
    this.from = Math.max(now.left, from);
    this.to = Math.min(now.right, to);
    this.draw();
  }

  private take(drawing: Drawing): void {
    const { above, along, width, top, bottom } = drawing;
    above.setAttribute("viewBox", `0 0 ${width} ${top}`);
    above.removeAttribute("height");
    above.setAttribute("width", "100%");
    above.setAttribute("aria-hidden", "true");
    along.setAttribute("preserveAspectRatio", "none");
    along.setAttribute("width", "100%");
    along.setAttribute("height", String(bottom - top));
    this.above.replaceChildren(above);
    this.along.replaceChildren(along);
    this.along.style.height = this.names.style.height = `${bottom - top}px`;
    this.names.replaceChildren(
      ...drawing.rows.map(({ y, words, heading }) =>
        element("div", { class: heading ? "heading" : "", style: `top:${y - 13}px`, title: words }, words),
      ),
    );
    this.notes.replaceChildren(...drawing.notes.map((one) => element("p", {}, one)));
    this.signs = this.signs_of(along);
  }

  private signs_of(along: SVGSVGElement): Sign[] {
    const bars = [...along.querySelectorAll("rect")].map(box_of);
    return [...along.querySelectorAll<SVGGraphicsElement>("text, path")].flatMap((shape) => {
      if (shape.localName === "text") {
        const [x, y] = [Number(shape.getAttribute("x")), Number(shape.getAttribute("y"))];
        const room = Math.min(
          ...bars
            .filter((bar) => Math.abs(bar.x + bar.width / 2 - x) < 0.1 && bar.y < y && y < bar.y + bar.height)
            .map(({ width }) => width),
        );
        return [{ shape, x, words: shape.textContent?.length ?? 0, room }];
      }
      // A single straight line goes along with the time; all else is a sign.
      shape.setAttribute("vector-effect", "non-scaling-stroke");
      const data = shape.getAttribute("d") ?? "";
      const start = /^M([-\d.]+) /.exec(data);
      return start === null || /^M[-\d. ]+[HhVL][-\d. ]+$/.test(data)
        ? []
        : [{ shape, x: Number(start[1]), words: 0, room: 0 }];
    });
  }

  private draw(): void {
    const { drawing } = this;
    const pixels = this.along.clientWidth;
    if (drawing === null || pixels === 0) {
      return;
    }
    const width = this.to - this.from;
    const scale = pixels / width;
    const picture = this.along.firstElementChild;
    picture?.setAttribute("viewBox", `${this.from} ${drawing.top} ${width} ${drawing.bottom - drawing.top}`);
    for (const { shape, x, words, room } of this.signs) {
      shape.setAttribute("transform", `matrix(${1 / scale} 0 0 1 ${x - x / scale} 0)`);
      if (words > 0) {
        shape.style.display = words * 6.6 + 4 > room * scale ? "none" : "";
      }
    }
    this.draw_axis(drawing, pixels);
  }

  private draw_axis(drawing: Drawing, pixels: number): void {
    const [begin, end] = [drawing.time_at(this.from), drawing.time_at(this.to)];
    const distance = nice_distance((end - begin) / Math.max(1, pixels / 90));
    const digits = Math.max(0, -Math.floor(Math.log10(distance) + 1e-9));
    const marks: HTMLElement[] = [];
    for (let i = Math.ceil(begin / distance - 1e-9); i * distance <= end + distance * 1e-9; ++i) {
      const place = (100 * (i * distance - begin)) / (end - begin);
      marks.push(element("span", { style: `left:${place}%` }, (i * distance).toFixed(digits)));
    }
    this.axis.replaceChildren(...marks);
    const shown = (value: number): string => value.toFixed(digits + 1);
    const [first, last] = [drawing.time_at(drawing.left), drawing.time_at(drawing.right)];
    this.range.textContent = `${shown(Math.max(begin, first))} to ${shown(Math.min(end, last))} ${drawing.unit}`;
  }

  private buttons(label: string): HTMLElement {
    const one = (sign: string, words: string, run: () => void): HTMLElement =>
      element("button", { type: "button", "aria-label": words, title: words, onclick: run }, sign);
    return element(
      "div",
      { class: "buttons", role: "group", "aria-label": label },
      one("+", "zoom in", () => this.zoom(step)),
      one("−", "zoom out", () => this.zoom(1 / step)),
      one("←", "earlier", () => this.move(-0.25)),
      one("→", "later", () => this.move(0.25)),
      one("all", "show all", () => this.all()),
      this.range,
    );
  }

  private x_of(pixel: number): number {
    const box = this.along.getBoundingClientRect();
    return this.from + ((pixel - box.left) / box.width) * (this.to - this.from);
  }

  private listen(): void {
    const keys: Record<string, () => void> = {
      "+": () => this.zoom(step),
      "=": () => this.zoom(step),
      "-": () => this.zoom(1 / step),
      "0": () => this.all(),
      ArrowLeft: () => this.move(-0.1),
      ArrowRight: () => this.move(0.1),
      Home: () => this.move(-1e6),
      End: () => this.move(1e6),
    };
    this.along.addEventListener("keydown", (event) => {
      const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (run !== undefined) {
        event.preventDefault();
        run();
      }
    });
    this.along.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.along.addEventListener("pointerdown", (event) => {
      this.along.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, event.clientX);
    });
    this.along.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"] as const) {
      this.along.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
  }

  // A wheel belongs to the page until the picture has the focus, or with the control key.
  private wheel(event: WheelEvent): void {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const ours = event.ctrlKey || document.activeElement === this.along;
    if (!sideways && !ours) {
      return;
    }
    event.preventDefault();
    if (sideways) {
      this.move((event.deltaX || event.deltaY) / this.along.clientWidth);
      return;
    }
    this.zoom(Math.exp(-event.deltaY / 300), this.x_of(event.clientX));
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
    const other = others[0];
    if (other === undefined) {
      this.move((before - event.clientX) / this.along.clientWidth);
    } else if (Math.abs(before - other) > 4) {
      this.zoom(Math.abs(event.clientX - other) / Math.abs(before - other), this.x_of((event.clientX + other) / 2));
    }
    this.pointers.set(event.pointerId, event.clientX);
  }
}

function box_of(rect: SVGRectElement): { x: number; y: number; width: number; height: number } {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name))) as [
    number,
    number,
    number,
    number,
  ];
  return { x, y, width, height };
}

// 1, 2 or 5 times a power of ten, and not less than this.
function nice_distance(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least * 0.999)!;
}
