// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"
#include "workload_file.hpp"

/// The parts of a file. What reads throws `input_error`; what prints writes the one dialect.
namespace takt::program {

/// `older` files lock GPUs without naming a protocol.
void read_board(const json_value& v, bool older, workload_file& out);
[[nodiscard]] auto read_slots(const json_value& v) -> slot_times;
[[nodiscard]] auto print_slots(const slot_times& slots) -> ordered_json;
[[nodiscard]] auto print_board(const workload_file& file) -> ordered_json;
[[nodiscard]] auto board_objects() -> std::vector<object_keys>;

/// Everything under "graphs" and "tasks".
void read_tasks(const json_value& top, workload_file& file);
[[nodiscard]] auto print_task(const workload_file& file, std::size_t task) -> ordered_json;
[[nodiscard]] auto task_objects() -> std::vector<object_keys>;

/// What the plan says of cores as keys of the tasks, where the rules of the board keep these on cores.
[[nodiscard]] auto with_planned_tasks(json_value document, const file_rules& rules) -> json_value;
/// What it says besides. Pre: the tasks were read.
void read_plan(const json_value& v, workload_file& file);
[[nodiscard]] auto print_plan(const workload_file& file) -> ordered_json;
[[nodiscard]] auto plan_keys() -> object_keys;

void print_omissions(const workload_file& file, ordered_json& out);
[[nodiscard]] auto omission_keys() -> object_keys;

/// The visits of the task that was added last, and their edges.
void read_chain(const json_value& v, workload_file& file);
void read_graph(const json_value& task, workload_file& file);
void print_body(const workload_file& file, std::size_t task, ordered_json& out);
[[nodiscard]] auto edge_keys() -> object_keys;

/// A task with the body of the variant that it names, and with the CPU times of the type of its core. `core_type` is
/// empty where all of its times are of any core.
struct chosen_task {
  json_value task;
  std::string core_type;
};
[[nodiscard]] auto as_chosen_task(json_value given, const workload_file& file) -> chosen_task;
/// CPU times under the type of the core that they are of.
void print_by_type(const std::string& core_type, ordered_json& task);
[[nodiscard]] auto alternative_keys() -> object_keys;

/// A visit and its place in the file.
struct placed_visit {
  runtime_visit visit;
  std::string at;
};

/// The one step of an object, the CPU time around a kernel being visits of its own, or a chain of them.
[[nodiscard]] auto read_step(const json_value& v, std::string_view allowed, workload_file& file)
    -> std::vector<placed_visit>;
[[nodiscard]] auto read_segments(const json_value& v, workload_file& file) -> std::vector<placed_visit>;
/// `says_regions`: also that CPU time has no non-preemptive region, which its task would give it.
[[nodiscard]] auto print_step(const workload_file& file, const runtime_visit& v, bool says_regions) -> ordered_json;
extern const object_keys node_keys;
extern const object_keys segment_keys;
/// The names of own resources stand as keys beside those of an object.
[[nodiscard]] auto with_own_names(object_keys keys, const workload_file& file) -> object_keys;
[[nodiscard]] auto copy_keys() -> object_keys;

/// What is known of a kernel, in any combination.
[[nodiscard]] auto read_kernel(const json_value& v, workload_file& file) -> runtime_visit;
[[nodiscard]] auto print_kernel(const file_tasks& tasks, const runtime_visit& v) -> ordered_json;
[[nodiscard]] auto kernel_keys() -> object_keys;
[[nodiscard]] auto scaling_keys() -> object_keys;

/// Whether tasks are CPU time and a token section: policies there are of clusters, and priorities may be equal.
[[nodiscard]] auto has_sections(const json_value& document) -> bool;
/// Older spellings in those of the dialect, of boards, and of a task on a board that is known. Every value keeps its
/// place in the file.
[[nodiscard]] auto with_present_board(json_value document) -> json_value;
[[nodiscard]] auto as_present_task(json_value task, bool is_graph, bool sections, const workload_file& file)
    -> json_value;
[[nodiscard]] auto section_keys() -> object_keys;

}  // namespace takt::program
