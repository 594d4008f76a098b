// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <takt/core/duration.hpp>
#include <takt/simulation/trace.hpp>

#include "described_file.hpp"

namespace takt::program {

/// Throws one sentence for all that a kind of file does not have.
void require_ability(const described_file& file, ability wanted);

/// Throws `input_error` when so much happens before `horizon` that nobody would wait for it, or when a trace of it
/// would not fit.
void require_bearable(const described_file& file, duration horizon, const std::string& option, bool traced);

/// Writes the files that were asked for; an empty name asks for none.
void write_trace_files(const trace& recorded, const described_file& file, const std::string& trace_file,
                       const std::string& svg_file);

/// What goes under a table: names of the written files.
[[nodiscard]] auto written_files(const std::string& trace_file, const std::string& svg_file) -> std::string;

/// "plan: ..." where one was chosen, else "platform: ...".
[[nodiscard]] auto setting_text(const described_file& file) -> std::string;

}  // namespace takt::program
