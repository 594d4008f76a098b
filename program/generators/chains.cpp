// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <tuple>

#include <takt/generation/block_workloads.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>

#include "../failure.hpp"
#include "../files/limits.hpp"
#include "generators.hpp"

namespace takt::program {

namespace {

using studies::settings;

constexpr std::size_t max_segments = 4096;
using generated_set = task_table<ticks, max_tasks, max_segments>;

void add_segment(workload_file& file, const segment_record<ticks>& s) {
  if (s.where != stage::kernel) {
    runtime_visit out = next_visit(file, s.where == stage::cpu ? resource_kind::processor : resource_kind::copy_engine);
    out.direction = s.direction;
    out.time = s.time;
    out.known.add(visit_fact::time);
    return add_visit(file, out);
  }
  runtime_visit out = next_visit(file, resource_kind::gpu);
  out.work = s.time;
  out.overhead = s.overhead;
  out.interleave_numerator = s.interleave_numerator;
  out.interleave_denominator = s.interleave_denominator;
  for (const visit_fact f : {visit_fact::work, visit_fact::overhead, visit_fact::interleave}) { out.known.add(f); }
  add_visit(file, out);
}

[[nodiscard]] auto make_file(const generation::rtgpu_options& o, const generated_set& set)
    -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  out->board.processors = 1;
  const platform_record platform = generation::platform_of(o);
  out->board.copy_engines = platform.copy_engines;
  // Bound: the first.
  out->board.gpus.unchecked_push_back({.sms = o.sms, .virtual_per_sm = o.virtual_per_sm});
  out->gpus.emplace_back();
  out->rules.cpus = "deadline-monotonic";
  out->rules.copies = platform.copy_engines > 0 ? "nonpreemptive-fixed-priority" : "";
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& t = set.tasks[i];
    add_task(*out, {.name = t.name, .period = t.period, .deadline = t.deadline});
    for (std::uint32_t j = 0; j < t.segment_count; ++j) { add_segment(*out, set.segment(i, j)); }
  }
  return out;
}

constexpr std::array<std::string_view, 3> copy_words{"two", "one", "none"};
constexpr std::array copy_counts{generation::copies_per_kernel::two, generation::copies_per_kernel::one,
                                 generation::copies_per_kernel::none};

[[nodiscard]] auto prepare_rtgpu(const settings& s) -> file_drawer {
  generation::rtgpu_options o;
  o.tasks = s.number<std::int32_t>("tasks");
  o.subtasks = s.number<std::int32_t>("subtasks");
  o.cpu = range_of(s, "cpu");
  o.copy = range_of(s, "copy");
  o.kernel = range_of(s, "gpu");
  o.copies = copy_counts[s.choice("copies", copy_words)];
  o.sms = s.number<std::int32_t>("sms");
  o.virtual_per_sm = s.number<std::int32_t>("virtual-per-sm");
  o.overhead_percent = s.number<std::int32_t>("overhead");
  o.lower_percent = s.number<std::int32_t>("lower");
  std::tie(o.interleave_numerator, o.interleave_denominator) = s.ratio("interleave");
  require_drawn(validate(o));
  return [o, seed = s.seed()](std::int64_t level, std::uint64_t number) {
    generation::rtgpu_options at = o;
    at.utilization_permille = static_cast<std::int32_t>(level);
    const auto set = std::make_unique<generated_set>();
    require_drawn(generation::generate(at, seed, number, *set));
    return make_file(at, *set);
  };
}

[[nodiscard]] auto prepare_blocks(const settings& s) -> file_drawer {
  generation::block_workload_options o;
  o.tasks = s.number<std::int32_t>("tasks");
  o.kernels = s.number<std::int32_t>("kernels");
  const auto period = range_of(s, "period");
  o.period = {period.lower, period.upper};
  o.kernel_percent = {s.number("least-kernel"), s.number("most-kernel")};
  o.copy_percent = s.number<std::int32_t>("copy");
  o.most_waves = s.number("waves");
  o.processors = s.number<std::int32_t>("cpus");
  o.sms = s.number<std::int32_t>("sms");
  const auto switches = times_of(s, "switch");
  o.context_switch = switches.front();
  o.preemption_levels = s.number<std::int32_t>("preemption-levels");
  if (switches.size() != 1) { throw input_error{"switch", "is several times", "one time such as \"100us\""}; }
  require_drawn(validate(o));
  return [o, seed = s.seed()](std::int64_t level, std::uint64_t number) {
    generation::block_workload_options at = o;
    at.utilization_permille = level;
    auto out = std::make_unique<workload_file>();
    out->board = board_of(at);
    out->gpus.emplace_back();
    out->rules.cpus = "deadline-monotonic";
    require_drawn(generation::generate(at, seed, number, any_parallelism, out->tasks));
    out->more.resize(out->tasks.size());
    return out;
  };
}

}  // namespace

auto chain_generators() -> std::vector<file_generator> {
  return {
      {"rtgpu",
       "chains of CPU segments, copies and kernels: Zou et al. 2021, Table 1",
       {{"tasks", "5", "per set", 1, 64},
        {"subtasks", "5", "CPU segments per task", 1, 1000},
        {"cpu", "1ms..20ms", "range of CPU segments"},
        {"copy", "1ms..5ms", "range of copies"},
        {"gpu", "1ms..20ms", "range of kernels on one SM"},
        {"copies", "two", "around each kernel: two, one, none"},
        {"sms", "10", "physical SMs", 1, max_sms},
        {"virtual-per-sm", "2", "virtual SMs per SM", 1, max_virtual_per_sm},
        {"overhead", "10", "percent of a kernel that SMs do not shorten", 0, 100},
        {"lower", "100", "percent of shortest in longest times", 0, 100},
        {"interleave", "17/10", "how much a kernel is stretched on a shared SM"}},
       "utilization",
       "0.2..3.0/0.2",
       prepare_rtgpu},
      {"blocks",
       "chains around kernels of blocks, which every way of sharing the GPU can take",
       {{"tasks", "4", "per set", 1, generation::most_block_tasks},
        {"kernels", "1", "per job", 1, 8},
        {"period", "10ms..100ms", "range of periods"},
        {"least-kernel", "30", "percent of a job that its kernels take, alone on the board", 1, 99},
        {"most-kernel", "70", "the same, at most", 1, 99},
        {"copy", "10", "percent of a job that its copies take", 0, 98},
        {"waves", "8", "rounds of blocks in which a kernel fills the GPU, at most", 1, 1000},
        {"cpus", "2", "processors", 1, 64},
        {"sms", "8", "of the GPU", 1, 1024},
        {"switch", "100us", "longest switch between two contexts"},
        {"preemption-levels", "2", "of the hardware", 1, 64}},
       "utilization",
       "0.2..2.0/0.2",
       prepare_blocks},
  };
}

}  // namespace takt::program
