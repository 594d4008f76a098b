// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../fields.hpp"
#include "read_board.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// A visit and its place in the file.
struct placed_visit {
  described_visit visit;
  std::string at;
};

/// What is under one of the keys cpu, copy, kernel, or of an own resource: the CPU time around a kernel is a visit of
/// its own. Throws `input_error`.
[[nodiscard]] auto read_step(const fields& object, const located& v, std::string_view allowed, const spelling& how,
                             workload_file& file) -> std::vector<placed_visit>;
/// A chain of steps, one after the other.
[[nodiscard]] auto read_chain(const located& v, const spelling& how, workload_file& file) -> std::vector<placed_visit>;

/// CPU time and a token section in their older spelling, with half of the CPU time before and half after the GPU's.
[[nodiscard]] auto read_token_section(const fields& task, const located& v, task_facts& more, workload_file& file)
    -> std::vector<placed_visit>;

/// The nodes and edges of a graph, as visits of the task that was added last. Throws `input_error`.
void read_nodes(const fields& graph, const spelling& how, workload_file& file);

/// Adds to the task that was added last. Throws where there is no room.
void add_visit(const placed_visit& v, workload_file& file);

/// Everything under "graphs" and "tasks".
void read_tasks(const fields& top, const spelling& how, workload_file& file);

/// The names of own resources, which stand as keys.
[[nodiscard]] auto own_names(const workload_file& file) -> std::vector<std::string_view>;

}  // namespace takt::program
