// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "../fields.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// In what spelling a document is written, as far as words mean something else in it.
struct spelling {
  bool has_graphs = false;   ///< "edf" is of all CPUs of a cluster
  bool block_queue = false;  ///< copies without an engine are CPU time, as in graphs
  bool sections = false;     ///< tasks with "cpu" and "gpu" under tokens: all policies are of clusters
};
[[nodiscard]] auto spelling_of(const json_value& document) -> spelling;

/// Throws `input_error` when something is wrong with a platform.
void read_board(const located& v, const spelling& how, workload_file& out);

/// Whether the CPUs of a cluster share its tasks.
[[nodiscard]] auto is_global(std::string_view cpu_policy) -> bool;

/// The keys of overheads and what they stand for.
[[nodiscard]] auto overhead_members()
    -> std::span<const std::pair<std::string_view, ticks gpusync_overheads<ticks>::*>>;

/// How many clusters of CPUs tasks can name.
[[nodiscard]] auto cluster_count(const workload_file& file) -> std::int32_t;

}  // namespace takt::program
