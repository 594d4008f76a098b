// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "words.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// Whether tasks are CPU time and a token section: policies there are of clusters, and priorities may be equal.
[[nodiscard]] auto has_sections(const json_value& document) -> bool;

/// The words of older files on boards in those of the dialect; every value keeps its place in the file.
[[nodiscard]] auto with_present_board(json_value document) -> json_value;

/// The same for a task of a document, on a board that is known. Throws `input_error`.
[[nodiscard]] auto as_present_task(json_value task, bool is_graph, bool sections, const workload_file& file)
    -> json_value;

/// The keys of sections.
[[nodiscard]] auto section_keys() -> object_keys;

}  // namespace takt::program
