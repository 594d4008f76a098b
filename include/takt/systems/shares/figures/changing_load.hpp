// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>

namespace takt::inline TAKT_ABI::generation {

namespace detail {

/// Describes an interval of a job during which no share changes.
template <std::size_t Count>
struct load_segment {
  std::array<std::int32_t, Count> shares{};
  ticks length = 0;
};

}  // namespace detail

template <std::size_t Count, std::size_t MaxSegments>
using loaded_job = inline_vector<detail::load_segment<Count>, MaxSegments>;

namespace detail {

/// Draws new shares for those that run: 10 to 40 for `self`, for each other at most an even part of the rest.
template <std::size_t Count>
  requires(Count >= 2 && Count <= 60)
[[nodiscard]] constexpr auto draw_shares(const std::array<bool, Count>& runs, std::size_t self,
                                         random_stream& random) noexcept -> std::array<std::int32_t, Count> {
  std::array<std::int32_t, Count> out{};
  out[self] = static_cast<std::int32_t>(random.between(10, 40));
  const auto most = (100 - out[self]) / static_cast<std::int32_t>(Count - 1);
  for (std::size_t k = 0; k < Count; ++k) {
    if (k != self && runs[k]) { out[k] = static_cast<std::int32_t>(random.between(1, most)); }
  }
  return out;
}

}  // namespace detail

/// Draws a job of application `self` during which another one comes or leaves `changes` times, at points drawn evenly
/// over its work. All shares are then drawn anew as a scheduler would set them. It begins beside each other application
/// with probability 1/2. False, and an empty job, where there is no such application, or no room for so many changes.
template <std::size_t Count, std::size_t MaxSegments>
  requires(Count >= 2 && Count <= 60)
[[nodiscard]] constexpr auto draw_loaded_job(const std::array<synthetic_application, Count>& set, std::size_t self,
                                             std::size_t changes, random_stream& random,
                                             loaded_job<Count, MaxSegments>& out) -> bool {
  constexpr ticks whole = 1'000'000;
  out.clear();
  if (self >= Count || changes >= MaxSegments) { return false; }
  std::array<bool, Count> runs{};
  for (bool& r : runs) { r = random.chance(1, 2); }
  inline_vector<ticks, MaxSegments> ends;
  // Bound: changes + 1, at most MaxSegments; so for `out`.
  for (std::size_t c = 0; c < changes; ++c) {
    ends.unchecked_push_back(random.below(whole));
    for (std::size_t i = c; i > 0 && ends[i] < ends[i - 1]; --i) {
      const ticks later = ends[i - 1];
      ends[i - 1] = ends[i];
      ends[i] = later;
    }
  }
  ends.unchecked_push_back(whole);
  ticks done = 0;
  for (const ticks end : ends) {
    const auto shares = detail::draw_shares(runs, self, random);
    const ticks time = synthetic_co_run_time(set, self, shares);
    out.unchecked_push_back({shares, ceil_divide(time * (end - done), whole)});
    done = end;
    const auto other = static_cast<std::size_t>(random.below(static_cast<ticks>(Count) - 1));
    bool& changed = runs[other < self ? other : other + 1];
    changed = !changed;
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI::generation
