// SPDX-License-Identifier: Apache-2.0
// What is asked when: the verdict at once, all else as soon as the text rests. Each answer is about one state of the
// page; one that comes for an older state is dropped, but for verdicts: they are shown while a slider moves.
import type { Chains, Comparison, Explanation, Sensitivity, Verdict } from "./answers";
import { commands, type Asked } from "./commands";
import { at_rest } from "./dom";
import { Lane, type Answer, type Program } from "./program";

const rest_ms = 300;
export const invalid_input = 3;

export interface State extends Asked {
  text: string;
}

export type Part = "verdict" | "comparison" | "explanation" | "schedule" | "chains";

export interface Picture {
  name: string;
  svg: string;
}

/// Where answers are shown. `words` are what the program said on standard error.
export interface Views {
  state(): State;
  has_chains(): boolean;
  busy(part: Part, since: number | null): void;
  verdict(verdict: Verdict, milliseconds: number): void;
  not_judged(words: string): void;
  fault(words: string): void;
  comparison(rows: Comparison, picture: Picture | null, milliseconds: number): void;
  own(verdict: Verdict, factor: number | null): void;
  explanation(explanation: Explanation): void;
  schedule(picture: Picture | null, words: string): void;
  chains(chains: Chains | null, picture: Picture | null, words: string): void;
  failed(part: Part, why: string): void;
}

export class Session {
  private readonly verdicts: Lane;
  private readonly comparisons: Lane;
  private readonly details: Lane;
  private readonly begun = new Map<Part, number>();
  private revision = 0;
  private subject = 0;
  private readonly rest: () => void;

  constructor(
    program: Program,
    private readonly views: Views,
  ) {
    [this.verdicts, this.comparisons, this.details] = [new Lane(program), new Lane(program), new Lane(program)];
    this.rest = at_rest(rest_ms, () => void this.ask_all());
  }

  /// The text is another one.
  changed(): void {
    ++this.revision;
    void this.ask_verdict();
    this.rest();
  }

  /// Another file, policy or rule of the processors: no older answer is about it.
  changed_subject(): void {
    ++this.subject;
    ++this.revision;
    void this.ask_verdict();
    void this.ask_all();
  }

  /// Ends what is asked for a part. What would be asked after it in the same lane is not asked either.
  stop(part: Part): void {
    (part === "verdict" ? this.verdicts : part === "comparison" ? this.comparisons : this.details).stop();
  }

  private async run(part: Part, lane: Lane, words: string[], late_too = false): Promise<Answer | null> {
    const { text, file } = this.views.state();
    const { revision, subject } = this;
    const begun = performance.now();
    this.begun.set(part, begun);
    this.views.busy(part, begun);
    try {
      const answer = await lane.ask({ arguments: words, files: { [file]: text } });
      const of_use = late_too && subject === this.subject && answer !== null && answer.code < invalid_input;
      return revision === this.revision || of_use ? answer : null;
    } catch (failure) {
      if (revision === this.revision) {
        this.views.failed(part, failure instanceof Error ? failure.message : String(failure));
      }
      return null;
    } finally {
      if (this.begun.get(part) === begun) {
        this.views.busy(part, null);
      }
    }
  }

  private async ask_verdict(): Promise<void> {
    const state = this.views.state();
    const answer = await this.run("verdict", this.verdicts, [...commands.analyze(state), "--json"], true);
    if (answer === null) {
      return;
    }
    if (answer.code < invalid_input) {
      this.views.verdict(JSON.parse(answer.out) as Verdict, answer.milliseconds);
    } else if (state.policy === null && state.cpus === null) {
      this.views.fault(answer.err.trim() || answer.out.trim());
    } else {
      await this.blame(state, answer.err.trim());
    }
  }

  // Is the file at fault, or does only the chosen rule not fit it?
  private async blame(state: State, words: string): Promise<void> {
    const own = await this.run("verdict", this.verdicts, [
      ...commands.analyze({ ...state, policy: null, cpus: null }),
      "--json",
    ]);
    if (own === null) {
      return;
    }
    if (own.code < invalid_input) {
      this.views.not_judged(words);
    } else {
      this.views.fault(own.err.trim());
    }
  }

  private async ask_all(): Promise<void> {
    const revision = this.revision;
    await Promise.all([this.ask_comparison(revision), this.ask_details(revision)]);
  }

  private async ask_comparison(revision: number): Promise<void> {
    const state = this.views.state();
    const answer = await this.run("comparison", this.comparisons, [...commands.compare(state), "--json"]);
    if (answer === null || answer.code >= invalid_input) {
      return;
    }
    this.views.comparison(JSON.parse(answer.out) as Comparison, picture_of(answer), answer.milliseconds);
    const own = { ...state, policy: null };
    const verdict = await this.run("comparison", this.comparisons, [...commands.analyze(own), "--json"]);
    if (verdict === null || verdict.code >= invalid_input || revision !== this.revision) {
      return;
    }
    const factor = await this.run("comparison", this.comparisons, [...commands.sensitivity(own), "--json"]);
    if (factor === null) {
      return;
    }
    const found = factor.code < invalid_input ? (JSON.parse(factor.out) as Sensitivity).factor_permille : null;
    this.views.own(JSON.parse(verdict.out) as Verdict, found);
  }

  private async ask_details(revision: number): Promise<void> {
    const state = this.views.state();
    const why = await this.run("explanation", this.details, [...commands.explain({ ...state, task: null }), "--json"]);
    if (why === null || why.code >= invalid_input) {
      return;
    }
    this.views.explanation(JSON.parse(why.out) as Explanation);
    const seen = await this.run("schedule", this.details, [...commands.simulate(state), "--json"]);
    if (seen === null) {
      return;
    }
    this.views.schedule(picture_of(seen), seen.err.trim());
    if (!this.views.has_chains()) {
      this.views.chains(null, null, "");
      return;
    }
    const chains = await this.run("chains", this.details, [...commands.chains(state), "--json"]);
    if (chains === null || revision !== this.revision) {
      return;
    }
    this.views.chains(
      chains.code < invalid_input ? (JSON.parse(chains.out) as Chains) : null,
      picture_of(chains),
      chains.err.trim(),
    );
  }
}

function picture_of(answer: Answer): Picture | null {
  const found = Object.entries(answer.files).find(([name]) => name.endsWith(".svg"));
  return found === undefined ? null : { name: found[0], svg: found[1] };
}
