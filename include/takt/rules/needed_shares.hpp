// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/shares/share_rules.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Stops compilation where shares are asked of something that grants none.
template <bool Fits>
struct needed_shares_fit_resource {
  static constexpr bool passed = Fits;
  static_assert(Fits,
                "takt: shares(applications) sizes what kernels hold of a GPU that is granted by per cent; use "
                "gpu_shares(). See docs/errors.md#E106");
};

}  // namespace detail

/// Shares that follow the needs of jobs, of a GPU that may stand beside other pools. Each application is the kernel of
/// one task, known by its row of times; where several have the same row, by the position of the task. The deadline of
/// an application is the time that its kernel is meant to have, and so much of its share is kept for it: see
/// `sufficient_shares`. Its jobs are urgent by the deadlines of their visits.
template <std::size_t MaxTasks, class Resource = void>
struct needed_shares_rule {
  using is_takt_rule = void;
  static constexpr auto bounds_header = detail::needed_header::shares;
  static constexpr std::string_view name = "shares by need";
  static constexpr bool one_station = true;
  static constexpr bool sizes_shares = true;
  static constexpr bool fits_chains = std::same_as<Resource, gpu_shares_resource>;
  using chain_fault = detail::needed_shares_fit_resource<fits_chains>;
  const application_set<MaxTasks>* applications = nullptr;
  share_rules needs{};
  share_triggers changes{};
  gpu_shares_resource gpu{};

  template <class R>
  [[nodiscard]] constexpr auto on(const R& resource) const noexcept -> needed_shares_rule<MaxTasks, R> {
    if constexpr (std::same_as<R, gpu_shares_resource>) { return {applications, needs, changes, resource}; }
    return {applications, needs, changes, {}};
  }
  /// Here shares take effect at once.
  [[nodiscard]] constexpr auto fault() const -> model_error {
    if (applications == nullptr) { return {.fault = model_fault::no_task}; }
    if (!choices_known(needs) || !choices_known(changes)) { return {.fault = model_fault::choice_out_of_range}; }
    if (needs.actuation != 0) { return {.fault = model_fault::option_unused, .name = "actuation"}; }
    const model_error error = validate(*applications);
    return error ? error : fits(*applications, gpu);
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_absolute_deadline { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const -> share_server<Capacity, MaxTasks> {
    if (applications == nullptr) { return {}; }
    return share_server<Capacity, MaxTasks>{*applications, needs, changes};
  }

  using view_needs = wcet_row;
  /// Returns the time with all of the GPU. A kernel that is no application's has none.
  template <class K>
    requires knows<wcet_row, K>
  [[nodiscard]] constexpr auto view(const K& kernel, const visit_placement& at) const -> visit_view {
    if (!states<wcet_row>(kernel)) { return detail::unknown_time(lacks(visit_fact::wcet_by_share)); }
    const wcet_row row = fact<wcet_row>(kernel);
    std::size_t found = MaxTasks;
    for (std::size_t i = 0; applications != nullptr && i < applications->size(); ++i) {
      const bool is_it = applications->tasks[i].alone == row;
      if (is_it && (found == MaxTasks || i == at.task)) { found = i; }
    }
    if (found == MaxTasks) { return {.fault = model_fault::visit_time_unknown}; }
    return {.time = {0, row.at(full_share)}, .values = {{static_cast<ticks>(found), 0, 0, 0}}};
  }
};

/// Returns the rule of shares as in Yao et al. 2022 on a board of pools, for kernels that are the jobs of these
/// applications. Pre: the applications outlive the rule.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto shares(const application_set<MaxTasks>& applications,
                                    const share_rules& rules = wamp2s_robust,
                                    const share_triggers& triggers = every_change) noexcept
    -> needed_shares_rule<MaxTasks> {
  return {&applications, rules, triggers, {}};
}

}  // namespace takt::inline TAKT_ABI
