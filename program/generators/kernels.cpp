// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/systems/graphs/figures/random_loads.hpp>

#include "../failure.hpp"
#include "generators.hpp"

namespace takt::program {

namespace {

using studies::settings;
using kernel_set = task_rows<accelerator_task<ticks>, max_tasks>;
using block_set = task_rows<block_kernel<ticks>, max_tasks>;

[[nodiscard]] auto periods_of(const settings& s) -> generation::period_choices {
  generation::period_choices out;
  for (const ticks period : times_of(s, "periods")) {
    if (!out.try_push_back(period) || period < 1) {
      throw input_error{"periods", "are not 1 to 32 times above 0", "a list such as 12ms,15ms"};
    }
  }
  return out;
}

/// A GPU whose SMs, or which as a whole, run one kernel at a time.
[[nodiscard]] auto make_file(std::int32_t sms, std::string_view sharing, const kernel_set& set)
    -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  // Bound: the first.
  out->board.gpus.unchecked_push_back({.sms = sms, .preemption_levels = 2});
  out->gpus.emplace_back();
  out->rules.gpus.sharing = sharing;
  out->rules.gpus.policy = "edf";
  for (const accelerator_task<ticks>& t : set.tasks) {
    add_task(*out, {.name = t.name, .period = t.period, .deadline = t.deadline});
    runtime_visit v = next_visit(*out, resource_kind::gpu);
    v.wcet = t.wcet;
    v.preemption_cost = t.preemption_cost;
    v.width = t.width;
    v.sm = t.core;
    for (const visit_fact f : {visit_fact::wcet, visit_fact::preemption_cost, visit_fact::pinning}) { v.known.add(f); }
    add_visit(*out, v);
  }
  return out;
}

[[nodiscard]] auto prepare_accelerator(const settings& s) -> file_drawer {
  generation::accelerator_set_options o;
  o.cores = s.number<std::int32_t>("sms");
  o.tasks_per_core = s.number<std::int32_t>("tasks-per-sm");
  o.gang_tasks = s.number<std::int32_t>("gang-tasks");
  o.periods = periods_of(s);
  o.least_deadline_percent = s.number<std::int32_t>("deadline");
  o.wave_percent = s.number<std::int32_t>("wave");
  return [o, part = s.number("gang-part"), seed = s.seed()](std::int64_t level, std::uint64_t number) {
    generation::accelerator_set_options at = o;
    at.gang_utilization_permille = static_cast<std::int32_t>(level * part / 100);
    at.core_utilization_permille = static_cast<std::int32_t>(level) - at.gang_utilization_permille;
    kernel_set set;
    require_drawn(generation::generate(at, seed, number, set));
    return make_file(at.cores, "gang", set);
  };
}

[[nodiscard]] auto prepare_waves(const settings& s) -> file_drawer {
  return [periods = periods_of(s), waves = s.number("waves")](std::int64_t level, std::uint64_t /*number*/) {
    kernel_set set;
    require_drawn(generation::equal_kernels(periods, level, waves, set));
    return make_file(1, "levels", set);
  };
}

/// Shares of a load for so many tasks.
[[nodiscard]] auto draw_loads(random_stream& random, std::int64_t level, std::size_t tasks)
    -> inline_vector<ticks, max_tasks> {
  inline_vector<ticks, max_tasks> out;
  if (!generation::uunifast(random, level * 1000, tasks, out)) { require_drawn(model_fault::options_out_of_range); }
  return out;
}

[[nodiscard]] auto prepare_block_kernels(const settings& s) -> file_drawer {
  const block_gpu gpu{.sms = s.number<std::int32_t>("sms"), .threads_per_sm = 2048};
  return [gpu, tasks = s.number<std::size_t>("tasks"), seed = s.seed()](std::int64_t level, std::uint64_t number) {
    random_stream random{seed ^ random_stream{number}.next()};
    const auto loads = draw_loads(random, level, tasks);
    block_set set;
    generation::draw_kernels(
        random, loads, [&gpu](const block_set& of) { return analysis::thread_capacity(of, gpu); }, set);
    auto out = std::make_unique<workload_file>();
    // Bound: the first.
    out->board.gpus.unchecked_push_back(
        {.sms = gpu.sms, .threads_per_sm = static_cast<std::int32_t>(gpu.threads_per_sm), .blocks_per_sm = 32});
    out->gpus.emplace_back();
    out->rules.gpus.sharing = "fifo-blocks";
    out->rules.cpus = "g-edf";
    out->rules.pipelined = true;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto& k = set.tasks[i];
      add_task(*out, {.name = generation::generated_name(i), .period = k.period, .deadline = k.period});
      runtime_visit v = next_visit(*out, resource_kind::gpu);
      v.blocks = k.blocks;
      v.threads = static_cast<std::int32_t>(k.threads);
      v.block_length = k.length;
      for (const visit_fact f : {visit_fact::grid, visit_fact::block_length}) { v.known.add(f); }
      add_visit(*out, v);
    }
    return out;
  };
}

