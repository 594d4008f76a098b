// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/simulation/trace.hpp>

#include "side_files.hpp"
#include "task_set_file.hpp"

namespace takt::program {

/// Throws `input_error` when so much happens before `horizon` that nobody would wait for it, or when a trace of it
/// would not fit.
void require_bearable(const task_set_file& file, duration horizon, const std::string& option, bool traced);

/// What a file does in virtual time. Throws where the horizon, which `option` gave, is too far away, or a model is
/// refused.
[[nodiscard]] auto simulated(const task_set_file& file, const simulation_options& options, const std::string& option,
                             trace* kept) -> report::observation_summary;

/// Where a recorded run is kept.
struct pictures {
  std::string trace_file;
  std::string svg_file;

  [[nodiscard]] auto wanted() const noexcept -> bool { return !trace_file.empty() || !svg_file.empty(); }
  [[nodiscard]] auto files() const -> std::vector<side_file> { return {{"--trace", trace_file}, {"--svg", svg_file}}; }
};

/// Writes the files that were asked for; an empty name asks for none.
[[nodiscard]] auto write_pictures(const trace& recorded, const task_set_file& file,
                                  const report::verdict_summary& proven, const report::observation_summary& seen,
                                  const pictures& to) -> written_files;

/// Prints what was seen beside what was proven: the head of the text, then a table, the outcome, notes and files.
void print_run(const std::string& head, std::string_view outcome, const report::run_summary& run,
               const report::verdict_summary& proven, const pictures& wanted, const written_files& written);

}  // namespace takt::program
