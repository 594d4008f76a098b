// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/cuda/pinning.hpp>

/// What the kernels of the isolation benchmark do, for those who launch them, check them and emulate them.
namespace takt_benchmarks {

inline constexpr std::uint32_t block_threads = 256;

/// The foreground: a short job that fits on eight SMs of 2048 threads. Each thread writes one element.
inline constexpr std::uint32_t probe_blocks = 64;
inline constexpr std::uint32_t probe_elements = probe_blocks * block_threads;
inline constexpr std::uint32_t probe_rounds = 1'000;

/// The background: blocks of `load_steps` steps each, which are counted one by one. Each block writes one element.
inline constexpr std::uint32_t load_steps = 16;
inline constexpr std::uint32_t step_rounds = 128;

/// What outputs hold before each job. No right element is this.
inline constexpr std::uint32_t poison = 0xDEAD'BEEFU;

inline constexpr std::uint32_t multiplier = 1'664'525U;
inline constexpr std::uint32_t increment = 1'013'904'223U;

/// x -> factor * x + term, modulo 2^32: so many rounds of x -> multiplier * x + increment.
struct rounds_map {
  std::uint32_t factor = 1;
  std::uint32_t term = 0;
};
[[nodiscard]] constexpr auto map_of_rounds(std::uint32_t rounds) noexcept -> rounds_map {
  rounds_map out;
  for (std::uint32_t i = 0; i < rounds; ++i) { out = {out.factor * multiplier, out.term * multiplier + increment}; }
  return out;
}

/// What thread `i` of all makes of i.
[[nodiscard]] constexpr auto probe_element(std::uint32_t i) noexcept -> std::uint32_t {
  constexpr rounds_map all = map_of_rounds(probe_rounds);
  return all.factor * i + all.term;
}
/// The sum over the threads of a block, of which thread t starts with block_threads * block + t.
[[nodiscard]] constexpr auto load_element(std::uint32_t block) noexcept -> std::uint32_t {
  constexpr rounds_map all = map_of_rounds(load_steps * step_rounds);
  constexpr std::uint32_t sum_of_t = block_threads * (block_threads - 1) / 2;
  return all.factor * (block_threads * block_threads * block + sum_of_t) + block_threads * all.term;
}

/// Elements that are not what they should be.
template <class Right>
[[nodiscard]] constexpr auto count_wrong(std::span<const std::uint32_t> out, Right right) noexcept -> std::int64_t {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) { wrong += out[i] != right(static_cast<std::uint32_t>(i)) ? 1 : 0; }
  return wrong;
}

inline constexpr std::size_t sm_words = takt::cuda::max_sms / 32;
using sm_set = std::bitset<takt::cuda::max_sms>;

[[nodiscard]] inline auto sms_of(std::span<const std::uint32_t, sm_words> words) noexcept -> sm_set {
  sm_set out;
  for (std::size_t sm = 0; sm < out.size(); ++sm) { out[sm] = (words[sm / 32] >> (sm % 32) & 1U) != 0; }
  return out;
}

/// Addresses are those of the device. `started` and `progress` are in mapped memory of the host.
struct probe_arguments {
  std::uint32_t* out = nullptr;      ///< `probe_elements`
  std::uint32_t* sms = nullptr;      ///< a bit per SM that a block ran on
  std::uint32_t* started = nullptr;  ///< 1 from the first store on
};
struct load_arguments {
  std::uint32_t* out = nullptr;  ///< one per block
  std::uint32_t* sms = nullptr;
  unsigned long long* counted = nullptr;   ///< steps
  unsigned long long* progress = nullptr;  ///< the same for the host, each `report_every`
  unsigned long long report_every = 1;
};

/// One thread that waits for a time by the device's clock and tells what it saw.
struct spin_words {
  std::uint32_t started = 0;
  std::uint32_t ended = 0;
  unsigned long long nanoseconds = 0;
  unsigned long long cycles = 0;
};
struct spin_arguments {
  unsigned long long nanoseconds = 0;
  spin_words* words = nullptr;
};

}  // namespace takt_benchmarks
