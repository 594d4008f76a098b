// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/core/version.hpp>

namespace takt::program::sweep {

namespace {

/// Text between single quotes of a shell.
[[nodiscard]] auto shell_quoted(const std::string& text) -> std::string {
  std::string out = "'";
  for (const char c : text) { out += c == '\'' ? std::string{"'\\''"} : std::string{c}; }
  return out + "'";
}

[[nodiscard]] auto quoted(const std::vector<std::string>& words) -> std::string {
  std::string out;
  for (const std::string& word : words) { out += (out.empty() ? "" : " ") + shell_quoted(word); }
  return out;
}

/// As it comes out of a text in which bash replaces variables.
[[nodiscard]] auto within_text(const std::string& text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '`' || c == '\\') { out += '\\'; }
    out += c;
  }
  return out;
}

void write_head(std::ostream& out, const emitted_jobs& jobs, std::string_view how) {
  out << fmt::format(R"(#!/usr/bin/env bash
# Written by takt {}.{}.{}: the study {} in {} parts, {}
# The exit codes of the parts do not count: what is put together at the end is what they wrote.
set -euo pipefail

)",
                     version_major, version_minor, version_patch, jobs.study, jobs.parts.size(), how);
}

[[nodiscard]] auto merge_of(const emitted_jobs& jobs) -> std::string {
  return quoted(jobs.call) + " --merge" + (jobs.merge.empty() ? "" : " " + quoted(jobs.merge));
}

}  // namespace

void write_slurm(std::ostream& out, const emitted_jobs& jobs, std::size_t most_in_array) {
  write_head(out, jobs, "for Slurm; options of sbatch may follow the name of this script.");
  out << "parts=(";
  for (std::size_t i = 0; i < jobs.parts.size(); ++i) { out << (i == 0 ? "" : " ") << jobs.parts[i]; }
  out << ")\n\nids=()\n# submit FIRST COUNT: an array for so many parts\n"
      << fmt::format(R"~(submit() {{
  local id
  id=$(sbatch --parsable --job-name={} --array="0-$(($2 - 1))" "${{@:3}}" <<JOB
#!/usr/bin/env bash
parts=(${{parts[@]:$1:$2}})
exec {} --jobs "\${{SLURM_CPUS_PER_TASK:-1}}" {} "\${{parts[SLURM_ARRAY_TASK_ID]}}"
JOB
)
  ids+=("${{id%%;*}}")
}}
)~",
                     shell_quoted("takt-" + jobs.study), within_text(quoted(jobs.call)), jobs.option);
  for (std::size_t first = 0; first < jobs.parts.size(); first += most_in_array) {
    out << fmt::format("submit {} {} \"$@\"\n", first, std::min(most_in_array, jobs.parts.size() - first));
  }
  out << fmt::format(R"(
after=$(IFS=:; echo "${{ids[*]}}")
sbatch --parsable --job-name={} --dependency="afterany:$after" "$@" <<'JOB'
#!/usr/bin/env bash
exec {}
JOB
)",
                     shell_quoted("takt-" + jobs.study + "-merge"), merge_of(jobs));
}

void write_parallel(std::ostream& out, const emitted_jobs& jobs) {
  write_head(out, jobs, "for GNU parallel; options of parallel may follow the name of this script.");
  out << "parts=(";
  for (std::size_t i = 0; i < jobs.parts.size(); ++i) { out << (i == 0 ? "" : " ") << jobs.parts[i]; }
  // A part that finds all others in the folder prints the result, too.
  out << fmt::format(R"()

printf '%s\n' "${{parts[@]}}" | parallel "$@" -q {} --jobs 1 {} {{}} >/dev/null || true
exec {}
)",
                     quoted(jobs.call), jobs.option, merge_of(jobs));
}

}  // namespace takt::program::sweep
