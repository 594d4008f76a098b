// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>

namespace takt {

/// How Algorithm 1 of Yao et al. 2022 is read, each point by itself.
enum class sum_test : std::uint8_t {
  below,    ///< admitted shares add up to less than 100, as the listing has it
  at_most,  ///< or to 100, as the text has it
};
enum class slack_clock : std::uint8_t {
  executed,  ///< deadline less what the job has executed: time in which it was suspended is not counted
  wall,      ///< deadline less the time since its release
};
enum class refusal_rule : std::uint8_t {
  zero_rest,  ///< the first application that does not fit and all below it get nothing
  skip,       ///< those that fit are admitted; what they leave goes to the first that does not
};
enum class load_view : std::uint8_t {
  stale,  ///< the others hold what they held before the operation
  worst,  ///< one of the others holds all that is left
};
enum class leftover_rule : std::uint8_t {
  floor,   ///< by priority, rounded down
  spread,  ///< and what the rounding leaves, by one each from the highest priority down
};
enum class need_search : std::uint8_t {
  rescaled,  ///< one prediction, rescaled by times alone (Eq. 12)
  direct,    ///< a prediction per share that is tried
};

struct share_rules {
  sum_test fit = sum_test::at_most;
  slack_clock slack = slack_clock::wall;
  refusal_rule refused = refusal_rule::skip;
  load_view load = load_view::worst;
  leftover_rule leftover = leftover_rule::spread;
  need_search search = need_search::rescaled;
  /// How long it takes at most until a greater share has its effect; a smaller one has it at once. No job counts on
  /// running before so long after its release.
  ticks actuation = 0;

  [[nodiscard]] friend constexpr auto operator==(const share_rules&, const share_rules&) noexcept -> bool = default;
};

/// What admitted shares may add up to.
[[nodiscard]] constexpr auto greatest_sum(const share_rules& rules) noexcept -> std::int32_t {
  return rules.fit == sum_test::below ? 99 : 100;
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

/// What follows when jobs end, none starts, and all was well after the last operation (WDC, section 5.3).
enum class decrease_rule : std::uint8_t {
  operate,
  keep,    ///< no operation; what the ended jobs held lies idle
  refill,  ///< no new needs; what they held is handed out as leftovers are
};
/// What follows when a job is far advanced (AETC, section 5.3).
enum class late_reuse : std::uint8_t {
  never,
  slowdown,   ///< its last slow-down is used instead of a new prediction
  operation,  ///< no operation when jobs end, none starts, and all that remain are far advanced
};

/// Which workload changes make an operation, and how much is predicted anew. The two cuts combine freely.
struct share_triggers {
  decrease_rule decrease = decrease_rule::operate;
  late_reuse reuse = late_reuse::never;
  rational threshold{1};  ///< far advanced: a greater part of the job than this is done
};

inline constexpr share_triggers every_change{};
inline constexpr share_triggers workload_decrease{.decrease = decrease_rule::keep};

[[nodiscard]] constexpr auto accumulated_execution(rational threshold, late_reuse reuse = late_reuse::slowdown) noexcept
    -> share_triggers {
  return {.reuse = reuse, .threshold = threshold};
}
/// Both cuts.
[[nodiscard]] constexpr auto hybrid(rational threshold, late_reuse reuse = late_reuse::slowdown) noexcept
    -> share_triggers {
  return {.decrease = decrease_rule::keep, .reuse = reuse, .threshold = threshold};
}

/// What becomes of a job at its deadline.
enum class miss_action : std::uint8_t {
  abort,  ///< it is dropped: a workload change
  late,   ///< it runs on, and the next job of the application waits for it
  stop,   ///< the run ends
};

}  // namespace takt
