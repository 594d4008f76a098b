// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/overflow_guard.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/validate.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Is a walk over a chain that accepts: cpu, then any number of ([copy] kernel [copy] cpu).
class alternating_chain {
 public:
  /// Returns false at the first segment that cannot follow.
  constexpr auto next(stage s) noexcept -> bool {
    switch (s) {
      case stage::cpu:
        return move(at_ == state::start || at_ == state::kernel || at_ == state::copied_back, state::cpu);
      case stage::copy:
        if (at_ == state::cpu) { return move(true, state::copied_in); }
        return move(at_ == state::kernel, state::copied_back);
      case stage::kernel: return move(at_ == state::cpu || at_ == state::copied_in, state::kernel);
    }
    return false;
  }
  [[nodiscard]] constexpr auto complete() const noexcept -> bool { return at_ == state::cpu; }

 private:
  enum class state : std::uint8_t { start, cpu, copied_in, kernel, copied_back, wrong };

  constexpr auto move(bool allowed, state to) noexcept -> bool {
    at_ = allowed ? to : state::wrong;
    return allowed;
  }

  state at_ = state::start;
};

}  // namespace detail

[[nodiscard]] constexpr auto shares_sms(const platform_record& platform) noexcept -> bool {
  for (const gpu_record& gpu : platform.gpus) {
    if (gpu.shared) { return true; }
  }
  return false;
}

namespace detail {

/// Checks whether every chain alternates and finds its resources on the platform. Zero-length copies need no engine.
template <class Table>
[[nodiscard]] constexpr auto fits_platform(const Table& table, const platform_record& platform) -> model_error {
  if (platform.copy_engines > max_copy_engines) { return {.fault = model_fault::platform_size_out_of_range}; }
  for (const gpu_record& gpu : platform.gpus) {
    if (!gpu.speed.valid()) { return {.fault = model_fault::platform_size_out_of_range}; }
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.core >= platform.cores) { return {.fault = model_fault::core_out_of_range, .task = t.id}; }
    alternating_chain walk;
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(i, j);
      if (!walk.next(s.where)) { return {.fault = model_fault::chain_does_not_alternate, .task = t.id, .visit = j}; }
      if (s.where == stage::copy && platform.copy_engines == 0 && s.time.upper > typename Table::number(0)) {
        return {.fault = model_fault::copy_without_engine, .task = t.id, .visit = j};
      }
      if (s.where == stage::kernel && platform.gpus.empty()) {
        return {.fault = model_fault::kernel_without_gpu, .task = t.id, .visit = j};
      }
      if (s.where == stage::kernel && !s.any_neighbour && shares_sms(platform)) {
        return {.fault = model_fault::interleave_among_own_blocks_only, .task = t.id, .visit = j};
      }
    }
    if (!walk.complete()) {
      return {.fault = model_fault::chain_does_not_alternate, .task = t.id, .visit = t.segment_count - 1};
    }
  }
  return {};
}

}  // namespace detail

/// Returns what keeps any analysis of alternating chains from applying, if anything: a wrong set, a chain or resource
/// that does not fit, or times without headroom.
template <class Table>
[[nodiscard]] constexpr auto chain_fault(const Table& table, const platform_record& platform) -> model_error {
  if (const auto error = validate(table)) { return error; }
  if (const auto error = takt::detail::late_deadline_fault(table)) { return error; }
  if (const auto error = detail::fits_platform(table, platform)) { return error; }
  return fits_64_bits(table, platform) ? model_error{} : model_error{.fault = model_fault::time_overflow};
}

}  // namespace takt::inline TAKT_ABI::analysis
