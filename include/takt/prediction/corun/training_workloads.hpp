// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <takt/core/random.hpp>

namespace takt::inline TAKT_ABI {

/// Lists the loads under which one of `applications` is to be timed. It is beside every subset of the others, each
/// under several vectors of shares with a sum of at most 100. The vectors of a subset spread the own share evenly over
/// what the others leave; all are numbered and can be asked for in any order. Source: Yao et al. 2022, section 4.3.2.
template <std::size_t MaxApplications>
class training_workloads {
  static_assert(MaxApplications >= 1 && MaxApplications <= 32,
                "takt: too many applications for training beside every subset; train on 1 to 32. "
                "See docs/errors.md#E54");

 public:
  /// Holds a share per application, 0 for those that do not run.
  using shares = std::array<std::int32_t, MaxApplications>;

  /// Pre: self < applications <= MaxApplications, vectors > 0.
  constexpr training_workloads(std::size_t applications, std::size_t self, std::int64_t vectors,
                               std::uint64_t seed) noexcept
      : applications_{applications}, self_{self}, vectors_{vectors}, seed_{seed} {
    TAKT_EXPECTS(self < applications && applications <= MaxApplications && vectors > 0);
  }

  [[nodiscard]] constexpr auto applications() const noexcept -> std::size_t { return applications_; }
  [[nodiscard]] constexpr auto subsets() const noexcept -> std::int64_t {
    return std::int64_t{1} << (applications_ - 1);
  }
  [[nodiscard]] constexpr auto size() const noexcept -> std::int64_t { return subsets() * vectors_; }

  /// Number `index` belongs to subset index / vectors. Pre: 0 <= index < size().
  [[nodiscard]] constexpr auto operator[](std::int64_t index) const noexcept -> shares {
    TAKT_EXPECTS(index >= 0 && index < size());
    const auto subset = static_cast<std::uint64_t>(index / vectors_);
    const auto others = static_cast<std::int32_t>(std::popcount(subset));
    random_stream random{random_stream{seed_}.next() ^ random_stream{~static_cast<std::uint64_t>(index)}.next()};
    shares out{};
    const std::int64_t own_limit = whole - others;
    const std::int64_t vector = index % vectors_;
    const std::int64_t low = own_limit * vector / vectors_ + 1;
    const std::int64_t high = own_limit * (vector + 1) / vectors_;
    out[self_] = static_cast<std::int32_t>(random.between(low, high > low ? high : low));
    draw_others(subset, others, whole - out[self_], random, out);
    return out;
  }

 private:
  static constexpr std::int32_t whole = 100;

  /// Draws shares of at least 1 with a sum of at most `rest`, all vectors equally likely: distances of different cuts.
  constexpr void draw_others(std::uint64_t subset, std::int32_t others, std::int32_t rest, random_stream& random,
                             shares& out) const noexcept {
    std::array<bool, whole + 1> cut{};
    for (std::int32_t most = rest - others + 1; most <= rest; ++most) {
      const auto at = static_cast<std::size_t>(random.between(1, most));
      cut[cut[at] ? static_cast<std::size_t>(most) : at] = true;
    }
    std::int32_t last = 0;
    std::int32_t next = 0;
    for (std::size_t k = 0; k < applications_; ++k) {
      if (k == self_) { continue; }
      const bool runs = (subset & 1U) != 0;
      subset >>= 1U;
      if (!runs) { continue; }
      do { ++next; } while (!cut[static_cast<std::size_t>(next)]);
      out[k] = next - last;
      last = next;
    }
  }

  std::size_t applications_;
  std::size_t self_;
  std::int64_t vectors_;
  std::uint64_t seed_;
};

}  // namespace takt::inline TAKT_ABI
