// SPDX-License-Identifier: Apache-2.0
// The program, compiled once. A lane asks one question at a time in a worker of its own.
import { decompress } from "takt:unpack";
import source from "takt:worker";
import { from_base64 } from "./share";
import type { Answer, Question } from "./worker";

export type { Answer, Question };

/// A question that is so old makes room for a newer one. Younger ones end first: else nothing would be answered while
/// a slider moves.
const patience_ms = 250;

export class Program {
  private constructor(
    private readonly module: WebAssembly.Module,
    private readonly script: string,
  ) {}

  static async load(packed: string): Promise<Program> {
    // LZMA, since gzip makes the program 1.7 times as large.
    const bytes = decompress(from_base64(packed.trim()));
    const script = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    return new Program(await WebAssembly.compile(bytes as BufferSource), script);
  }

  worker(): Worker {
    const made = new Worker(this.script);
    made.postMessage({ module: this.module });
    return made;
  }
}

interface Waiting {
  question: Question;
  settle: (answer: Answer | null) => void;
  fail: (why: Error) => void;
}

export class Lane {
  private worker: Worker | null = null;
  private running: Waiting | null = null;
  private next: Waiting | null = null;
  private begun = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly program: Program) {}

  /// Null: a newer question came, or it was stopped.
  ask(question: Question): Promise<Answer | null> {
    return new Promise((settle, fail) => {
      this.next?.settle(null);
      this.next = { question, settle, fail };
      if (this.running === null) {
        this.start();
        return;
      }
      clearTimeout(this.timer);
      this.timer = setTimeout(
        () => {
          this.give_up();
          this.start();
        },
        this.begun + patience_ms - performance.now(),
      );
    });
  }

  stop(): void {
    this.next?.settle(null);
    this.next = null;
    this.give_up();
  }

  private give_up(): void {
    clearTimeout(this.timer);
    if (this.running === null) {
      return;
    }
    this.worker?.terminate();
    this.worker = null;
    this.running.settle(null);
    this.running = null;
  }

  private start(): void {
    if (this.next === null) {
      return;
    }
    this.running = this.next;
    this.next = null;
    this.begun = performance.now();
    this.worker ??= this.hire();
    this.worker.postMessage({ question: this.running.question });
  }

  private hire(): Worker {
    const worker = this.program.worker();
    worker.onmessage = ({ data }: MessageEvent<{ answer: Answer } | { failure: string }>) => {
      this.end((asked) => ("answer" in data ? asked.settle(data.answer) : asked.fail(new Error(data.failure))));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      this.worker = null;
      this.end((asked) => asked.fail(new Error(event.message)));
    };
    return worker;
  }

  private end(how: (asked: Waiting) => void): void {
    clearTimeout(this.timer);
    const asked = this.running;
    this.running = null;
    if (asked !== null) {
      how(asked);
    }
    this.start();
  }
}
