// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/systems/locked_gpus/tasks/latency.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

/// Holds what the text of Elliott 2015, section 4.3.1, says about two six-core Xeon X5060 nodes with eight Quadro
/// K5000: all that can be known without its figures. Where a range is printed, its greater end. Unit: nanoseconds.
namespace takt::inline TAKT_ABI::published_costs {

using interrupt_latency = latency_distribution<8>;

/// 4.5 million top halves of GPU interrupts. Mean 8.01 us.
[[nodiscard]] constexpr auto top_halves() noexcept -> interrupt_latency {
  interrupt_latency out;
  static_cast<void>(out.add(7'310, 2'250'000));
  static_cast<void>(out.add(50'000, 2'249'550));
  static_cast<void>(out.add(60'000, 405));
  static_cast<void>(out.add(78'000, 40));
  static_cast<void>(out.add(87'190, 5));
  return out;
}
inline constexpr ticks top_half_mean = 8'010;

/// 4.2 million bottom halves. Mean 66.14 us.
[[nodiscard]] constexpr auto bottom_halves() noexcept -> interrupt_latency {
  interrupt_latency out;
  static_cast<void>(out.add(54'680, 2'100'000));
  static_cast<void>(out.add(550'000, 2'099'580));
  static_cast<void>(out.add(750'000, 378));
  static_cast<void>(out.add(1'000'000, 38));
  static_cast<void>(out.add(1'008'580, 4));
  return out;
}
inline constexpr ticks bottom_half_mean = 66'140;

enum class bus_load : bool { idle, loaded };
/// Of pages in system memory: on the node of the GPU, or alternating between nodes.
enum class memory_placement : bool { local, interleaved };
/// Of GPUs: below one switch, or below one hub only.
enum class gpu_distance : bool { near, far };

inline constexpr std::int64_t kilobyte = 1024;
inline constexpr std::int64_t megabyte = 1024 * 1024;

namespace detail {

/// Flat below 64 KB, from there in proportion, through one known point at 1 MB.
[[nodiscard]] constexpr auto through(ticks at_megabyte) noexcept -> cost_curve<4> {
  cost_curve<4> out;
  static_cast<void>(out.add({64 * kilobyte, ceil_divide<ticks>(at_megabyte, 16)}));
  static_cast<void>(out.add({128 * kilobyte, ceil_divide<ticks>(at_megabyte, 8)}));
  static_cast<void>(out.add({megabyte, at_megabyte}));
  static_cast<void>(out.add({4 * megabyte, 4 * at_megabyte}));
  return out;
}

}  // namespace detail

/// Returns longest times of one transfer. Loaded and local: 1214.3 us out, 1181.3 us in, and 175.7 us from GPU to GPU
/// nearby, per MB (Table 4.2). A loaded bus costs at least 5 times the idle one locally. Interleaving adds at most 20 %
/// when idle and 65 % under load. Far GPUs need 200 us per MB when idle and up to 3.5 times that under load.
[[nodiscard]] constexpr auto transfers(bus_load load, memory_placement memory, gpu_distance distance) noexcept
    -> transfer_curves<4> {
  const bool loaded = load == bus_load::loaded;
  const bool spread = memory == memory_placement::interleaved;
  const auto host = [&](ticks loaded_local) {
    const ticks local = loaded ? loaded_local : ceil_divide<ticks>(loaded_local, 5);
    return detail::through(spread ? ceil_divide<ticks>(local * (loaded ? 165 : 120), 100) : local);
  };
  const ticks near = 175'700;
  const ticks far = loaded ? 700'000 : 200'000;
  return {{host(1'181'300), host(1'214'300), detail::through(distance == gpu_distance::near ? near : far)}};
}

/// Returns the cache loss of a job by the bytes of its working set, with GPUs on the bus. It is 650 us for 4 MB of
/// local memory, in proportion below. Interleaved it is 550 us without GPUs, and at most 1.9 times that with them.
[[nodiscard]] constexpr auto cache_loss(memory_placement memory) noexcept -> cost_curve<2> {
  cost_curve<2> out;
  const ticks at_4_megabytes = memory == memory_placement::local ? 650'000 : 1'045'000;
  static_cast<void>(out.add({4 * kilobyte, ceil_divide<ticks>(at_4_megabytes, 1024)}));
  static_cast<void>(out.add({4 * megabyte, at_4_megabytes}));
  return out;
}

}  // namespace takt::inline TAKT_ABI::published_costs
