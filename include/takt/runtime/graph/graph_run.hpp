// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/emulated_block_device.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/board_run.hpp>
#include <takt/runtime/executor/stream_device.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/graph/flat_graphs.hpp>
#include <takt/runtime/graph/graph_devices.hpp>
#include <takt/runtime/graph/graph_flow.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Returns whether code and uses are of something that was described.
template <class Table>
[[nodiscard]] auto well_bound(const Table& table, const graph_code& code, const std::vector<graph_use>& uses) -> bool {
  const auto all = [&table](const auto& bodies, auto fits) {
    return std::ranges::all_of(bodies, [&](const auto& entry) {
      const auto& [owner, segment, part] = entry.first;
      return entry.second && std::ranges::any_of(table.nodes, [&](const graph_node<ticks>& n) {
               return n.owner == owner && n.segment == segment && fits(n, part);
             });
    });
  };
  const auto on_cpu = [](const graph_node<ticks>& n, node_part part) {
    const bool around_kernel = n.kind == node_kind::kernel && n.split;
    return (n.kind == node_kind::processor && part == node_part::whole) ||
           (around_kernel && (part == node_part::launch || part == node_part::await));
  };
  const auto is = [](node_kind kind) {
    return [kind](const graph_node<ticks>& n, node_part) { return n.kind == kind; };
  };
  const auto of_graph = [&table](const auto& entry) { return entry.first < table.graphs.size() && entry.second; };
  return all(code.jobs(), on_cpu) && all(code.copies(), is(node_kind::copy)) &&
         all(code.blocks(), is(node_kind::kernel)) && std::ranges::all_of(code.inputs(), of_graph) &&
         std::ranges::all_of(code.outputs(), of_graph) &&
         std::ranges::all_of(uses, [&table](const graph_use& u) { return u.graph < table.graphs.size(); });
}

/// Returns whether expectations are of graphs, and of nodes of the refined ones, that there are.
template <class Table>
[[nodiscard]] auto well_expected_graphs(const Table& refined, const std::vector<expectation>& expected) -> bool {
  if (expected.size() > refined.graphs.size()) { return false; }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].visits.size() > refined.graphs[i].nodes) { return false; }
  }
  return true;
}

[[nodiscard]] inline auto graph_options_fault(const graph_run_options& options) -> model_error {
  const auto with_value = [](model_fault fault, std::int64_t value) {
    return model_error{.fault = fault, .value = value, .has_value = true};
  };
  if (options.drain.count() != 0) { return {.fault = model_fault::option_unused, .name = "drain"}; }
  if (const auto error = options_fault(options, 0)) { return error; }
  // Jobs of graphs are not abandoned, and what is under way at the end is delivered.
  const bool served = !abandons_job(options.at_violation) && options.stop_when_idle == nullptr;
  if (!served) { return {.fault = model_fault::violation_not_handled}; }
  if (options.block_threads < 1) { return with_value(model_fault::threads_not_positive, options.block_threads); }
  if (options.copies < 0) { return with_value(model_fault::negative_copies, options.copies); }
  return {};
}

inline constexpr std::int32_t most_gpu_threads = 1024;

/// Returns what each task of laid out graphs is on a device.
[[nodiscard]] inline auto lanes_of_nodes(const graph_layout& laid, const flat_graphs& flat) -> std::vector<node_lane> {
  std::vector<node_lane> out;
  for (std::uint32_t t = 0; t < flat.jobs.size(); ++t) {
    const node_instance& who = flat.jobs[t];
    const laid_graph& g = laid.graphs[who.graph];
    node_lane& own = out.emplace_back();
    if (who.node >= g.input()) {
      own.job = g.job(who.graph, who.node == g.input() ? input_node : output_node, 0);
      continue;
    }
    const graph_node<ticks>& n = laid.nodes[g.record.first_node + who.node].node;
    own = {{n.owner, n.segment}, g.job(who.graph, n.owner, 0), flat.stations[flat.table.visits[t].station].pool};
  }
  return out;
}

/// Returns code of jobs in place of the visits of their tasks.
[[nodiscard]] inline auto codes_of_nodes(const graph_layout& laid, const flat_graphs& flat, const graph_code& code)
    -> visit_codes {
  visit_codes out;
  const auto find = [](const auto& bodies, const auto& key) -> const graph_code::job_body* {
    const auto found = bodies.find(key);
    return found == bodies.end() ? nullptr : &found->second;
  };
  for (std::uint32_t t = 0; t < flat.jobs.size(); ++t) {
    const node_instance& who = flat.jobs[t];
    const laid_graph& g = laid.graphs[who.graph];
    const graph_code::job_body* body = nullptr;
    std::uint32_t node = who.node == g.input() ? input_node : output_node;
    bool on_cpu = false;
    if (who.node == g.input()) {
      body = find(code.inputs(), who.graph);
    } else if (who.node == g.output()) {
      body = find(code.outputs(), who.graph);
    } else {
      const graph_node<ticks>& n = laid.nodes[g.record.first_node + who.node].node;
      node = n.owner;
      on_cpu = n.kind == node_kind::processor;
      body = n.kind == node_kind::junction ? nullptr : code.body_of({n.owner, n.segment, n.part});
    }
    if (body == nullptr) { continue; }
    const auto call = [body, &g, graph = who.graph, node](std::uint64_t job) {
      (*body)(g.job(graph, node, static_cast<std::int64_t>(job)));
    };
    if (on_cpu) {
      out.cpu(t, 0, call);
    } else {
      out.on_unit(t, 0, [call](std::uint64_t job, pause_point& /*here*/) { call(job); });
    }
  }
  return out;
}

