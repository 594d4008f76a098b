// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>

#include "../json_value.hpp"
#include "incomplete.hpp"

namespace takt::program {

inline constexpr std::size_t max_tasks = 64;
inline constexpr std::size_t max_file_visits = 2048;
inline constexpr std::size_t max_file_rows = 256;
using file_tasks = runtime_task_set<max_tasks, max_file_visits, max_file_rows, max_file_visits>;

/// Of a visit that says nothing on how many of its jobs may run at a time.
inline constexpr std::int64_t any_parallelism = std::numeric_limits<std::int32_t>::max();

struct core_facts {
  std::string name;
  std::string type;
  gpu_speed speed{};  ///< as a multiple of the core that the times are about

  [[nodiscard]] friend auto operator==(const core_facts&, const core_facts&) -> bool = default;
};

/// Time of copies of one kind: `setup` and the bytes at a bandwidth.
struct transfer_cost {
  ticks setup = 0;
  std::int64_t bytes_per_us = 1;

  [[nodiscard]] friend auto operator==(const transfer_cost&, const transfer_cost&) -> bool = default;
};

/// What copies between a GPU, the host and other GPUs cost. `chunk` 0: a copy is not divided.
struct transfer_model {
  std::int64_t chunk = 0;
  std::optional<transfer_cost> to_device;
  std::optional<transfer_cost> to_host;
  std::optional<transfer_cost> peer;

  [[nodiscard]] friend auto operator==(const transfer_model&, const transfer_model&) -> bool = default;
};

/// What is known of a GPU beyond `gpu_hardware`.
struct gpu_facts {
  std::optional<std::int32_t> copy_engines;  ///< of its own
  std::optional<transfer_model> copies;

  [[nodiscard]] friend auto operator==(const gpu_facts&, const gpu_facts&) -> bool = default;
};

using report::sharing_rule;
using report::slot_time;
using report::slot_times;

/// What a file chooses, apart from its tasks and its board.
struct file_rules {
  std::string_view cpus = "fixed-priority";
  std::optional<std::int32_t> clusters;  ///< of CPUs
  bool pipelined = false;                ///< jobs of graphs overlap as in their published method
  std::string_view copies{};             ///< empty: the rule that goes with the sharing
  sharing_rule gpus{};
  std::vector<std::string_view> own;  ///< policies of `hardware::own`

  [[nodiscard]] friend auto operator==(const file_rules&, const file_rules&) -> bool = default;
};

/// What is known, or asked for, of a task beyond `runtime_task`.
struct task_facts {
  std::optional<std::int32_t> share;        ///< per cent of a GPU that it asks for
  std::optional<std::int64_t> requests;     ///< of a job to the GPU
  std::optional<std::int32_t> weight;       ///< on a GPU with shares: the greater goes first
  std::optional<std::int32_t> gpu_cluster;  ///< where its sections take place
  std::string_view preemption{};            ///< where it can be preempted; empty: anywhere
  std::string variant{};                    ///< the name of what it does, where there were others
  std::string core_type{};                  ///< of the core that its CPU times are of; empty: of any

  [[nodiscard]] friend auto operator==(const task_facts&, const task_facts&) -> bool = default;
};

/// What a file decides beyond what its tasks say of themselves, by task or by step; what is empty is not decided.
struct plan_facts {
  bool is_said = false;                  ///< the file has a plan, which may decide nothing
  bool chooses_guards = false;           ///< offsets and local deadlines may be chosen all the same
  std::vector<std::int32_t> cores;       ///< any one of a cluster; tasks that stay on cores say theirs, too
  std::vector<std::int32_t> priorities;  ///< the lesser goes first
  std::vector<std::int32_t> sms;         ///< 0: the task has no kernels
  std::vector<std::int32_t> gpu;
  std::vector<std::int32_t> percents;
  std::vector<ticks> offsets;
  std::vector<ticks> local_deadlines;
  std::vector<std::int32_t> instances;  ///< jobs of a step that can be under way at a time
  std::optional<std::int32_t> tokens_per_gpu;
  std::optional<std::int32_t> levels;
  std::optional<ticks> slice;
  std::optional<slot_times> slots;

