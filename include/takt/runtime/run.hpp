// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Runs chains as `run` does on devices of single pools, here on one device that serves all GPUs of the board, and its
/// copy engines where it has some. A platform whose rules are not enforced does not compile. Error: as there, and
/// `wrong_device` where the board has nothing for a device.
template <Platform P, TaskSet T, std::size_t N, std::size_t W, ServesBoards D, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, D& device, const run_options& options,
                       Recorder& recorder, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_chain_run<P, T>::passed && detail::check_turns<P, D>::passed &&
                           takt::detail::check_chains<T>::passed}) -> run_result {
  run_result result;
  if constexpr (RunsOnThreads<P, T> && detail::check_turns<P, D>::passed && !AcceleratorTaskSet<T>) {
    board_devices devices;
    devices.all_pools(board, device);
    if (!devices.all().empty()) { return run(board, tasks, p, devices, options, recorder, codes); }
    result.ended = observation_status::wrong_device;
  }
  return result;
}

template <Platform P, TaskSet T, std::size_t N, std::size_t W, ServesBoards D>
[[nodiscard]] auto run(const P& board, const T& tasks, const plan<N, W>& p, D& device, const run_options& options = {},
                       const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_chain_run<P, T>::passed && detail::check_turns<P, D>::passed &&
                           takt::detail::check_chains<T>::passed}) -> run_result {
  null_recorder nothing;
  return run(board, tasks, p, device, options, nothing, codes);
}

}  // namespace takt::inline TAKT_ABI::runtime
