// SPDX-License-Identifier: Apache-2.0
// The page: where answers are shown, and what the reader's choices change.
import type { Chains, Comparison, Explanation, Verdict } from "./answers";
import { Busy } from "./busy";
import { draw_chains } from "./chain_table";
import { commands, shell_line } from "./commands";
import { ComparisonTable, type Rank } from "./comparison";
import { at_path, nearest_node, path_of_pointer, tree_of } from "./document";
import { at_rest, by_id, copy_text, element } from "./dom";
import { Editor, type Origin } from "./editor";
import { Exports, type Offered } from "./exports";
import { fault_of } from "./faults";
import { Files } from "./files";
import type { Lane, Program } from "./program";
import { words_of } from "./schema";
import { Session, type Part, type Picture, type State, type Views } from "./session";
import { file_name, fragment_of, shared_by, words_of_broken, type Shared } from "./share";
import { Sliders } from "./sliders";
import { TaskTable } from "./task_table";
import { Timeline } from "./timeline";
import { badge, worst_slack } from "./verdict";

export class Page implements Views {
  private file = "set.json";
  private policy: string | null = null;
  private cpus: string | null = null;
  private sort: Rank = "slack";
  private session: Session | null = null;
  private exports: Exports | null = null;
  private files: Files | null = null;
  private pictures_by: Partial<Record<"comparison" | "schedule" | "chains", Picture | null>> = {};
  private readonly waiting = new Busy((part) => this.stop(part));
  private written_fragment = "";
  private readonly editor = new Editor(by_id("editor"), "task-set file", (origin) => this.text_changed(origin));
  private readonly sliders = new Sliders(
    by_id("sliders"),
    () => this.editor.text,
    (changes) => this.editor.edit(changes),
  );
  private readonly table = new ComparisonTable(
    by_id("policies"),
    (policy) => this.choose_policy(policy),
    (pointer) => this.go_to(pointer),
  );
  private readonly tasks = new TaskTable(by_id("tasks"), by_id("explanation"), (task) => this.choose_task(task));
  private readonly schedule_line = new Timeline(by_id("schedule"), "simulated schedule");
  private readonly chain_line = new Timeline(by_id("chain-picture"), "slowest reaction of a chain");
  private readonly address_at_rest = at_rest(400, () => void this.write_address());

  begin(program: Program, lane: Lane): void {
    this.session = new Session(program, this);
    this.exports = new Exports(lane, this);
    this.files = new Files(
      lane,
      (text, name) => this.take(text, name),
      (words) => this.notice(words),
    );
    by_id("cpus").append(...words_of("cpu_policy").map((name) => element("option", { value: name }, name)));
    this.listen();
  }

  // --- what the page is about

  state(): State {
    const { file, policy, cpus, sort } = this;
    return { text: this.editor.text, file, policy, cpus, sort, task: this.tasks.task };
  }

  has_chains(): boolean {
    const root = tree_of(this.editor.text);
    return root !== null && at_path(root, ["chains"]) !== null;
  }

  restore(shared: Shared): void {
    this.file = shared.file;
    this.policy = shared.policy;
    this.cpus = shared.cpus;
    this.tasks.mark(shared.task);
    by_id<HTMLInputElement>("file").value = shared.file;
    by_id<HTMLSelectElement>("cpus").value = shared.cpus ?? "";
    this.show_policy();
    this.files?.mark(shared.file, shared.text);
    this.schedule_line.forget();
    this.chain_line.forget();
    this.editor.load(shared.text);
  }

  async follow(fragment: string): Promise<void> {
    if (fragment === this.written_fragment) {
      return;
    }
    try {
      const shared = await shared_by(fragment);
      if (shared !== null) {
        this.restore(shared);
      }
    } catch (failure) {
      this.notice(words_of_broken(failure));
    }
  }

  pictures(): Offered[] {
    const all: ["comparison" | "schedule" | "chains", string[], string][] = [
      ["comparison", commands.compare(this.state()), "picture of the comparison"],
      ["schedule", commands.simulate(this.state()), "picture of the simulation"],
      ["chains", commands.chains(this.state()), "picture of the slowest reaction"],
    ];
    return all
      .filter(([part]) => part !== "chains" || this.has_chains())
      .map(([part, words, label]) => ({ name: words.at(-1)!, label, svg: this.pictures_by[part]?.svg ?? null }));
  }