  [[nodiscard]] friend auto operator==(const plan_facts&, const plan_facts&) -> bool = default;
};

/// How much one task slows another one down on the same GPU.
struct slow_down {
  std::uint32_t slowed = 0;
  std::uint32_t by = 0;
  std::uint32_t ppm = 0;

  [[nodiscard]] friend auto operator==(const slow_down&, const slow_down&) -> bool = default;
};

/// A cause-effect chain over tasks.
struct chain_facts {
  std::string name;
  std::vector<std::uint32_t> tasks;
  std::vector<std::string_view> semantics;  ///< of each of them
  std::optional<ticks> reaction;
  std::optional<ticks> age;

  [[nodiscard]] friend auto operator==(const chain_facts&, const chain_facts&) -> bool = default;
};

/// A key that some object of a file leaves out, and what it is taken for.
struct unsaid_key {
  std::string_view object;
  std::string_view key;
  std::string_view taken;

  [[nodiscard]] friend auto operator==(const unsaid_key&, const unsaid_key&) -> bool = default;
};

/// A file of the one dialect, or of an older spelling, as values that no rule has looked at. Names point into `texts`,
/// so a file is neither copied nor moved.
struct workload_file {
  workload_file() = default;
  workload_file(const workload_file&) = delete;
  auto operator=(const workload_file&) -> workload_file& = delete;
  workload_file(workload_file&&) = delete;
  auto operator=(workload_file&&) -> workload_file& = delete;
  ~workload_file() = default;

  std::string name;
  hardware board;
  std::vector<core_facts> cores;
  std::vector<gpu_facts> gpus;  ///< one for each of `board.gpus`
  std::optional<gpusync_overheads<ticks>> overheads;
  file_rules rules;
  late_handling on_late = late_handling::catch_up;
  file_tasks tasks;  ///< in the order of the file, those under "graphs" first
  std::vector<task_facts> more;
  std::optional<std::vector<slow_down>> contention;
  std::vector<chain_facts> chains;
  plan_facts plan;
  std::vector<std::string> remarks;       ///< under "notes": of whoever wrote the file, for whoever reads it
  std::vector<omitted_kind> incomplete;   ///< what the system has besides
  std::vector<std::string> acknowledged;  ///< kinds of those that the user takes to be harmless
  std::deque<std::string> texts;
  std::vector<std::string> notes;
  std::vector<unsaid_key> unsaid;    ///< that matter to some verdict
  std::vector<std::string> task_at;  ///< places in the file of what stands in the table
  std::vector<std::string> visit_at;
};

/// What a task may do instead: its variants, one without a name where there is no choice, and the cores on which each
/// can run.
struct task_options {
  struct body {
    std::string variant;
    std::vector<std::int32_t> cores;
  };
  std::vector<body> bodies;
};

/// Of each task, in the order of `workload_file::tasks`. What is chosen already plays no part. Throws `input_error`
/// where the board or a time by type of core is wrong; what else is wrong shows when a file with choices is read.
[[nodiscard]] auto options_of(const json_value& document) -> std::vector<task_options>;

/// Whether tasks have times by type on a board with cores of several types, so that they cannot move.
[[nodiscard]] auto is_bound_to_cores(const workload_file& file) -> bool;

/// How many clusters of CPUs tasks can name.
[[nodiscard]] auto cluster_count(const workload_file& file) -> std::int32_t;

/// Throws `input_error` when something is wrong with the file.
[[nodiscard]] auto read_workload(const json_value& document) -> std::unique_ptr<workload_file>;

/// Only what the file says beside tasks and board: its notes, what it leaves out, and what of it is acknowledged.
void read_remarks(const json_value& document, workload_file& out);

/// The file in the one dialect. Read again, it has the same values.
void print_workload(std::ostream& out, const workload_file& file);
void print_in_one_line(std::ostream& out, const workload_file& file);

/// Whether two files say the same, in whatever spelling.
[[nodiscard]] auto same_values(const workload_file& a, const workload_file& b) -> bool;

}  // namespace takt::program