/// Holds GPUs of the host's threads, one for each pool with kernels whose blocks have code.
class host_gpus {
 public:
  /// Adds them to `out`. Error: `wrong_binding` where a pool has a device already, `wrong_device` where it has more SMs
  /// than an emulated one or no slots for blocks, `no_threads` for too many of these. Pre: all outlive it.
  template <class P>
  [[nodiscard]] auto serve(const P& board, const graph_layout& laid, const graph_code& code,
                           const graph_run_options& options, const std::vector<node_lane>& lanes, board_devices& out)
      -> std::optional<observation_status> {
    std::uint32_t pool = 0;
    std::optional<observation_status> why;
    board.each([&](const auto& p) {
      const std::uint32_t at = pool++;
      using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
      const bool has_code = facts::runs_kernels(p) && std::ranges::any_of(lanes, [&](const node_lane& l) {
                              return l.pool == at && blocks_of(code, l.node) != nullptr;
                            });
      if (!has_code || why) { return; }
      why = observation_status::wrong_device;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(p.resource)>, block_slots_resource>) {
        why = serve_pool(at, p.resource, laid, code, options, lanes, out);
      }
    });
    return why;
  }

 private:
  using kernels = kernels_of_streams<emulated_block_device>;

  [[nodiscard]] static auto blocks_of(const graph_code& code, const visit_position& at)
      -> const graph_code::block_body* {
    const auto found = code.blocks().find({at.first, at.second, node_part::kernel});
    return found == code.blocks().end() ? nullptr : &found->second;
  }
  [[nodiscard]] auto serve_pool(std::uint32_t pool, const block_slots_resource& slots, const graph_layout& laid,
                                const graph_code& code, const graph_run_options& options,
                                const std::vector<node_lane>& lanes, board_devices& out)
      -> std::optional<observation_status> {
    if (out.all().contains(pool)) { return observation_status::wrong_binding; }
    if (slots.sms > static_cast<std::int32_t>(emulated_block_device::most_sms)) {
      return observation_status::wrong_device;
    }
    if (options.block_threads > most_gpu_threads) { return observation_status::no_threads; }
    graph_devices::makers<kernels::work> works;
    for (const laid_node& l : laid.nodes) {
      const graph_node<ticks>& n = l.node;
      const graph_code::block_body* const body = blocks_of(code, {n.owner, n.segment});
      if (n.kind != node_kind::kernel || body == nullptr) { continue; }
      works[{n.owner, n.segment}] = [&n, body](const graph_job& job) {
        return emulated_kernel{n.blocks, n.block_threads, [body, job](std::int64_t block) { (*body)(job, block); }};
      };
    }
    gpus_.push_back(std::make_unique<emulated_block_device>(slots, options.block_threads));
    graph_devices::serve<kernels>(pool, *gpus_.back(), works, lanes, out);
    return std::nullopt;
  }

  std::vector<std::unique_ptr<emulated_block_device>> gpus_;
};

/// Returns the entries of a trace: all blocks of all jobs.
[[nodiscard]] inline auto graph_entries(const graph_layout& laid, const graph_run_options& options) -> std::size_t {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  std::int64_t sum = 64;
  for (const laid_node& n : laid.nodes) {
    const std::int64_t jobs = invocations_of(options, laid.graphs[n.node.graph].record.period);
    const std::int64_t each = 2 + std::min(n.node.blocks, most);
    sum = jobs > (most - sum) / each ? most : sum + jobs * each;
  }
  return static_cast<std::size_t>(sum);
}

/// Runs graphs that are laid out and lie on the stations of a board, as every board is run. What was invoked when the
/// options stop the run is delivered first.
template <class P, std::size_t N, std::size_t V>
void run_laid_out(const P& board, const plan<N, V>& p, const graph_layout& laid, const flat_graphs& flat,
                  const graph_devices& devices, const graph_run_options& options, const graph_code& code,
                  trace_buffer& kept, graph_run_result& result) {
  const std::vector<node_lane> lanes = lanes_of_nodes(laid, flat);
  host_gpus own;
  board_devices served;
  const bool well_bound = devices.bind(lanes, served);
  const auto why = own.serve(board, laid, code, options, lanes, served);
  if (!well_bound || why) {
    result.ended = well_bound ? *why : observation_status::wrong_binding;
    return;
  }
  run_options how = options;
  how.expected.clear();
  how.stop = nullptr;
  how.stop_when_idle = options.stop;
  const visit_codes codes = codes_of_nodes(laid, flat, code);
  board_run<P, flat_graphs, graph_flow> one{board, flat, how, codes, {board, p, served, options.patience.count()},
                                            kept};
  std::optional<graph_log> log;
  const auto make = [&](carried_visits carried, trace_buffer& trace) {
    if (options.copies > 0) {
      result.notes.push_back("room: " + std::to_string(std::min(options.copies, most_instances)) +
                             " copies by request: where nodes wait for one, bounds need not hold");
    }
    log.emplace(laid, options, trace, result);
    return std::make_unique<graph_flow>(laid, flat, options, *log, std::move(carried));
  };
  run_if_served(one, flat.offsets, flat.points, make, graph_entries(laid, options), how, result);
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
