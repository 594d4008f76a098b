// SPDX-License-Identifier: Apache-2.0
import examples from "takt:examples";
import { by_id } from "./dom";
import { Page } from "./page";
import { Lane, Program } from "./program";
import { shared_by, words_of_broken, type Shared } from "./share";
import { switch_theme_by } from "./theme";

// Some of its ways of sharing are proven, some are not, and one cannot be judged.
const first = "gcaps-xavier.json";

async function asked_for(page: Page): Promise<Shared> {
  const given = { text: examples[first] ?? "", file: first, policy: null, cpus: null, task: null };
  try {
    return (await shared_by(location.hash)) ?? given;
  } catch (failure) {
    page.notice(`${words_of_broken(failure)} This is an example instead.`);
    return given;
  }
}

async function start(): Promise<void> {
  switch_theme_by(by_id<HTMLButtonElement>("theme"));
  const page = new Page();
  const program = await Program.load(by_id("program").textContent ?? "");
  page.begin(program, new Lane(program));
  page.restore(await asked_for(page));
  addEventListener("hashchange", () => void page.follow(location.hash));
}

start().catch((failure: unknown) => {
  by_id("verdict").textContent = `This browser cannot run the program: ${String(failure)}`;
});
