// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/share_visits.hpp>
#include <takt/model/task_rows.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/shares/share_rules.hpp>
#include <takt/rules/why_no_method.hpp>

namespace takt::inline TAKT_ABI {

/// Applications side by side on one GPU, whose shares follow their jobs.
struct shares_rule {
  using is_takt_rule = void;

  share_rules rules{};
  share_triggers triggers{};

  [[nodiscard]] constexpr auto fault() const noexcept -> model_error {
    if (!choices_known(rules) || !choices_known(triggers)) { return {.fault = model_fault::choice_out_of_range}; }
    return {.fault = rules.actuation < 0 ? model_fault::negative_time : model_fault::none};
  }
};

/// Returns the rule of shares as in Yao et al. 2022, read as `rules` say, on workload changes that pass `triggers`.
[[nodiscard]] constexpr auto shares(const share_rules& rules = wamp2s_robust,
                                    const share_triggers& triggers = every_change) noexcept -> shares_rule {
  return {rules, triggers};
}

namespace detail {

/// Holds if a rule of pools sizes the shares of a GPU.
template <class R>
concept SizesShares = requires { requires R::sizes_shares; };

/// A rule that says how shares follow jobs where there is nothing but the GPU.
template <class R>
concept ShareRule = !SizesShares<R> && requires(const R& r) {
  { r.rules } -> std::same_as<const share_rules&>;
  { r.triggers } -> std::same_as<const share_triggers&>;
};

}  // namespace detail

/// A platform with a GPU that is granted by shares, whatever else it has.
template <class P>
concept HasGpuShares = requires { requires P::template count_of<gpu_shares_resource> > 0; };

/// A platform that takt can analyse and simulate: such a GPU and nothing else.
template <class P>
concept SharePlatform = HasGpuShares<P> && requires { requires P::pool_count == 1; } &&
                        detail::ShareRule<typename P::template rule_of<gpu_shares_resource>>;

/// Returns the rule by which the GPU is shared.
template <SharePlatform P>
[[nodiscard]] constexpr auto share_rule_of(const P& platform) noexcept -> const detail::ShareRule auto& {
  return share_pool_of(platform).rule;
}

namespace detail {

template <>
inline constexpr bool lacks_board_checks<gpu_shares_resource> = false;

/// Stops compilation where a platform that grants shares and a set do not go together.
template <bool KnownRule, bool Applications>
struct share_check {
  static constexpr bool passed = KnownRule && Applications;
  static_assert(
      KnownRule,
      "takt: a GPU that is granted by shares is a platform of its own, ruled by shares(...); beside other pools "
      "use shares(applications) or lasting_shares. See docs/errors.md#E52");
  static_assert(Applications,
                "takt: a GPU that is granted by shares runs an application_set, and this set is of another kind. "
                "See docs/errors.md#E53");
};

template <class P, class T>
using check_shares = share_check<SharePlatform<P>, ShareTaskSet<T>>;

/// Is true also where the rule of a GPU that is granted by shares is missing.
template <HasGpuShares P, ShareTaskSet T>
inline constexpr bool taken_as_a_whole<P, T> =
    !hands_out_percents<typename P::template rule_of<gpu_shares_resource>>() &&
    !detail::SizesShares<typename P::template rule_of<gpu_shares_resource>>;

template <HasGpuShares P, TaskSet T>
struct why_no_method<P, T> {
  using type = check_shares<P, T>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
