// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/declared_deadline.hpp>
#include <takt/host/kept_processors.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/board_run.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

template <class P, class T>
[[nodiscard]] auto parts_of_plan(const P& board) -> plan_parts {
  if constexpr (ComposedBoard<P, T>) { return takt::detail::composed_plan_parts(board); }
  return chain_plan_parts<P>();
}

/// Is the check of an accelerator alone, which has no other. Only the public functions look into it, which keeps what
/// compilers print above the sentence short.
template <class P, class T>
using check_run = std::conditional_t<HasAccelerator<P>, takt::detail::check_board<P, T>, takt::detail::no_board_fault>;

/// Chains on a platform that a method knows as a whole are laid out on its pools all the same, in the order that the
/// method knows.
template <class P, class T, std::size_t N, std::size_t V>
[[nodiscard]] auto laid_out(const P& board, const T& tasks, const plan<N, V>& p) {
  if constexpr (ComposedBoard<P, T>) {
    return flatten(board, tasks, p);
  } else {
    plan<N, V> ordered = p;
    if (p.priorities.empty()) {
      plan<N> own;
      takt::detail::copy_decisions(p, own);
      const auto table = planned_table(board, tasks, own);
      ordered.priorities.resize(table.size());
      for (std::size_t k = 0; k < table.size(); ++k) {
        ordered.priorities[table.tasks[k].id] = static_cast<std::int32_t>(k);
      }
    }
    return flatten(board, tasks, ordered);
  }
}

/// Returns what keeps tasks from being laid out or a plan from fitting them. Chains are read as their method reads the
/// plan, all else as the pools do.
template <class P, class T, class Flat, std::size_t N, std::size_t W>
[[nodiscard]] auto fault_under_plan(const P& board, const T& tasks, const Flat& flat, const plan<N, W>& p)
    -> model_error {
  const model_error unfit = parts_fault(p, parts_of_plan<P, T>(board), flat.table.size(), flat.table.visits.size());
  // A part that nobody uses says more than one that does not go round.
  if (flat.error.fault == model_fault::plan_does_not_fit && unfit.fault == model_fault::plan_part_unused) {
    return unfit;
  }
  if (flat.error || unfit) { return flat.error ? flat.error : unfit; }
  if constexpr (ComposedBoard<P, T>) {
    return takt::detail::composed_plan_fault(board, flat.table, p);
  } else {
    plan<N> own;
    takt::detail::copy_decisions(p, own);
    return plan_fault(board, planned_table(board, tasks, own), own);
  }
}

template <class P, class T, std::size_t N, std::size_t W>
[[nodiscard]] auto run_kept(const P& board, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                            const run_options& options, const visit_codes& codes, trace_buffer& kept) -> run_result {
  run_result result;
  const auto own = std::make_unique<plan<tasks_of<T>, visits_of<T>>>();
  takt::detail::copy_decisions(p, *own);
  const auto flat = laid_out(board, tasks, *own);
  result.error = fault_under_plan(board, tasks, flat, *own);
  if (!result.error) { result.error = options_fault(options, flat.table.size()); }
  if (!result.error) { result.error = located(host::thread_fault(flat.table, flat.stations), flat.table.tasks); }
  if (result.error) { return result; }
  std::vector<ticks> deadlines;
  for (std::size_t i = 0; i < flat.table.size(); ++i) {
    deadlines.push_back(host::declared_deadline(flat.table.tasks[i]));
  }
  run_flat(board, flat, std::move(deadlines), *own, devices, options, codes, kept, result);
  return result;
}

}  // namespace detail

/// Runs tasks on this machine's threads, on a board that is composed of the rules of its pools, under a plan.
///
/// Visits of processors are threads, which consume CPU time or run the user's code. The rule's server decides who has a
/// processor, in a dispatcher. It does so for code of copies, kernels and own resources, too. Those without code are
/// emulated: their servers decide on the clock. Tokens, guards and the order of jobs are those of `takt::simulate`. A
/// job is released at the start and then once per period. Times of the result count from the start. Error: in the
/// platform, the set, the plan or the options, or `rule_serves_no_code` where a server of processors, or of visits with
/// code, does not model `ServesBodies`.
template <class P, class T, std::size_t N, std::size_t W, TraceRecorder Recorder>
  requires RunsOnThreads<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options, Recorder& recorder, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_run<P, T>::passed})
    -> run_result {
  trace_buffer kept = trace_buffer::for_recorder<Recorder>();
  run_result result = detail::run_kept(board, tasks, p, devices, options, codes, kept);
  detail::replay_kept(kept, recorder, result);
  return result;
}
template <class P, class T, std::size_t N, std::size_t W>
  requires RunsOnThreads<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options = {}, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_run<P, T>::passed})
    -> run_result {
  null_recorder nothing;
  return run(board, tasks, p, devices, options, nothing, codes);
}

/// Runs tasks without devices.
template <class P, class T, std::size_t N, std::size_t W, TraceRecorder Recorder>
  requires RunsOnThreads<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const run_options& options,
                       Recorder& recorder, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_run<P, T>::passed})
    -> run_result {
  return run(board, tasks, p, board_devices{}, options, recorder, codes);
}
template <class P, class T, std::size_t N, std::size_t W>
  requires RunsOnThreads<P, T>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, const run_options& options = {},
                       const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_run<P, T>::passed})
    -> run_result {
  null_recorder nothing;
  return run(board, tasks, p, options, nothing, codes);
}

}  // namespace takt::inline TAKT_ABI::runtime
