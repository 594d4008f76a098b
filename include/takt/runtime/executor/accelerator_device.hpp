// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::inline TAKT_ABI::runtime {

enum class launch_end : std::uint8_t {
  complete,  ///< every block of the job has run
  yielded,   ///< it has stopped between two waves, as asked; the next launch goes on there
};

/// Is told by an accelerator of the end of a launch. The call comes from a thread of the device, never from within a
/// call of the host, and only takes note.
struct launch_observer {
  void (*call)(void* argument, kernel_id k, launch_end how) = nullptr;
  void* argument = nullptr;

  void operator()(kernel_id k, launch_end how) const {
    if (call != nullptr) { call(argument, k, how); }
  }
};

/// Holds what an accelerator has to make before anything runs.
struct accelerator_setup {
  stream_layout streams{};
  std::size_t kernels = 0;         ///< numbered from 0
  std::size_t trace_capacity = 0;  ///< pieces of execution to remember, per core
  launch_observer ended{};
};

/// A machine that carries out the decisions of an accelerator's scheduler in wall time. No call waits for a kernel.
///
/// - `kernel`: what a job runs; made from a length and the length of a wave, it takes that time on each of its cores.
/// - `serves(streams)`: whether it has so many cores and levels.
/// - `open(setup)`: makes the streams; false when the system has too few threads. Once before each `close`. Pre: it
///   serves them.
/// - `load(k, body, job)`: the next launch of k begins this job, of this number. Pre: k is not launched; the body lives
///   until the job is complete or the device closed.
/// - `submit(k, where)`: launches k, or what is left of its job, in the stream of that core and level.
/// - `request_yield(k)`: the launch shall end with the waves that are under way. Ignored unless k is launched.
/// - `close()`: abandons what has not run. Listeners hear nothing after it.
/// - `serve_at(priority)`: gives the threads of the device this SCHED_FIFO priority, 0 for the ordinary class; false
///   when the system refuses.
///
/// Like a `Device` it may also model `FallibleDevice` and `ExaminedDevice`.
template <class D>
concept AcceleratorDevice = AcceleratorBackend<D> && std::constructible_from<typename D::kernel, ticks, ticks> &&
                            std::movable<typename D::kernel> &&
                            requires(D& d, const D& c, const accelerator_setup& setup, kernel_id k,
                                     const typename D::kernel& body, std::uint64_t job, std::int32_t priority) {
                              { c.serves(setup.streams) } -> std::same_as<bool>;
                              { d.open(setup) } -> std::same_as<bool>;
                              d.load(k, body, job);
                              d.close();
                              { d.serve_at(priority) } -> std::same_as<bool>;
                              { c.name() } -> std::convertible_to<std::string_view>;
                            };

/// Knows better than its host what ran where: `replay(recorder, origin)` tells of it, with times since the origin, as
/// far as the machine knows, and returns the number of pieces for which there was no room. Pre: closed.
template <class D>
concept ReplayingDevice = requires(const D& d, null_recorder& recorder, ticks origin) {
  { d.replay(recorder, origin) } -> std::same_as<std::uint64_t>;
};

/// Holds for one whose kernels have shares of it, which change while they run. `resize(k, percent)` is for the launch
/// of k that is under way or comes next. A `kernel` is made from its length with all of the device and the number of
/// its application; it does not matter where kernels are.
template <class D>
concept SizingDevice =
    AcceleratorDevice<D> && requires(D& d, kernel_id k, std::int32_t percent) { d.resize(k, percent); };

}  // namespace takt::inline TAKT_ABI::runtime
