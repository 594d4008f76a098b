// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/accelerator.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/task_table.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

// Flat tables of published systems, and sets by hand, as run-time workloads.
namespace takt_tests {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;

/// Visits of a task one after the other.
template <class RuntimeTasks>
class runtime_builder {
 public:
  constexpr auto task(takt::runtime_task t) -> runtime_builder& {
    if (t.deadline == 0) { t.deadline = t.period; }
    good_ = out_.add_task(t) && good_;
    return *this;
  }
  constexpr auto visit(takt::runtime_visit v) -> runtime_builder& {
    const std::uint32_t p = out_.tasks.back().visit_count;
    v.predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1);
    good_ = out_.add_visit(v) && good_;
    return *this;
  }
  constexpr auto cpu(ticks lower, ticks upper) -> runtime_builder& {
    takt::runtime_visit v{.time = {lower, upper}};
    v.known.add(visit_fact::time);
    return visit(v);
  }
  constexpr auto copy(ticks lower, ticks upper, takt::copy_direction way = takt::copy_direction::unspecified)
      -> runtime_builder& {
    takt::runtime_visit v{.where = resource_kind::copy_engine, .direction = way, .time = {lower, upper}};
    v.known.add(visit_fact::time);
    return visit(v);
  }
  constexpr auto work(ticks lower, ticks upper) -> runtime_builder& {
    takt::runtime_visit v{.where = resource_kind::gpu, .work = {lower, upper}, .interleave_numerator = 1};
    v.known.add(visit_fact::work);
    v.known.add(visit_fact::interleave);
    return visit(v);
  }
  constexpr auto whole(ticks wcet) -> runtime_builder& {
    takt::runtime_visit v{.where = resource_kind::gpu, .wcet = wcet};
    v.known.add(visit_fact::wcet);
    return visit(v);
  }
  [[nodiscard]] constexpr auto done() const -> const RuntimeTasks& { return out_; }
  [[nodiscard]] constexpr auto good() const -> bool { return good_; }

 private:
  RuntimeTasks out_{};
  bool good_ = true;
};

/// Sizes of a board, with GPUs whose rule is left out.
[[nodiscard]] inline auto hardware_of(const takt::platform_record& p) -> takt::hardware {
  takt::hardware out;
  out.processors = p.cores;
  out.copy_engines = p.copy_engines;
  for (const takt::gpu_record& g : p.gpus) {
    out.gpus.unchecked_push_back(
        {.sms = g.sms, .virtual_per_sm = g.virtual_per_sm, .granularity = g.granularity, .speed = g.speed});
  }
  return out;
}

/// Chains in the given order. The table's order must be the given one.
template <std::size_t N, std::size_t M, std::size_t S>
[[nodiscard]] auto runtime_of(const takt::task_table<ticks, N, M, S>& table) {
  takt::runtime_task_set<N, M, 4, S + 8> out;
  for (const auto& sample : table.samples) { out.samples.unchecked_push_back(sample); }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    out.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority, .core = t.core});
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(i, j);
      takt::runtime_visit v{.direction = s.direction, .predecessors = j == 0 ? 0 : takt::visit_mask{1} << (j - 1)};
      v.where = s.where == takt::stage::cpu    ? resource_kind::processor
                : s.where == takt::stage::copy ? resource_kind::copy_engine
                                               : resource_kind::gpu;
      if (s.where != takt::stage::kernel) {
        v.known.add(visit_fact::time);
        v.time = s.time;
      } else if (s.samples > 0) {
        v.known.add(visit_fact::times_on_sms);
        v.first_sample = s.first_sample;
        v.samples = s.samples;
      } else {
        v.known.add(visit_fact::work);
        v.known.add(visit_fact::overhead);
        if (s.interleave_numerator != takt::unsaid_interleave) { v.known.add(visit_fact::interleave); }
        v.work = s.time;
        v.overhead = s.overhead;
        v.interleave_numerator = s.interleave_numerator;
        v.interleave_denominator = s.interleave_denominator;
        v.any_neighbour = s.any_neighbour;
      }
      out.add_visit(v);
    }
  }
  return out;
}

/// Whole kernels, with a cost of stopping each.
template <std::size_t N>
[[nodiscard]] auto runtime_of(const takt::task_rows<takt::accelerator_task<ticks>, N>& table) {
  takt::runtime_task_set<N, N> out;
  for (const auto& t : table.tasks) {
    out.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority});
    takt::runtime_visit v{.where = resource_kind::gpu, .wcet = t.wcet, .preemption_cost = t.preemption_cost};
    v.known.add(visit_fact::wcet);
    v.known.add(visit_fact::preemption_cost);
    v.known.add(visit_fact::pinning);
    v.width = t.width;
    v.sm = t.core;
    out.add_visit(v);
  }
  return out;
}

