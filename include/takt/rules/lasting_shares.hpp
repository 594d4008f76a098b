// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Stops compilation where parts are asked of something that has none.
template <bool Fits>
struct shares_fit_resource {
  static constexpr bool passed = Fits;
  static_assert(Fits,
                "takt: lasting_shares hands out parts of a GPU, and this resource has none; use gpu_shares() or "
                "virtual_sms(...). See docs/errors.md#E30");
};

}  // namespace detail

/// A lasting part of the GPU for each task, by the plan's `percents`: its kernels run there one after the other and
/// never elsewhere. Rows of times by share must have been measured under the same isolation. Of virtual SMs a share is
/// so many whole SMs, rounded down.
template <class Resource = void>
struct lasting_shares_rule {
  using is_takt_rule = void;
  static constexpr auto bounds_header = detail::needed_header::shares;
  static constexpr std::string_view name = "lasting shares";
  static constexpr bool hands_out_percents = true;
  static constexpr bool has_sms = std::same_as<Resource, virtual_sms_resource>;
  static constexpr bool fits_chains = has_sms || std::same_as<Resource, gpu_shares_resource>;
  using chain_fault = detail::shares_fit_resource<fits_chains>;
  bool limits_memory = false;

  template <class R>
  [[nodiscard]] constexpr auto on(const R& resource) const noexcept -> lasting_shares_rule<R> {
    if constexpr (requires { resource.limits_memory; }) { return {resource.limits_memory}; }
    return {};
  }
  /// Tasks of chains do not say what memory they need.
  [[nodiscard]] constexpr auto fault() const noexcept -> model_error {
    if (limits_memory) { return {.fault = model_fault::option_unused, .name = "memory"}; }
    return {};
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> dedicated_server<Capacity> {
    return dedicated_server<Capacity>{units};
  }

  using view_needs = std::conditional_t<has_sms, wcet_work_grid_or_wcet_by_share, wcet_row>;
  template <class K>
    requires knows<wcet_row, K> || (has_sms && TimedOnSms<K>)
  [[nodiscard]] static constexpr auto view(const K& kernel, const visit_placement& at) -> visit_view {
    if (at.percent < 1 || at.percent > full_share.percent()) { return {.fault = model_fault::plan_does_not_fit}; }
    if constexpr (knows<wcet_row, K>) {
      if (states<wcet_row>(kernel)) { return time_at_share(kernel, at.gpu, at.percent); }
    }
    if constexpr (has_sms && TimedOnSms<K>) {
      const std::int64_t part = std::int64_t{at.gpu.sms} * at.percent / full_share.percent();
      const auto sms = static_cast<std::int32_t>(part / at.gpu.granularity * at.gpu.granularity);
      if (sms < 1) { return {.fault = model_fault::plan_does_not_fit}; }
      return time_on_sms(kernel, at.gpu, at.gpu.virtual_sms(sms));
    } else {
      return detail::unknown_time(lacks(visit_fact::wcet_by_share));
    }
  }
};

inline constexpr lasting_shares_rule<> lasting_shares{};

}  // namespace takt::inline TAKT_ABI
