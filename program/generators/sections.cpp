// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <takt/systems/locked_gpus/figures/studied_sets.hpp>
#include <takt/systems/locked_gpus/figures/video_graphs.hpp>

#include "generators.hpp"

namespace takt::program {

namespace {

using studies::settings;
using section_set = task_rows<gpusync_task<ticks>, max_tasks>;

/// GPUs with engines of their own, each with a lock.
[[nodiscard]] auto make_board(const settings& s, const transfer_cost& copies) -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  out->board.processors = s.number<std::int32_t>("cpus");
  for (std::int32_t g = 0; g < s.number<std::int32_t>("gpus"); ++g) {
    // Bound: the parameter is at most 8.
    out->board.gpus.unchecked_push_back({.sms = s.number<std::int32_t>("sms")});
    out->gpus.push_back(
        {.copy_engines = s.number<std::int32_t>("engines"),
         .copies = transfer_model{.chunk = 2 << 20, .to_device = copies, .to_host = copies, .peer = copies}});
  }
  out->rules.cpus = "g-fl";
  out->rules.gpus.sharing = "tokens";
  out->rules.gpus.protocol = "r2dglp";
  out->rules.gpus.tokens_per_gpu = s.number<std::int32_t>("tokens");
  out->rules.gpus.engine_order = "fifo";
  out->rules.gpus.migration = s.number("gpus") > 1 ? "peer-to-peer" : "";
  return out;
}

/// What a token section does, one after the other.
struct section_parts {
  ticks cpu_before = 0;
  ticks cpu_after = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t state = 0;
};

void add_in_section(workload_file& file, runtime_visit v) {
  v.in_section = true;
  add_visit(file, v);
}
void add_cpu(workload_file& file, ticks time, bool in_section, visit_mask after) {
  if (time == 0) { return; }
  runtime_visit v = next_visit(file, resource_kind::processor);
  v.predecessors = after;
  v.time = {time, time};
  v.known.add(visit_fact::time);
  v.in_section = in_section;
  add_visit(file, v);
}
[[nodiscard]] auto last_of(const workload_file& file) -> visit_mask {
  const std::uint32_t n = file.tasks.tasks.back().visit_count;
  return n == 0 ? 0 : visit_mask{1} << (n - 1);
}
void add_copy(workload_file& file, std::int64_t bytes, copy_direction direction) {
  if (bytes == 0) { return; }
  runtime_visit v = next_visit(file, resource_kind::copy_engine);
  v.direction = direction;
  v.bytes = bytes;
  v.known.add(visit_fact::bytes);
  add_in_section(file, v);
}

template <class Kernels>
void add_section(workload_file& file, const section_parts& parts, const Kernels& kernels) {
  add_cpu(file, parts.cpu_before, true, last_of(file));
  add_copy(file, parts.bytes_in, to_device);
  std::int64_t state = parts.state;
  for (const ticks time : kernels) {
    runtime_visit v = next_visit(file, resource_kind::gpu);
    v.wcet = time;
    v.known.add(visit_fact::wcet);
    if (state > 0) {
      v.state = state;
      v.known.add(visit_fact::state);
    }
    state = 0;
    add_in_section(file, v);
  }
  add_copy(file, parts.bytes_out, to_host);
  add_cpu(file, parts.cpu_after, true, last_of(file));
}

[[nodiscard]] auto prepare_gpusync(const settings& s) -> file_drawer {
  generation::studied_group group;
  for (const generation::studied_axis& axis : generation::studied_axes) {
    group.*axis.position = s.choice(axis.name, axis.names);
  }
  return [group, s](std::int64_t level, std::uint64_t number) {
    section_set set;
    require_drawn(generation::generate(options_of(group, level), s.seed(), number, set));
    auto out = make_board(s, {.setup = 10'000, .bytes_per_us = 6000});
    for (const auto& t : set.tasks) {
      add_task(*out, {.name = t.name, .period = t.period, .deadline = t.deadline});
      const ticks outside = t.wcet - t.cpu_in_gpu_section;
      const ticks inside = t.cpu_in_gpu_section;
      add_cpu(*out, t.gpu ? outside - outside / 2 : t.wcet, false, 0);
      if (!t.gpu) { continue; }
      add_section(*out, {inside - inside / 2, inside / 2, t.bytes_in, t.bytes_out, t.bytes_state}, t.kernels);
      add_cpu(*out, outside / 2, false, last_of(*out));
    }
    return out;
  };
}

[[nodiscard]] auto prepare_video(const settings& s) -> file_drawer {
  return [s](std::int64_t /*level*/, std::uint64_t /*number*/) {
    const generation::video_times times{.spread_percent = s.number("spread"), .cpu_percent = s.number("cpu")};
    const auto all = std::make_unique<generation::video_graphs>(generation::make_video_graphs(times));
    auto out = make_board(s, {.setup = 10'000 * (100 + times.spread_percent) / 100,
                              .bytes_per_us = 200'000 / (100 + times.spread_percent)});
    const auto& graphs = all->graphs;
    for (std::size_t g = 0; g < graphs.graphs.size(); ++g) {
      const auto& graph = graphs.graphs[g];
      add_task(*out, {.name = generation::generated_name(g), .period = graph.period, .deadline = graph.period});
      std::vector<std::uint32_t> first;
      std::vector<visit_mask> last;
      for (std::uint32_t n = graph.first_node; n < graph.first_node + graph.nodes; ++n) {
        visit_mask before = 0;
        for (const graph_edge& e : graphs.edges) {
          if (e.to == n && e.lag == 0) { before |= last[e.from - graph.first_node]; }
        }
        const auto& t = all->tasks.tasks[n];
        first.push_back(out->tasks.tasks.back().visit_count);
        add_cpu(*out, t.wcet - t.cpu_in_gpu_section, false, before);
        add_section(*out, {t.cpu_in_gpu_section, 0, t.bytes_in, t.bytes_out, t.bytes_state}, t.kernels);
        last.push_back(last_of(*out));
      }
      for (const graph_edge& e : graphs.edges) {
        if (e.lag == 0 || e.to < graph.first_node || e.to >= graph.first_node + graph.nodes) { continue; }
        const std::uint32_t from = static_cast<std::uint32_t>(std::countr_zero(last[e.from - graph.first_node]));
        const runtime_edge edge{static_cast<std::uint32_t>(g), from, first[e.to - graph.first_node], e.lag};
        if (!out->tasks.history.try_push_back(edge)) { require_drawn(model_fault::set_does_not_fit); }
      }
    }
    return out;
  };
}

[[nodiscard]] auto board_parameters(std::vector<studies::parameter> own) -> std::vector<studies::parameter> {
  return studies::with({{"cpus", "4", "processors", 1, 64},
                        {"gpus", "1", "each with engines of its own", 1, 8},
                        {"sms", "8", "of a GPU", 1, 1024},
                        {"engines", "2", "copy engines of a GPU", 1, 2},
                        {"tokens", "2", "of a GPU", 1, 64}},
                       std::move(own));
}

}  // namespace

auto section_generators() -> std::vector<file_generator> {
  return {
      {"gpusync", "tasks with one token section on locked GPUs: Elliott 2015, section 4.3.6.1",
       board_parameters({{"utilization", "medium", "of a task: light, medium, heavy"},
                         {"period", "moderate", "moderate, long"},
                         {"gpu-share", "66", "percent of the tasks with kernels: 33, 66, 100"},
                         {"kernels", "25-75", "percent of such a task: 10-25, 25-75, 75-95"},
                         {"bytes", "2MB", "of a job: 256KB, 2MB, 8MB"},
                         {"state", "25", "percent of the bytes: 0, 25, 100"}}),
       "utilization", "0.5..4.0/0.5", prepare_gpusync},
      {"video", "seventeen graphs that stabilize videos, a case study: Elliott 2015, section 5.5",
       board_parameters({{"cpus", "6", ""},
                         {"tokens", "3", ""},
                         {"spread", "25", "percent of the longest above the average times", 0, 99},
                         {"cpu", "100", "percent of the published CPU time", 0, 1000}}),
       "", "", prepare_video},
  };
}

}  // namespace takt::program
