// SPDX-License-Identifier: Apache-2.0

type Value = string | boolean | number | ((event: never) => void) | undefined;

/// An element with its attributes, listeners (a name that begins with "on") and children.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      made.addEventListener(name.slice(2), value as EventListener);
    } else if (value === true) {
      made.setAttribute(name, "");
    } else if (value !== false && value !== undefined) {
      made.setAttribute(name, String(value));
    }
  }
  made.append(...children);
  return made;
}

/// The element of the page that has this id.
export function by_id<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no #${id}`);
  }
  return found as T;
}

/// Runs the last call once nothing was asked for so many milliseconds.
export function at_rest(milliseconds: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}

export async function copy_text(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copy_by_selection(text);
  }
}

// The clipboard's own interface may be refused to a page that is opened as a file.
function copy_by_selection(text: string): boolean {
  const carrier = element("textarea", { class: "offscreen", "aria-hidden": "true" });
  carrier.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(carrier);
  carrier.select();
  const copied = document.execCommand("copy");
  carrier.remove();
  return copied;
}

export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
