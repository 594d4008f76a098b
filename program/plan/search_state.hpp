// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../command.hpp"
#include "file_judge.hpp"

namespace takt::program {

using file_problem = mapping_problem<file_judge, max_places>;
using plan_progress = search_progress<file_problem::max_decisions>;

/// What a search is about, in one text: another file, seed or option is another search.
[[nodiscard]] auto search_key(const plan_options& o, const std::string& document) -> std::string;

/// Throws `input_error` where the file is of another search, or is none.
[[nodiscard]] auto read_state(const std::string& path, const std::string& key, file_problem& problem) -> plan_progress;
/// Throws `environment_error`.
void write_state(const std::string& path, const std::string& key, const plan_progress& s);

}  // namespace takt::program