/// Applications. Their priorities must be different.
template <std::size_t N>
[[nodiscard]] auto runtime_of(const takt::application_set<N>& table) {
  takt::runtime_task_set<N, N> out;
  std::int32_t least = table.tasks[0].priority;
  std::int32_t greatest = least;
  for (const auto& t : table.tasks) {
    least = t.priority < least ? t.priority : least;
    greatest = greatest < t.priority ? t.priority : greatest;
  }
  for (const auto& t : table.tasks) {
    out.add_task({.name = t.name,
                  .period = t.period,
                  .deadline = t.deadline,
                  .priority = least + greatest - t.priority,
                  .memory = t.memory.bytes()});
    takt::runtime_visit v{.where = resource_kind::gpu};
    v.known.add(visit_fact::wcet_by_share);
    v.row = static_cast<std::uint32_t>(out.rows.size());
    out.rows.unchecked_push_back(t.alone);
    out.add_visit(v);
  }
  return out;
}

/// Tasks on locked GPUs, with half of the CPU time outside of the section before it.
template <std::size_t N, std::size_t K>
[[nodiscard]] auto runtime_of(const takt::task_rows<takt::gpusync_task<ticks, K>, N>& table) {
  runtime_builder<takt::runtime_task_set<N, 16 * N>> out;
  for (const auto& t : table.tasks) {
    out.task(
        {.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority, .core = t.cpu_cluster});
    const ticks outside = t.wcet - t.cpu_in_gpu_section;
    const auto in_section = [&](takt::runtime_visit v) {
      v.in_section = true;
      out.visit(v);
    };
    const auto bytes = [&](std::int64_t count, takt::copy_direction way) {
      takt::runtime_visit v{.where = resource_kind::copy_engine, .direction = way, .bytes = count};
      v.known.add(visit_fact::bytes);
      if (count > 0) { in_section(v); }
    };
    const auto cpu = [](ticks time) {
      takt::runtime_visit v{.time = {0, time}};
      v.known.add(visit_fact::time);
      return v;
    };
    out.visit(cpu(outside / 2));
    if (t.uses_gpu()) {
      bytes(t.bytes_in, takt::to_device);
      in_section(cpu(t.cpu_in_gpu_section));
      for (std::size_t k = 0; k < t.kernels.size(); ++k) {
        takt::runtime_visit v{.where = resource_kind::gpu, .wcet = t.kernels[k]};
        v.known.add(visit_fact::wcet);
        v.known.add(visit_fact::state);
        v.state = k == 0 ? t.bytes_state : 0;
        in_section(v);
      }
      bytes(t.bytes_out, takt::to_host);
    }
    out.visit(cpu(outside - outside / 2));
  }
  return out.done();
}

/// Refined graphs, or others without kernels that are split. Edges without a lag must lead to later nodes.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto runtime_of(const takt::graph_table<ticks, N, E, G>& table) {
  takt::runtime_task_set<G, N, 4, 8> out;
  for (const auto& g : table.graphs) {
    out.add_task({.name = g.name, .period = g.period, .deadline = g.period, .limited = false, .core = g.cluster});
    for (std::uint32_t p = 0; p < g.nodes; ++p) {
      const auto& n = table.nodes[g.first_node + p];
      takt::runtime_visit v{.name = n.name, .parallelism = n.parallelism, .point = n.point};
      for (const auto& e : table.edges) {
        if (e.to == g.first_node + p && e.lag == 0) {
          v.predecessors |= takt::visit_mask{1} << (e.from - g.first_node);
        }
      }
      if (n.kind == takt::node_kind::kernel) {
        v.where = resource_kind::gpu;
        v.known.add(visit_fact::grid);
        v.known.add(visit_fact::block_length);
        v.blocks = n.blocks;
        v.threads = n.block_threads;
        v.block_length = n.block_length;
      } else {
        v.where = n.kind == takt::node_kind::copy ? resource_kind::copy_engine : resource_kind::processor;
        v.known.add(visit_fact::time);
        v.time = {0, n.wcet};
      }
      out.add_visit(v);
    }
    for (const auto& e : table.edges) {
      if (e.lag == 0 || table.nodes[e.from].graph != out.size() - 1) { continue; }
      out.history.unchecked_push_back(
          {static_cast<std::uint32_t>(out.size() - 1), e.from - g.first_node, e.to - g.first_node, e.lag});
    }
  }
  return out;
}

}  // namespace takt_tests
