// SPDX-License-Identifier: Apache-2.0
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  foldService,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  matchBrackets,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { json } from "@codemirror/legacy-modes/mode/javascript";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, type ChangeSpec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { complete, descriptions } from "./completion";
import type { Fault } from "./faults";

export type Origin = "typed" | "slider" | "loaded";
const origin = Annotation.define<Origin>();
const slider_event = "input.type.slider";

const colours = HighlightStyle.define([
  { tag: [tags.string, tags.propertyName], color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null, tags.atom, tags.keyword], color: "var(--code-word)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

// From a bracket that a line leaves open to the one that closes it.
const folds = foldService.of((state, from, to) => {
  for (let at = to; at > from; --at) {
    const letter = state.sliceDoc(at - 1, at);
    if (letter === "{" || letter === "[") {
      const match = matchBrackets(state, at - 1, 1, { maxScanDistance: state.doc.length });
      return match?.matched === true && match.end !== undefined && match.end.from > to
        ? { from: at, to: match.end.from }
        : null;
    }
    if (letter === "}" || letter === "]") {
      return null;
    }
  }
  return null;
});

export class Editor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, label: string, changed: (origin: Origin) => void) {
    this.view = new EditorView({
      parent: host,
      state: EditorState.create({ extensions: this.extensions(label, changed) }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /// Another file. It can be undone.
  load(text: string): void {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: origin.of("loaded"),
      scrollIntoView: true,
    });
  }

  edit(changes: ChangeSpec): void {
    this.view.dispatch({ changes, annotations: origin.of("slider"), userEvent: slider_event });
  }

  mark(faults: Fault[]): void {
    const length = this.view.state.doc.length;
    const shown = faults.map(({ from, to, words }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      severity: "error" as const,
      message: words,
    }));
    this.view.dispatch(setDiagnostics(this.view.state, shown));
  }

  go_to(from: number, to: number): void {
    const length = this.view.state.doc.length;
    const range = { anchor: Math.min(from, length), head: Math.min(to, length) };
    this.view.dispatch({ selection: range, effects: EditorView.scrollIntoView(range.anchor, { y: "center" }) });
    this.view.focus();
  }

  private extensions(label: string, changed: (origin: Origin) => void) {
    return [
      lineNumbers(),
      highlightActiveLineGutter(),
      lintGutter(),
      foldGutter(),
      codeFolding(),
      // One movement of a slider is one step back.
      history({ joinToEvent: (change, adjacent) => adjacent || change.isUserEvent(slider_event) }),
      drawSelection(),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      rectangularSelection(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      StreamLanguage.define({ ...json, tokenTable: { property: tags.propertyName } }),
      syntaxHighlighting(colours),
      folds,
      descriptions,
      autocompletion({ override: [complete], icons: false }),
      // Tab leaves the editor, as everywhere on the page.
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) {
          return;
        }
        const from = update.transactions.map((one) => one.annotation(origin)).find((one) => one !== undefined);
        changed(from ?? "typed");
      }),
    ];
  }
}