[[nodiscard]] auto prepare_overlapping(const settings& s) -> file_drawer {
  return [processors = s.number<std::int32_t>("cpus"), tasks = s.number<std::size_t>("tasks"), seed = s.seed()](
             std::int64_t level, std::uint64_t number) {
    random_stream random{seed ^ random_stream{number}.next()};
    const auto loads = draw_loads(random, level, tasks);
    task_rows<gel_task<ticks>, max_tasks> set;
    generation::draw_overlapping(random, loads, processors, set);
    auto out = std::make_unique<workload_file>();
    out->board.processors = processors;
    out->rules.cpus = "g-edf";
    out->rules.pipelined = true;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto& t = set.tasks[i];
      add_task(*out, {.name = generation::generated_name(i), .period = t.period, .deadline = t.deadline});
      add_timed_visit(*out, resource_kind::processor, t.wcet);
    }
    return out;
  };
}

}  // namespace

auto kernel_generators() -> std::vector<file_generator> {
  return {
      {"accelerator",
       "kernels for one SM and kernels for all of them: Zahaf and Lipari 2020, section 7.1",
       {{"sms", "2", "of the accelerator", 1, 64},
        {"tasks-per-sm", "3", "pinned to each SM", 0, 64},
        {"gang-tasks", "3", "on all SMs", 0, 64},
        {"gang-part", "50", "percent of the utilization that is of gang tasks", 0, 100},
        {"periods", "10ms,15ms,20ms,30ms,50ms,60ms,80ms,100ms", "from which one is drawn; not printed in the paper"},
        {"deadline", "75", "shortest, in percent of the period", 1, 100},
        {"wave", "0", "percent of a kernel that a preemption waits for", 0, 100}},
       "utilization",
       "0.1..1.0/0.1",
       prepare_accelerator},
      {"waves",
       "one kernel under several periods, in waves that fill the GPU: Zahaf and Lipari 2020, Fig. 9",
       {{"periods", "20ms,40ms,60ms", "of the tasks; not printed in the paper"},
        {"waves", "5", "of a kernel", 1, 1'000'000}},
       "utilization",
       "0.1..1.0/0.1",
       prepare_waves},
      {"block-kernels",
       "kernels in a queue of blocks, by their load over the capacity: for the bounds of Yang et al. 2018",
       {{"tasks", "10", "per set", 1, max_tasks}, {"sms", "6", "of the GPU", 1, 1024}},
       "load",
       "0.1..1.0/0.1",
       prepare_block_kernels},
      {"overlapping",
       "tasks of CPUs whose jobs may overlap: for the bounds of Yang et al. 2018",
       {{"tasks", "10", "per set", 1, max_tasks}, {"cpus", "4", "processors", 1, 64}},
       "load",
       "0.1..1.0/0.1",
       prepare_overlapping},
  };
}

}  // namespace takt::program
