// SPDX-License-Identifier: Apache-2.0
// Where a file comes from: the examples, the program's template, the reader's disk.
import examples from "takt:examples";
import { by_id, element } from "./dom";
import type { Lane } from "./program";

const template = "takt new";
const most_bytes = 1 << 20;

export class Files {
  private readonly list = by_id<HTMLSelectElement>("start");

  constructor(
    private readonly lane: Lane,
    private readonly take: (text: string, name: string) => void,
    private readonly notice: (words: string) => void,
  ) {
    this.list.append(
      element("option", { value: "" }, "–"),
      element("option", { value: template }, `${template} (with comments)`),
      ...Object.keys(examples).map((name) => element("option", { value: name }, name)),
    );
    this.list.addEventListener("change", () => void this.start_from(this.list.value));
    this.listen_to_disk();
  }

  /// Shows which example this is, if it is one.
  mark(name: string, text: string | null): void {
    this.list.value = text !== null && examples[name] === text ? name : "";
  }

  private async start_from(name: string): Promise<void> {
    if (name !== template) {
      const text = examples[name];
      if (text !== undefined) {
        this.take(text, name);
      }
      return;
    }
    const answer = await this.lane.ask({ arguments: ["new"], files: {} });
    if (answer !== null && answer.code === 0) {
      this.take(answer.out, "set");
    }
    this.list.value = template;
  }

  private listen_to_disk(): void {
    const chosen = by_id<HTMLInputElement>("chosen-file");
    by_id("open").addEventListener("click", () => chosen.click());
    chosen.addEventListener("change", () => {
      void this.open(chosen.files?.[0]);
      chosen.value = "";
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) {
        event.preventDefault();
        void this.open(file);
      }
    });
  }

  private async open(file: File | undefined): Promise<void> {
    if (file === undefined) {
      return;
    }
    if (file.size > most_bytes) {
      this.notice(`${file.name} has ${file.size} bytes, more than ${most_bytes}.`);
      return;
    }
    this.take(await file.text(), file.name);
  }
}