  notice(words: string): void {
    const host = by_id("notice");
    host.textContent = words;
    clearTimeout(Number(host.dataset.timer));
    host.dataset.timer = String(
      setTimeout(() => {
        host.textContent = "";
      }, 8000),
    );
  }

  // --- what the reader changes

  private text_changed(origin: Origin): void {
    if (origin !== "slider") {
      this.sliders.take(this.editor.text);
    }
    if (origin === "typed") {
      this.files?.mark(this.file, null);
    }
    this.changed(origin === "loaded");
  }

  private changed(subject = false): void {
    if (subject) {
      this.session?.changed_subject();
    } else {
      this.session?.changed();
    }
    // What was drawn is about another file, and is not to be exported as of this one.
    this.pictures_by = {};
    this.exports?.refresh();
    this.show_lines();
    this.address_at_rest();
  }

  private stop(part: Part): void {
    this.session?.stop(part);
    this.notice("Stopped. What stands there is about the file before.");
  }

  private choose_policy(policy: string | null): void {
    this.policy = policy;
    this.show_policy();
    this.changed(true);
  }

  private choose_rank(heads: HTMLElement[], chosen: HTMLElement): void {
    this.sort = chosen.dataset.rank as Rank;
    for (const head of heads) {
      head.parentElement!.toggleAttribute("aria-sort", head === chosen);
    }
    chosen.parentElement!.setAttribute("aria-sort", "descending");
    this.table.rank(this.sort);
    this.show_lines();
  }

  private choose_task(task: string): void {
    this.tasks.mark(task);
    this.show_lines();
    this.address_at_rest();
  }

  private go_to(pointer: string): void {
    const root = tree_of(this.editor.text);
    if (root === null) {
      return;
    }
    const node = nearest_node(root, path_of_pointer(pointer));
    this.editor.go_to(node.offset, node.offset + node.length);
  }

  // --- answers

  busy(part: Part, since: number | null): void {
    this.waiting.show(part, since);
  }

  verdict(verdict: Verdict, milliseconds: number): void {
    this.no_fault();
    const words = verdict.analysis === undefined || verdict.analysis === null ? "" : ` by ${verdict.analysis}`;
    this.say([badge(verdict.status), words]);
    by_id("took").textContent = `${Math.round(milliseconds)} ms`;
    this.tasks.show(verdict);
    if (this.policy === null && this.cpus === null) {
      this.own(verdict, undefined);
    }
    this.show_lines();
  }

  not_judged(words: string): void {
    this.no_fault();
    const fault = fault_of(words, this.file, this.editor.text);
    this.say([badge(null), " ", this.place_button(fault.from, fault.to, fault.words)]);
    by_id("took").textContent = "";
    this.stale(true, "The chosen rule does not fit the file: what follows is about the one before.");
  }

