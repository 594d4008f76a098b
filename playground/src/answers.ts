// SPDX-License-Identifier: Apache-2.0
// What the program says with --json, as far as the page shows it. Times are nanoseconds.

export type Status = "schedulable" | "unschedulable" | "not-proven" | "overflow" | "invalid-model";

export interface TaskBound {
  name: string;
  deadline: number | null;
  response_bound: number | null;
  meets: boolean;
}

export interface Term {
  what: string;
  by: string;
  time: number;
}

export type Plan = Record<string, Record<string, number | string> | number | string>;

export interface Verdict {
  status: Status;
  analysis?: string | null;
  plan?: Plan;
  tasks: (TaskBound & { method?: string; terms?: Term[] })[];
  notes?: string[];
}

export interface ComparedRow {
  policy: string;
  cpus: string;
  status: Status | null;
  analysis: string | null;
  slack_permille: number | null;
  factor_permille: number | null;
  plan: Plan | null;
  missing: { at: string; fact: string }[];
  why: { words: string }[];
  because?: string;
  tasks: TaskBound[];
}

export interface Comparison {
  rows: ComparedRow[];
}

export interface Explanation {
  status: Status;
  headline: string;
  reasons: string[];
  tasks: { name: string; meets: boolean; sentences: string[] }[];
  notes?: string[];
}

export interface Latency {
  bound: number | null;
  seen: number | null;
  definition: string;
}

export interface ChainBound {
  name: string;
  semantics: string;
  tasks: string[];
  first_read_to_output: Latency;
  reaction: Latency;
  age_at_output: Latency;
  age: Latency;
  limit: { reaction: number | null; age: number | null };
  meets: boolean;
  condition?: string;
}

export interface Chains {
  chains: ChainBound[];
  notes?: string[];
}

export interface Sensitivity {
  factor_permille: number | null;
}
