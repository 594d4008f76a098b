// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

/// Says how Algorithm 1 of Yao et al. 2022 is read, each point by itself.
enum class sum_test : std::uint8_t {
  below,    ///< admitted shares add up to less than 100, as the listing has it
  at_most,  ///< or to 100, as the text has it
};
[[nodiscard]] constexpr auto last_of(sum_test) noexcept -> sum_test { return sum_test::at_most; }
enum class slack_clock : std::uint8_t {
  executed,  ///< deadline less what the job has executed: time in which it was suspended is not counted
  wall,      ///< deadline less the time since its release
};
[[nodiscard]] constexpr auto last_of(slack_clock) noexcept -> slack_clock { return slack_clock::wall; }
enum class refusal_rule : std::uint8_t {
  zero_rest,  ///< the first application that does not fit and all below it get nothing
  skip,       ///< those that fit are admitted; what they leave goes to the first that does not
};
[[nodiscard]] constexpr auto last_of(refusal_rule) noexcept -> refusal_rule { return refusal_rule::skip; }
enum class load_view : std::uint8_t {
  stale,  ///< the others hold what they held before the operation
  worst,  ///< one of the others holds all that is left
};
[[nodiscard]] constexpr auto last_of(load_view) noexcept -> load_view { return load_view::worst; }
enum class leftover_rule : std::uint8_t {
  floor,   ///< by priority, rounded down
  spread,  ///< and what the rounding leaves, by one each from the highest priority down
};
[[nodiscard]] constexpr auto last_of(leftover_rule) noexcept -> leftover_rule { return leftover_rule::spread; }
enum class need_search : std::uint8_t {
  rescaled,  ///< one prediction, rescaled by times alone (Eq. 12)
  direct,    ///< a prediction per share that is tried
};
[[nodiscard]] constexpr auto last_of(need_search) noexcept -> need_search { return need_search::direct; }

struct share_rules {
  sum_test fit = sum_test::at_most;
  slack_clock slack = slack_clock::wall;
  refusal_rule refused = refusal_rule::skip;
  load_view load = load_view::worst;
  leftover_rule leftover = leftover_rule::spread;
  need_search search = need_search::rescaled;
  /// Gives the longest time until a greater share has its effect; a smaller one has it at once. No job counts on
  /// running before so long after its release.
  ticks actuation = 0;

  [[nodiscard]] friend constexpr auto operator==(const share_rules&, const share_rules&) noexcept -> bool = default;
};

/// Returns what admitted shares may add up to.
[[nodiscard]] constexpr auto greatest_sum(const share_rules& rules) noexcept -> std::int32_t {
  switch (rules.fit) {
    case sum_test::below: return 99;
    case sum_test::at_most: return 100;
  }
  return 0;
}
namespace detail {

[[nodiscard]] constexpr auto counts_time_left(slack_clock clock) noexcept -> bool {
  switch (clock) {
    case slack_clock::executed: return false;
    case slack_clock::wall: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto counts_worst_load(load_view view) noexcept -> bool {
  switch (view) {
    case load_view::stale: return false;
    case load_view::worst: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto skips_who_does_not_fit(refusal_rule e) noexcept -> bool {
  switch (e) {
    case refusal_rule::zero_rest: return false;
    case refusal_rule::skip: return true;
  }
  return false;
}

}  // namespace detail
[[nodiscard]] constexpr auto choices_known(const share_rules& r) noexcept -> bool {
  return is_known(r.fit) && is_known(r.slack) && is_known(r.refused) && is_known(r.load) && is_known(r.leftover) &&
         is_known(r.search);
}

/// The listing as printed.
inline constexpr share_rules wamp2s_literal{.fit = sum_test::below,
                                            .slack = slack_clock::executed,
                                            .refused = refusal_rule::zero_rest,
                                            .load = load_view::stale,
                                            .leftover = leftover_rule::floor};
/// The listing, corrected where the text of the paper says otherwise.
inline constexpr share_rules wamp2s_text{.fit = sum_test::at_most,
                                         .slack = slack_clock::executed,
                                         .refused = refusal_rule::zero_rest,
                                         .load = load_view::stale,
                                         .leftover = leftover_rule::floor};
/// Sound for every set that `sufficient_shares` accepts, and nothing of the GPU idles while there is work.
inline constexpr share_rules wamp2s_robust{};

/// Says what follows when jobs end, none starts, and all was well after the last operation (WDC, section 5.3).
enum class decrease_rule : std::uint8_t {
  operate,
  keep,    ///< no operation; what the ended jobs held lies idle
  refill,  ///< no new needs; what they held is handed out as leftovers are
};
[[nodiscard]] constexpr auto last_of(decrease_rule) noexcept -> decrease_rule { return decrease_rule::refill; }
/// Says what follows when a job is far advanced (AETC, section 5.3).
enum class late_reuse : std::uint8_t {
  never,
  slowdown,   ///< its last slow-down is used instead of a new prediction
  operation,  ///< no operation when jobs end, none starts, and all that remain are far advanced
};
[[nodiscard]] constexpr auto last_of(late_reuse) noexcept -> late_reuse { return late_reuse::operation; }

/// Says which workload changes make an operation, and how much is predicted anew. The two cuts combine freely.
struct share_triggers {
  decrease_rule decrease = decrease_rule::operate;
  late_reuse reuse = late_reuse::never;
  rational threshold{1};  ///< far advanced: a greater part of the job than this is done
};

namespace detail {

[[nodiscard]] constexpr auto keeps_when_all_is_well(decrease_rule e) noexcept -> bool {
  switch (e) {
    case decrease_rule::operate: return false;
    case decrease_rule::keep:
    case decrease_rule::refill: return true;
  }
  return false;
}

}  // namespace detail
/// Returns whether what is known of far advanced jobs saves anything.
[[nodiscard]] constexpr auto reuses_progress(late_reuse e) noexcept -> bool {
  switch (e) {
    case late_reuse::never: return false;
    case late_reuse::slowdown:
    case late_reuse::operation: return true;
  }
  return false;
}
namespace detail {

[[nodiscard]] constexpr auto passes_over_late_jobs(late_reuse e) noexcept -> bool {
  switch (e) {
    case late_reuse::never:
    case late_reuse::slowdown: return false;
    case late_reuse::operation: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto reuses_slowdown(late_reuse e) noexcept -> bool {
  switch (e) {
    case late_reuse::never:
    case late_reuse::operation: return false;
    case late_reuse::slowdown: return true;
  }
  return false;
}

}  // namespace detail
[[nodiscard]] constexpr auto choices_known(const share_triggers& t) noexcept -> bool {
  return is_known(t.decrease) && is_known(t.reuse);
}

inline constexpr share_triggers every_change{};
inline constexpr share_triggers workload_decrease{.decrease = decrease_rule::keep};

[[nodiscard]] constexpr auto accumulated_execution(rational threshold, late_reuse reuse = late_reuse::slowdown) noexcept
    -> share_triggers {
  return {.reuse = reuse, .threshold = threshold};
}
/// Returns triggers with both cuts.
[[nodiscard]] constexpr auto hybrid(rational threshold, late_reuse reuse = late_reuse::slowdown) noexcept
    -> share_triggers {
  return {.decrease = decrease_rule::keep, .reuse = reuse, .threshold = threshold};
}

}  // namespace takt::inline TAKT_ABI
