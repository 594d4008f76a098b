// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <vector>

#include <takt/generation/generated_name.hpp>
#include <takt/systems/graphs/figures/hog.hpp>

#include "generators.hpp"

namespace takt::program {

namespace {

using studies::settings;

/// A node of a kernel is its launch, its blocks and its await; so many scales fit into the steps of a task.
constexpr std::int64_t most_scales = 4;
constexpr std::size_t nodes_of_scale = 5;

void add_cpu(workload_file& file, ticks time, visit_mask after) {
  runtime_visit v = next_visit(file, resource_kind::processor);
  v.predecessors = after;
  v.time = {time, time};
  v.known.add(visit_fact::time);
  add_visit(file, v);
}

[[nodiscard]] auto last_of(const workload_file& file) -> visit_mask {
  return visit_mask{1} << (file.tasks.tasks.back().visit_count - 1);
}

void add_kernel(workload_file& file, const graph_node<ticks>& node, visit_mask after) {
  add_cpu(file, node.launch, after);
  runtime_visit v = next_visit(file, resource_kind::gpu);
  v.blocks = node.blocks;
  v.threads = node.block_threads;
  v.block_length = node.block_length;
  for (const visit_fact f : {visit_fact::grid, visit_fact::block_length}) { v.known.add(f); }
  add_visit(file, v);
  add_cpu(file, node.await, last_of(file));
}

[[nodiscard]] auto prepare_hog(const settings& s) -> file_drawer {
  return [s](std::int64_t /*level*/, std::uint64_t /*number*/) {
    const auto table = std::make_unique<generation::hog_table<1>>(generation::hog_graphs<1>());
    auto out = std::make_unique<workload_file>();
    out->board.processors = s.number<std::int32_t>("cpus");
    // Bound: the first.
    out->board.gpus.unchecked_push_back(
        {.sms = s.number<std::int32_t>("sms"), .threads_per_sm = 2048, .blocks_per_sm = 32});
    out->gpus.emplace_back();
    out->rules.cpus = "g-fl";
    out->rules.pipelined = true;
    out->rules.gpus.sharing = "fifo-blocks";
    const auto scales = s.number<std::size_t>("scales");
    for (std::size_t camera = 0; camera < s.number<std::size_t>("cameras"); ++camera) {
      add_task(*out, {.name = generation::generated_name(camera),
                      .period = generation::hog_period,
                      .deadline = s.number("deadline") * generation::hog_period});
      add_cpu(*out, table->nodes[0].wcet, 0);
      add_cpu(*out, table->nodes[1].wcet, last_of(*out));
      const visit_mask divided = last_of(*out);
      visit_mask done = 0;
      for (std::size_t scale = 0; scale < scales; ++scale) {
        for (std::size_t k = 0; k < nodes_of_scale; ++k) {
          add_kernel(*out, table->nodes[2 + scale * nodes_of_scale + k], k == 0 ? divided : last_of(*out));
        }
        done |= last_of(*out);
      }
      add_cpu(*out, table->nodes.back().wcet, done);
    }
    return out;
  };
}

}  // namespace

auto graph_generators() -> std::vector<file_generator> {
  return {
      {"hog",
       "graphs that detect pedestrians, by cameras, their largest scales: Yang et al. 2018, section 5; times made up",
       {{"cameras", "1", "a graph each", 1, 9},
        {"scales", "4", "of 13: a task of a file has 64 steps", 1, most_scales},
        {"deadline", "6", "periods until the deadline", 1, 1000},
        {"cpus", "6", "processors", 1, 64},
        {"sms", "80", "of the GPU", 1, 1024}},
       "",
       "",
       prepare_hog},
  };
}

}  // namespace takt::program
