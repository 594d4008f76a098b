// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>
#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::size_t max_ranked_candidates = 1024;
namespace detail {

/// Sums over so many groups, and their squares, fit.
inline constexpr std::int64_t max_ranked_groups = std::int64_t{1} << 20;

}  // namespace detail

/// A candidate's places over all groups.
struct rank_statistics {
  std::size_t candidate = 0;
  std::int64_t twice_median = 0;  ///< the median of an even number of places is the mean of the middle two
  rational mean{};
  rational variance{};  ///< of all places, not of a sample

  /// Returns the square root of the variance in such parts, rounded to the nearest. Pre: 0 < parts <= 10^6.
  [[nodiscard]] constexpr auto deviation(std::int64_t parts) const noexcept -> std::int64_t {
    TAKT_EXPECTS(parts > 0 && parts <= 1'000'000);
    // sqrt(v) rounds to r / parts iff (2 r - 1)^2 <= 4 parts^2 v < (2 r + 1)^2; 4 parts^2 v is at most 2^62.
    const std::int64_t whole = variance.floor();
    const rational rest = variance - rational{whole};
    const std::int64_t scale = 4 * parts * parts;
    const std::int64_t scaled = scale * whole + scaled_floor(rest, scale);
    std::int64_t low = 0;
    std::int64_t high = std::int64_t{1} << 31;
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (middle * middle <= scaled) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return (low + 1) / 2;
  }

 private:
  /// Returns floor(part * scale) without a product that overflows. Pre: 0 <= part < 1, 0 < scale < 2^62.
  [[nodiscard]] static constexpr auto scaled_floor(const rational& part, std::int64_t scale) noexcept -> std::int64_t {
    TAKT_EXPECTS(!(part < rational{0}) && part < rational{1} && scale > 0 && scale < std::int64_t{1} << 62);
    std::int64_t out = 0;
    std::int64_t rest = 0;  // out + rest / denominator = part * the bits of scale so far
    for (int bit = 61; bit >= 0; --bit) {
      out *= 2;
      rest *= 2;
      if (((scale >> bit) & 1) != 0) { rest += part.numerator(); }
      out += rest / part.denominator();
      rest %= part.denominator();
    }
    return out;
  }
};

/// Ranks candidates by how they do in groups of experiments. In a group the one with the largest area below its curve
/// takes the first place. Equal ones take the better place, and the next one's number is left out. Over all groups the
/// median place decides, then the mean, then the given order. Exact: areas are only compared.
/// Source: Elliott 2015, section 4.3.6.2.
template <std::size_t MaxCandidates>
class area_ranking {
 public:
  static_assert(MaxCandidates > 0 && MaxCandidates <= max_ranked_candidates);
  using places = inline_vector<std::int64_t, MaxCandidates>;
  using order = inline_vector<rank_statistics, MaxCandidates>;

  /// Pre: 0 < candidates <= MaxCandidates.
  constexpr explicit area_ranking(std::size_t candidates) : candidates_{candidates} {
    TAKT_EXPECTS(candidates > 0 && candidates <= MaxCandidates);
  }

  [[nodiscard]] constexpr auto candidates() const noexcept -> std::size_t { return candidates_; }
  [[nodiscard]] constexpr auto groups() const noexcept -> std::int64_t { return groups_; }

  /// Returns the places in one group, from 1. Pre: areas.size() <= MaxCandidates. Cost: candidates^2.
  template <std::totally_ordered Area>
  [[nodiscard]] static constexpr auto places_of(std::span<const Area> areas) -> places {
    TAKT_EXPECTS(areas.size() <= MaxCandidates);
    places out;
    for (std::size_t i = 0; i < areas.size(); ++i) {
      std::int64_t place = 1;
      for (std::size_t j = 0; j < areas.size(); ++j) { place += areas[i] < areas[j] ? 1 : 0; }
      // Bound: one per candidate, at most MaxCandidates.
      out.unchecked_push_back(place);
    }
    return out;
  }

  /// Adds one group. False, and no change, unless there is one area per candidate and room for the group.
  template <std::totally_ordered Area>
  constexpr auto add(std::span<const Area> areas) -> bool {
    if (areas.size() != candidates_ || groups_ == detail::max_ranked_groups) { return false; }
    const places found = places_of(areas);
    for (std::size_t i = 0; i < candidates_; ++i) { ++counts_[i][static_cast<std::size_t>(found[i]) - 1]; }
    ++groups_;
    return true;
  }

  /// Returns candidates, best first; empty without groups.
  [[nodiscard]] constexpr auto ranked() const -> order {
    order out;
    for (std::size_t i = 0; i < candidates_ && groups_ > 0; ++i) {
      const rank_statistics own = statistics_of(i);
      // Bound: one per candidate, at most MaxCandidates.
      out.unchecked_push_back(own);
      for (std::size_t at = out.size() - 1; at > 0 && goes_before(own, out[at - 1]); --at) {
        out[at] = out[at - 1];
        out[at - 1] = own;
      }
    }
    return out;
  }

 private:
  [[nodiscard]] static constexpr auto goes_before(const rank_statistics& a, const rank_statistics& b) noexcept -> bool {
    return a.twice_median != b.twice_median ? a.twice_median < b.twice_median : a.mean < b.mean;
  }

  /// Returns the place of the n-th best group of a candidate, from 0.
  [[nodiscard]] constexpr auto place_at(std::size_t candidate, std::int64_t n) const -> std::int64_t {
    std::size_t place = 0;
    std::int64_t passed = counts_[candidate][0];
    while (passed <= n) { passed += counts_[candidate][++place]; }
    return static_cast<std::int64_t>(place) + 1;
  }

  [[nodiscard]] constexpr auto statistics_of(std::size_t candidate) const -> rank_statistics {
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (std::size_t p = 0; p < candidates_; ++p) {
      const auto place = static_cast<std::int64_t>(p) + 1;
      sum += counts_[candidate][p] * place;
      squares += counts_[candidate][p] * place * place;
    }
    rank_statistics out;
    out.candidate = candidate;
    out.twice_median = place_at(candidate, (groups_ - 1) / 2) + place_at(candidate, groups_ / 2);
    out.mean = rational{sum, groups_};
    out.variance = rational{groups_ * squares - sum * sum, groups_ * groups_};
    return out;
  }

  std::size_t candidates_;
  std::int64_t groups_ = 0;
  std::array<std::array<std::int64_t, MaxCandidates>, MaxCandidates> counts_{};
};

/// Returns Spearman's coefficient of two rankings without ties, in thousandths, rounded down. Pre: as many places in
/// both, from 1, more than one.
[[nodiscard]] constexpr auto rank_correlation(std::span<const std::int64_t> a, std::span<const std::int64_t> b)
    -> std::int64_t {
  TAKT_EXPECTS(a.size() == b.size() && a.size() > 1);
  const auto n = static_cast<std::int64_t>(a.size());
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    TAKT_EXPECTS(a[i] >= 1 && a[i] <= n && b[i] >= 1 && b[i] <= n);
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return detail::floor_divide<std::int64_t>(1000 * (n * (n * n - 1) - 6 * squares), n * (n * n - 1));
}

}  // namespace takt::inline TAKT_ABI
