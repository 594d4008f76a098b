// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/study/acceptance_study.hpp>

#include "../files/workload_file.hpp"

namespace takt::program {

using file_generator = studies::set_generator<workload_file>;
using file_drawer = studies::drawer<workload_file>;

/// The generators of each family.
[[nodiscard]] auto chain_generators() -> std::vector<file_generator>;
[[nodiscard]] auto kernel_generators() -> std::vector<file_generator>;
[[nodiscard]] auto section_generators() -> std::vector<file_generator>;
[[nodiscard]] auto graph_generators() -> std::vector<file_generator>;
[[nodiscard]] auto share_generators() -> std::vector<file_generator>;

/// All of them, in the order in which they are listed.
[[nodiscard]] auto generators() -> const std::vector<file_generator>&;
/// Throws `input_error` at `where` when there is none of this name.
[[nodiscard]] auto find_generator(const std::string& where, const std::string& name) -> const file_generator&;

/// A visit with what the format leaves open, behind the last one of its task.
[[nodiscard]] auto next_visit(const workload_file& file, resource_kind where) -> runtime_visit;
/// Throws `input_error` when the file is full.
void add_task(workload_file& file, const runtime_task& task);
void add_visit(workload_file& file, const runtime_visit& visit);
void add_timed_visit(workload_file& file, resource_kind where, ticks time);

/// Throws `input_error` unless there is no fault.
void require_drawn(model_fault fault);

/// "1ms..20ms". Throws `input_error`.
[[nodiscard]] auto range_of(const studies::settings& s, const std::string& name) -> interval<ticks>;
/// "12ms,15ms". Throws `input_error`.
[[nodiscard]] auto times_of(const studies::settings& s, const std::string& name) -> std::vector<ticks>;

}  // namespace takt::program
