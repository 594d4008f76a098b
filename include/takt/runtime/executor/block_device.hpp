// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::runtime {

/// Whom a device tells that a block has ended, as a `launch_listener` is told.
struct block_listener {
  void (*call)(void* argument, kernel_id k, std::int32_t sm) = nullptr;
  void* argument = nullptr;

  void operator()(kernel_id k, std::int32_t sm) const {
    if (call != nullptr) { call(argument, k, sm); }
  }
};

/// What a device of blocks has to make before anything runs.
struct block_setup {
  block_gpu gpu{};
  std::size_t kernels = 0;         ///< numbered from 0
  std::size_t trace_capacity = 0;  ///< blocks to remember
  block_listener ended{};
};

/// A machine that runs blocks on the SMs that its host chooses, as many at once as are started. No call waits for one.
///
/// - `kernel`: what blocks run; made from a length, each of them takes that time.
/// - `serves(gpu)`: whether it has so many SMs with so much room each.
/// - `open(setup)`: false when the system has too few threads. Once before each `close`. Pre: it serves the GPU.
/// - `load(k, body, job)`: what comes next of k are blocks of this job, from the first on. Pre: none of k runs; the
/// body
///   lives until all have ended or the device is closed.
/// - `start(k, sm)`: the next block of k starts there.
/// - `close()`: abandons what has not run. Listeners hear nothing after it.
/// - `serve_at(priority)`, `replay(recorder, origin)`: as of an `AcceleratorDevice`.
///
/// Like a `Device` it may also model `FallibleDevice` and `ExaminedDevice`.
template <class D>
concept BlockDevice = std::constructible_from<typename D::kernel, ticks> && std::movable<typename D::kernel> &&
                      requires(D& d, const D& c, const block_setup& setup, kernel_id k, const typename D::kernel& body,
                               std::uint64_t job, std::int32_t number, no_trace& recorder, ticks origin) {
                        { c.serves(setup.gpu) } -> std::same_as<bool>;
                        { d.open(setup) } -> std::same_as<bool>;
                        d.load(k, body, job);
                        d.start(k, number);
                        d.close();
                        { d.serve_at(number) } -> std::same_as<bool>;
                        { c.replay(recorder, origin) } -> std::same_as<std::uint64_t>;
                        { c.name() } -> std::convertible_to<std::string_view>;
                      };

}  // namespace takt::runtime