  fault(words: string): void {
    const found = words
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => fault_of(line, this.file, this.editor.text));
    this.editor.mark(found);
    this.say([
      element("span", { class: "badge miss" }, "✕ fault"),
      ` ${found.length === 1 ? "in the file" : `${found.length} faults`}, see below the editor`,
    ]);
    by_id("took").textContent = "";
    by_id("faults").replaceChildren(
      ...found.map(({ from, to, line, column, words: said }) => {
        const button = this.place_button(from, to, "");
        button.append(element("u", {}, `line ${line}, column ${column}:`), ` ${said}`);
        return button;
      }),
    );
    this.stale(
      true,
      this.table.policies.length === 0
        ? "There is no answer yet: the file has a fault."
        : "The file has a fault: these answers are about the file before it.",
    );
  }

  comparison(all: Comparison, picture: Picture | null, milliseconds: number): void {
    this.drawn("comparison", picture);
    this.table.show(all.rows, this.sort);
    by_id("comparison").dataset.milliseconds = milliseconds.toFixed(0);
    by_id("comparison").dataset.revision = String(Number(by_id("comparison").dataset.revision ?? "0") + 1);
    this.show_policy();
  }

  own(verdict: Verdict, factor: number | null | undefined): void {
    const known = factor === undefined ? null : factor;
    this.table.show_own({
      status: verdict.status,
      analysis: verdict.analysis ?? null,
      slack: worst_slack(verdict.tasks),
      factor: known,
      plan: verdict.plan ?? null,
    });
  }

  explanation(explanation: Explanation): void {
    this.tasks.explain(explanation);
  }

  schedule(picture: Picture | null, words: string): void {
    this.drawn("schedule", picture);
    by_id("schedule").hidden = picture === null;
    this.words("schedule-words", picture === null ? words : "");
    if (picture !== null) {
      this.schedule_line.show(picture.svg);
    }
  }

  chains(chains: Chains | null, picture: Picture | null, words: string): void {
    this.drawn("chains", picture);
    by_id("chains-part").hidden = chains === null && words === "";
    by_id("chain-table").hidden = chains === null;
    if (chains === null) {
      by_id("chain-words").replaceChildren(words);
    } else {
      draw_chains(by_id("chain-rows"), by_id("chain-words"), chains);
    }
    by_id("chain-picture").hidden = picture === null;
    if (picture !== null) {
      this.chain_line.show(picture.svg);
    }
  }

  failed(part: Part, why: string): void {
    this.notice(`The program ended in the middle (${part}): ${why}`);
    if (part === "verdict") {
      this.say([badge(null), ` the program ended in the middle: ${why}`]);
    }
    this.stale(true, "The program ended in the middle: what follows may be about the file before.");
  }

  // --- small parts

  private drawn(part: "comparison" | "schedule" | "chains", picture: Picture | null): void {
    this.pictures_by[part] = picture;
    this.exports?.refresh();
  }

  private no_fault(): void {
    this.editor.mark([]);
    by_id("faults").replaceChildren();
    this.stale(false, "");
  }

  private stale(is: boolean, words: string): void {
    by_id("answers").classList.toggle("stale", is);
    by_id("stale").hidden = !is;
    by_id("stale").textContent = words;
  }

  // A live region speaks when it changes, so the same words are not set again.
  private say(parts: (Node | string)[]): void {
    const host = by_id("verdict");
    const next = element("div", {}, ...parts);
    if (host.innerHTML !== next.innerHTML) {
      host.replaceChildren(...next.childNodes);
    }
  }

  private words(id: string, words: string): void {
    by_id(id).textContent = words;
    by_id(id).hidden = words === "";
  }

  private place_button(from: number, to: number, words: string): HTMLElement {
    return element("button", { type: "button", class: "link", onclick: () => this.editor.go_to(from, to) }, words);
  }

  private show_policy(): void {
    const list = by_id<HTMLSelectElement>("policy");
    const names = [...new Set([...this.table.policies, ...(this.policy === null ? [] : [this.policy])])];
    list.replaceChildren(
      element("option", { value: "" }, "the file's own rules"),
      ...names.map((name) => element("option", { value: name }, name)),
    );
    list.value = this.policy ?? "";
    this.table.mark(this.policy);
    for (const one of document.querySelectorAll(".under")) {
      one.textContent = `under ${this.policy ?? "the file's own rules"}`;
    }
  }

  private show_lines(): void {
    const asked = this.state();
    for (const one of document.querySelectorAll<HTMLElement>("[data-line]")) {
      one.textContent = `$ ${shell_line(commands[one.dataset.line as keyof typeof commands](asked))}`;
    }
  }

  private async write_address(): Promise<string> {
    this.written_fragment = await fragment_of(this.state());
    history.replaceState(null, "", this.written_fragment);
    return location.href;
  }

  private listen(): void {
    const on = (id: string, event: string, run: () => void): void => by_id(id).addEventListener(event, run);
    const file = by_id<HTMLInputElement>("file");
    on("file", "change", () => {
      file.value = this.file = file_name(file.value);
      this.changed();
    });
    const heads = [...document.querySelectorAll<HTMLElement>("[data-rank]")];
    heads.forEach((head) => head.addEventListener("click", () => this.choose_rank(heads, head)));
    // The address holds the file: it stays.
    by_id("skip").addEventListener("click", (event) => {
      event.preventDefault();
      by_id("comparison").focus();
    });
    on("share", "click", () => void this.copy_link());
    on("export", "click", () => this.exports?.open());
    on("reset", "click", () => this.sliders.reset());
    on("policy", "change", () => this.choose_policy(by_id<HTMLSelectElement>("policy").value || null));
    on("cpus", "change", () => {
      this.cpus = by_id<HTMLSelectElement>("cpus").value || null;
      this.changed(true);
    });
  }

  private take(text: string, name: string): void {
    this.restore({ text, file: file_name(name), policy: null, cpus: this.cpus, task: null });
  }

  private async copy_link(): Promise<void> {
    const copied = await copy_text(await this.write_address());
    this.notice(
      copied
        ? "The link is copied: it holds the whole task set."
        : "The link is the address of this page: copy it from there.",
    );
  }
}
