// SPDX-License-Identifier: Apache-2.0
// Takes a picture of the program with a time axis apart: what stands above, the names of the rows, and what happens
// along the axis. The last part can then be stretched while words and signs keep their shape.

export interface RowName {
  y: number;
  words: string;
  heading: boolean;
}

export interface Drawing {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  unit: string;
  time_at: (x: number) => number;
  x_at: (time: number) => number;
  above: SVGSVGElement;
  rows: RowName[];
  along: SVGSVGElement;
  notes: string[];
}

export function parse_svg(text: string): SVGSVGElement | null {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (!(root instanceof SVGSVGElement)) {
    return null;
  }
  // A picture only has shapes and words. Anything else would come from a file that somebody has sent.
  for (const one of root.querySelectorAll("*")) {
    if (!["rect", "path", "text", "title", "defs", "pattern"].includes(one.localName)) {
      one.remove();
    }
    for (const { name } of [...one.attributes]) {
      if (name.startsWith("on") || name.includes("href")) {
        one.removeAttribute(name);
      }
    }
  }
  return root;
}

let pictures = 0;

// Two pictures of a page may not have patterns of one name.
function rename_patterns(root: SVGSVGElement): void {
  const prefix = `picture-${++pictures}-`;
  for (const pattern of root.querySelectorAll("pattern[id]")) {
    pattern.id = prefix + pattern.id;
  }
  for (const one of root.querySelectorAll('[fill^="url(#"]')) {
    one.setAttribute("fill", one.getAttribute("fill")!.replace("url(#", `url(#${prefix}`));
  }
}

function number_of(one: Element, name: string): number {
  return Number(one.getAttribute(name) ?? "0");
}

function y_of(one: Element): number {
  return one.localName === "path"
    ? Number(/^M[-\d.]+ ([-\d.]+)/.exec(one.getAttribute("d") ?? "")?.[1] ?? 0)
    : number_of(one, "y");
}

interface Tick {
  x: number;
  top: number;
  bottom: number;
  value: number;
}

function ticks_of(shapes: Element[]): Tick[] {
  return shapes.flatMap((one, i) => {
    const line = /^M([\d.]+) ([\d.]+)V([\d.]+)$/.exec(one.getAttribute("d") ?? "");
    const label = shapes[i + 1];
    if (line === null || label?.localName !== "text" || label.getAttribute("x") !== line[1]) {
      return [];
    }
    return [{ x: Number(line[1]), top: Number(line[2]), bottom: Number(line[3]), value: Number(label.textContent) }];
  });
}

function copy_of(root: SVGSVGElement, shapes: Element[]): SVGSVGElement {
  const made = root.cloneNode(false) as SVGSVGElement;
  const definitions = root.querySelector("defs");
  made.append(...(definitions === null ? [] : [definitions.cloneNode(true)]), ...shapes);
  return made;
}

// An arrow from row to row is stretched, its head is not.
function split_arrow(path: Element): Element[] {
  const parts = /^M([\d.]+) ([\d.]+)l([-\d.]+) ([-\d.]+)(m.*)$/.exec(path.getAttribute("d") ?? "");
  if (parts === null || Math.abs(Number(parts[4])) < 10) {
    return [path];
  }
  const [x, y, dx, dy] = parts.slice(1, 5).map(Number) as [number, number, number, number];
  const head = path.cloneNode(true) as Element;
  path.setAttribute("d", `M${x} ${y}L${x + dx} ${y + dy}`);
  head.setAttribute("d", `M${x + dx} ${y + dy}${parts[5]}`);
  return [path, head];
}

/// Null: the picture has no time axis that could be found.
export function drawing_of(root: SVGSVGElement): Drawing | null {
  rename_patterns(root);
  const shapes = [...root.children].filter(({ localName }) => localName !== "defs");
  const ticks = ticks_of(shapes);
  const [first, last] = [ticks[0], ticks.at(-1)];
  const unit = shapes.map((one) => /^time in (\w+)$/.exec(one.textContent ?? "")?.[1]).find((one) => one !== undefined);
  if (first === undefined || last === undefined || first.x === last.x || unit === undefined) {
    return null;
  }
  const width = root.viewBox.baseVal.width;
  const { top, bottom } = first;
  const per_x = (last.value - first.value) / (last.x - first.x);
  const is_name = (one: Element): boolean =>
    one.localName === "text" && !one.hasAttribute("text-anchor") && number_of(one, "x") < first.x;
  const below = shapes.filter(
    (one) => y_of(one) >= top && y_of(one) <= bottom && number_of(one, "height") < root.viewBox.baseVal.height,
  );
  const names = below.filter(is_name);
  const bars = below.filter((one) => one.localName === "rect" && number_of(one, "x") > 16);
  const along = below.filter((one) => !is_name(one)).flatMap(split_arrow);
  const notes = shapes.filter((one) => one.localName === "text" && y_of(one) > bottom && number_of(one, "x") === 16);
  return {
    width,
    top,
    bottom,
    unit,
    left: Math.min(first.x, ...bars.map((one) => number_of(one, "x"))),
    right: Math.max(last.x, ...bars.map((one) => number_of(one, "x") + number_of(one, "width"))),
    time_at: (x) => first.value + (x - first.x) * per_x,
    x_at: (time) => first.x + (time - first.value) / per_x,
    above: copy_of(
      root,
      shapes.filter((one) => y_of(one) < top && number_of(one, "height") < top),
    ),
    rows: names.map((one) => ({
      y: number_of(one, "y") - top,
      words: one.textContent ?? "",
      heading: one.hasAttribute("font-weight"),
    })),
    along: copy_of(root, along),
    notes: notes.map((one) => one.textContent ?? ""),
  };
}
