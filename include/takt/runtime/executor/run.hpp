// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/host/kept_processors.hpp>
#include <takt/rules/host/stated_deadline.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/board_run.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

/// Runs tasks on this machine's threads, on a board that is composed of the rules of its pools, under a plan.
///
/// Visits of processors are threads, which consume CPU time or run the user's code; who has a processor is the decision
/// of the rule's server, made by a dispatcher. So it is for code of copies, kernels and own resources; those without
/// are emulated: their servers decide on the clock. Tokens, guards and the order of jobs are those of `takt::simulate`.
/// A job is released at the start and then once per period. Times of the result count from the start. Error: in the
/// platform, the set, the plan or the options, or `rule_serves_no_code` where a server of processors, or of visits with
/// code, does not model `ServesBodies`.
template <class P, class T, std::size_t N, std::size_t W, TraceRecorder Recorder>
requires ComposedBoard<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options, Recorder& recorder, const visit_codes& codes = {}) -> run_result {
  run_result result;
  const auto own = std::make_unique<plan<tasks_of<T>, visits_of<T>>>();
  takt::detail::copy_decisions(p, *own);
  const auto flat = flatten(board, tasks, *own);
  result.error = flat.error;
  if (!result.error) { result.error = options_fault(options, flat.table.size()); }
  if (!result.error) { result.error = takt::detail::composed_plan_fault(board, flat.table, *own); }
  if (!result.error) { result.error = located(host::thread_fault(flat.table, flat.stations), flat.table.tasks); }
  if (result.error) { return result; }
  std::vector<ticks> deadlines;
  for (std::size_t i = 0; i < flat.table.size(); ++i) {
    deadlines.push_back(host::stated_deadline(tasks, i, flat.table.tasks[i]));
  }
  detail::run_flat(board, flat, std::move(deadlines), *own, devices, options, recorder, codes, result);
  return result;
}
template <class P, class T, std::size_t N, std::size_t W>
requires ComposedBoard<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options = {}, const visit_codes& codes = {}) -> run_result {
  no_trace nothing;
  return run(board, tasks, p, devices, options, nothing, codes);
}

/// The same without devices.
template <class P, class T, std::size_t N, std::size_t W, TraceRecorder Recorder>
requires ComposedBoard<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const run_options& options,
                       Recorder& recorder, const visit_codes& codes = {}) -> run_result {
  return run(board, tasks, p, board_devices{}, options, recorder, codes);
}
template <class P, class T, std::size_t N, std::size_t W>
requires ComposedBoard<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const run_options& options = {},
                       const visit_codes& codes = {}) -> run_result {
  no_trace nothing;
  return run(board, tasks, p, options, nothing, codes);
}

}  // namespace takt::runtime
