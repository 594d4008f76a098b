// SPDX-License-Identifier: Apache-2.0
// What is asked of the program, and the same for a shell.

export interface Asked {
  file: string;
  policy: string | null;
  cpus: string | null;
  task: string | null;
  sort?: "slack" | "factor";
}

function rules({ policy, cpus }: Asked): string[] {
  return [...(policy === null ? [] : ["--policy", policy]), ...(cpus === null ? [] : ["--cpus", cpus])];
}

function picture(asked: Asked, of: string): string {
  return asked.file.replace(/\.json$/, `.${of}.svg`);
}

export const commands = {
  analyze: (asked: Asked): string[] => ["analyze", asked.file, ...rules(asked)],
  explain: (asked: Asked): string[] => [
    "explain",
    asked.file,
    ...(asked.task === null ? [] : ["--task", asked.task]),
    ...rules(asked),
  ],
  sensitivity: (asked: Asked): string[] => ["sensitivity", asked.file, ...rules(asked)],
  compare: (asked: Asked): string[] => [
    "compare",
    asked.file,
    ...(asked.cpus === null ? [] : ["--cpus", asked.cpus]),
    ...(asked.sort === "factor" ? ["--sort", "factor"] : []),
    "--svg",
    picture(asked, "compare"),
  ],
  simulate: (asked: Asked): string[] => ["simulate", asked.file, ...rules(asked), "--svg", picture(asked, "schedule")],
  chains: (asked: Asked): string[] => ["chains", asked.file, ...rules(asked), "--svg", picture(asked, "chains")],
  export_cpp: (asked: Asked): string[] => ["export", "cpp", asked.file, ...rules(asked)],
};

export function shell_line(words: string[]): string {
  const quoted = (word: string): string => (/^[\w./:,=@%+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
  return ["takt", ...words].map(quoted).join(" ");
}
