// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// A visit and its place in the file.
struct placed_visit {
  described_visit visit;
  std::string at;
};

/// The one step of an object: the CPU time around a kernel is a visit of its own. Throws `input_error`.
[[nodiscard]] auto read_step(const json_value& v, std::string_view allowed, workload_file& file)
    -> std::vector<placed_visit>;
/// A chain of steps, one after the other.
[[nodiscard]] auto read_segments(const json_value& v, workload_file& file) -> std::vector<placed_visit>;
/// As an object of its own.
[[nodiscard]] auto print_step(const workload_file& file, const described_visit& v) -> ordered_json;

/// Adds what is known of a kernel, in any combination. Throws `input_error`.
[[nodiscard]] auto read_kernel(const json_value& v, workload_file& file) -> described_visit;
[[nodiscard]] auto print_kernel(const file_tasks& tasks, const described_visit& v) -> ordered_json;

/// Visits of the task that was added last, and their edges. They throw `input_error`.
void read_chain(const json_value& v, workload_file& file);
void read_graph(const json_value& task, workload_file& file);
/// The segments of a task, or its nodes and edges.
void print_body(const workload_file& file, std::size_t task, ordered_json& out);

/// The names of own resources, which stand as keys.
[[nodiscard]] auto own_names(const workload_file& file) -> std::vector<std::string_view>;

extern const object_keys node_keys;
extern const object_keys segment_keys;
[[nodiscard]] auto edge_keys() -> object_keys;
[[nodiscard]] auto copy_keys() -> object_keys;
[[nodiscard]] auto kernel_keys() -> object_keys;
[[nodiscard]] auto scaling_keys() -> object_keys;

}  // namespace takt::program
