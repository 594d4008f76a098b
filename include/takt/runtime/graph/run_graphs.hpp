// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/graph/flat_graphs.hpp>
#include <takt/runtime/graph/graph_devices.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/graph/graph_run.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Parts of a plan that a run of graphs uses on a board.
template <class P>
[[nodiscard]] auto graph_plan_parts(const P& board) -> plan_parts {
  plan_parts out = parts_of_graphs;
  std::int32_t gpus = 0;
  board.each([&](const auto& p) {
    using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
    gpus += facts::runs_kernels(p) ? 1 : 0;
    if constexpr (!GlobalRule<typename std::remove_cvref_t<decltype(p)>::rule_type>) {
      out.priorities = out.priorities || (facts::is_processors(p) && facts::reads_priorities(p));
    }
  });
  out.shares = gpus > 1;
  return out;
}

/// Returns refined graphs whose nodes have the points of the rule of the processors, if any, in whole ticks.
template <class P, class Table>
[[nodiscard]] auto refine_to_run(const P& board, const Table& table, const graph_platform& record,
                                 refined_table<Table>& out) -> bool {
  using rule = takt::detail::global_rule_of<P>;
  out = refine(table, record.placement());
  if constexpr (GlobalRule<rule>) { return set_whole_points(out, record, rule::policy); }
  (void)board;
  return true;
}

template <Platform P, GraphSet T, std::size_t N, std::size_t V>
[[nodiscard]] auto run_kept_graphs(const P& platform, const T& graphs, const plan<N, V>& p,
                                   const graph_devices& devices, const graph_run_options& options,
                                   const graph_code& code, trace_buffer& kept) -> graph_run_result {
  graph_run_result result;
  const auto& table = graphs.template flat<ticks>();
  graph_platform record = graph_platform_of(platform);
  if (record.gpus_differ) { record.sms = record.threads_per_sm = max_units; }  // each kernel is laid on its own
  record.gpus_differ = false;
  refined_table<std::remove_cvref_t<decltype(table)>> refined;
  result.error = platform.validate();
  if (!result.error) { result.error = fault_of_graphs(graphs); }
  if constexpr (GlobalRule<takt::detail::global_rule_of<P>>) {
    if (!result.error) { result.error = located(fits(table, record), table.graphs); }
  }
  if (!result.error) { result.error = graph_options_fault(options); }
  if (!result.error && !refine_to_run(platform, table, record, refined)) {
    result.error = {.fault = model_fault::time_overflow};
  }
  if (result.error) { return result; }
  const graph_layout laid = make_graph_layout(refined, p, options, graph_plan_parts(platform));
  result.error = located(laid.error, refined.graphs);
  if (result.error) { return result; }
  if (!laid.sound_uses || !well_bound(table, code, options.uses) || !well_expected_graphs(refined, options.expected)) {
    result.ended = observation_status::wrong_binding;
    return result;
  }
  const auto flat = std::make_unique<flat_graphs>();
  graph_flattener<P>{platform, laid, p, *flat}.run();
  result.error = flat->error;
  if (!result.error) { run_laid_out(platform, p, laid, *flat, devices, options, code, kept, result); }
  result.error = located(result.error, refined.graphs);
  return result;
}

}  // namespace detail

/// Runs graphs under a plan on this machine's threads, on the devices that serve pools of the board and, where none
/// does, on emulated ones. Every graph is invoked for the first time at the start and then once per period. Every
/// invocation runs to its end.
///
/// The plan is that of a verdict. Each node has an offset and as many instances as jobs of it can be under way, each
/// with a thread or a stream of its own. Who has a processor or an engine is the decision of the rule's server, made by
/// a dispatcher. Kernels and copies go through the guard of their node into the queue of the GPU or of the engines. A
/// plan also says on which GPU the kernels of a graph run where there are several, by `shares`, and the priorities of
/// graphs where processors go by priority. Blocks with code are called on threads of the host. What the machine itself
/// adds, to wake threads up or by running something else, is in no bound. What the run is to be compared with stands in
/// `options.expected`: see `expect`. Times of the trace and the result count from the start; `task` in the trace is the
/// position in the refined table. A platform whose rules are not enforced here does not compile. Error: see
/// `observation_status`. Source: Yang et al. 2018, section 5.1; Elliott 2015, section 5.4.1.
template <Platform P, GraphSet T, std::size_t N, std::size_t V, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_devices& devices,
                       const graph_run_options& options, Recorder& recorder, const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  graph_run_result result;
  if constexpr (detail::check_graph_run<P>::passed) {
    trace_buffer kept = trace_buffer::for_recorder<Recorder>();
    result = detail::run_kept_graphs(platform, graphs, p, devices, options, code, kept);
    detail::replay_kept(kept, recorder, result);
  }
  return result;
}

template <Platform P, GraphSet T, std::size_t N, std::size_t V>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_devices& devices,
                       const graph_run_options& options = {}, const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  null_recorder nothing;
  return run(platform, graphs, p, devices, options, nothing, code);
}

/// Runs graphs without devices.
template <Platform P, GraphSet T, std::size_t N, std::size_t V, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_run_options& options,
                       Recorder& recorder, const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  return run(platform, graphs, p, graph_devices{}, options, recorder, code);
}
template <Platform P, GraphSet T, std::size_t N, std::size_t V>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_run_options& options = {},
                       const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  null_recorder nothing;
  return run(platform, graphs, p, graph_devices{}, options, nothing, code);
}

}  // namespace takt::inline TAKT_ABI::runtime
