// SPDX-License-Identifier: Apache-2.0
// What can be taken along: the file, pictures, the C++ program, the command lines.
import { commands, shell_line, type Asked } from "./commands";
import { by_id, copy_text, download, element } from "./dom";
import type { Lane } from "./program";
import type { State } from "./session";

export interface Offered {
  name: string;
  label: string;
  svg: string | null;
}

export interface Source {
  state(): State;
  pictures(): Offered[];
  has_chains(): boolean;
  notice(words: string): void;
}

function lines(asked: Asked, chains: boolean): string[] {
  const all = [
    commands.analyze(asked),
    commands.explain(asked),
    commands.compare(asked),
    commands.sensitivity(asked),
    commands.simulate(asked),
  ];
  return [...all, ...(chains ? [commands.chains(asked)] : [])].map(shell_line);
}

// A shell that has no such file can make it: the text stands between two lines that it does not have.
export function script_of(state: State, chains: boolean): string {
  let end = "END";
  while (state.text.split("\n").includes(end)) {
    end += "_";
  }
  return [`cat >${state.file} <<'${end}'`, state.text.replace(/\n$/, ""), end, ...lines(state, chains), ""].join("\n");
}

export class Exports {
  private readonly dialog = by_id<HTMLDialogElement>("exports");
  private cpp_refusal: string | null = "asking the program …";

  constructor(
    private readonly lane: Lane,
    private readonly source: Source,
  ) {
    by_id("copy-lines").addEventListener("click", () => void this.copy_lines());
    void this.ask_for_cpp();
  }

  open(): void {
    this.fill();
    this.dialog.showModal();
  }

  /// A picture has come, or what was drawn is no longer about this file.
  refresh(): void {
    if (!this.dialog.open) {
      return;
    }
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.export : undefined;
    this.fill();
    if (focused !== undefined) {
      this.dialog.querySelector<HTMLElement>(`[data-export="${focused}"]`)?.focus();
    }
  }

  private fill(): void {
    const state = this.source.state();
    const stem = state.file.replace(/\.json$/, "");
    const script = script_of(state, this.source.has_chains());
    const save = {
      json: () => download(state.file, state.text, "application/json"),
      cpp: () => void this.save_cpp(`${stem}.cpp`),
      sh: () => download(`${stem}.sh`, script, "text/x-sh"),
    };
    by_id("command-lines").textContent = lines(state, this.source.has_chains()).join("\n");
    by_id("export-list").replaceChildren(
      this.item(state.file, "the task set, as it stands in the editor", null, save.json),
      ...this.source.pictures().map((one) => this.picture(one)),
      this.item(`${stem}.cpp`, "the same as a C++ program, with this verdict", this.cpp_refusal, save.cpp),
      this.item(`${stem}.sh`, "a script that writes the file and asks the program", null, save.sh),
    );
  }

  private picture({ name, label, svg }: Offered): HTMLElement {
    return this.item(name, label, svg === null ? "there is none yet" : null, () =>
      download(name, svg ?? "", "image/svg+xml"),
    );
  }

  private item(name: string, words: string, refusal: string | null, run: () => void): HTMLElement {
    const button = element(
      "button",
      { type: "button", disabled: refusal !== null, "data-export": name.replace(/^.*?\./, ""), onclick: run },
      name,
    );
    return element(
      "li",
      {},
      button,
      element("span", { class: "quiet" }, refusal === null ? words : `${words}: ${refusal}`),
    );
  }

  private async copy_lines(): Promise<void> {
    const copied = await copy_text(by_id("command-lines").textContent ?? "");
    this.source.notice(
      copied ? "The command lines are copied." : "The browser refuses the clipboard: select the lines and copy them.",
    );
  }

  private async ask_for_cpp(): Promise<void> {
    const help = await this.lane.ask({ arguments: ["help", "export"], files: {} }).catch(() => null);
    this.cpp_refusal =
      help !== null && /\bcpp\b/.test(help.out) ? null : "this build of the program has no such export";
  }

  private async save_cpp(name: string): Promise<void> {
    const state = this.source.state();
    try {
      const answer = await this.lane.ask({
        arguments: commands.export_cpp(state),
        files: { [state.file]: state.text },
      });
      if (answer === null) {
        return;
      }
      if (answer.code === 0) {
        download(name, answer.out, "text/x-c++src");
      } else {
        this.source.notice(answer.err.trim());
      }
    } catch (failure) {
      this.source.notice(String(failure));
    }
  }
}
