// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds for a machine that runs kernels on streams.
///
/// - `kernel`: what can be run on it; made from `ticks` alone, it occupies its unit for that time.
/// - `stream`: takes a task's operations, at most one at a time, and calls `done` at the end of each. No call waits.
///   `done` comes from a thread of the device, never from within the call, and may start the next operation of any
///   stream. The body must live until then.
/// - `serves(platform)`: whether it has the engines and SMs that the platform names.
/// - `open(range)`: a task's own stream, whose kernels stay on the range. Called before the run, for disjoint ranges;
///   an empty range is that of a task without kernels.
/// - `serve_at(priority)`: gives the threads that call `done` this SCHED_FIFO priority, 0 for the ordinary class; false
///   when the system refuses.
/// - `ready()`: whether all streams opened so far can be used.
template <class D>
concept StreamDevice = std::constructible_from<typename D::kernel, ticks> && std::movable<typename D::kernel> &&
                       requires(D& d, typename D::stream& s, const typename D::kernel& kernel, completion done,
                                const platform_record& platform, const sm_range& range, std::int32_t priority) {
                         s.launch(kernel, done);
                         { d.serves(platform) } -> std::same_as<bool>;
                         { d.open(range) } -> std::same_as<typename D::stream>;
                         { d.serve_at(priority) } -> std::same_as<bool>;
                         { d.ready() } -> std::same_as<bool>;
                         { d.name() } -> std::convertible_to<std::string_view>;
                       };

/// Holds for one that moves data, too, and keeps kernels on their ranges of SMs. A `copy` is as a `kernel` is.
template <class D>
concept Device =
    StreamDevice<D> && std::constructible_from<typename D::copy, ticks> && std::movable<typename D::copy> &&
    requires(typename D::stream& s, const typename D::copy& copy, std::int32_t engine, completion done) {
      s.copy(engine, copy, done);
    };

/// Holds for a device that keeps the kernels of all streams of a GPU in one queue for their blocks, of which the head
/// goes first: `queues_blocks` says so.
///
/// - `serves(gpu)`: whether it is one with such SMs, of so much room each.
/// - `kernel`: of one block, if made from `ticks` alone. One that is also made from blocks, threads of each, time of
///   each and time before them can stand for a kernel of which only that is known.
template <class D>
concept BlockQueueDevice = StreamDevice<D> && requires(D& d, const block_gpu& gpu) {
  requires D::queues_blocks;
  { d.serves(gpu) } -> std::same_as<bool>;
};

/// Holds for a device that can fail while it is used. Its operations then still end, with void results.
///
/// - `failed()`: whether something has gone wrong; once true it stays. True before `done` of an operation whose result
///   is void is called. From any thread.
/// - `fault_sentence()`: what went wrong first, and where. Pre: failed.
template <class D>
concept FallibleDevice = requires(const D& d) {
  { d.failed() } -> std::same_as<bool>;
  { d.fault_sentence() } -> std::convertible_to<std::string>;
};

/// Holds for a device that knows how far timed runs on it can be trusted.
///
/// - `findings()`: about the host, the device and its driver, fine or not. May take seconds.
template <class D>
concept ExaminedDevice = requires(const D& d) {
  { d.findings() } -> std::same_as<machine_findings>;
};

namespace detail {

/// Holds for a device that sees how its operations ran beside their plan.
///
/// - `take_notes()`: sentences on what did not run as planned since the last call. Called at the end of a run.
template <class D>
concept NotingDevice = requires(D& d) {
  { d.take_notes() } -> std::same_as<std::vector<std::string>>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
