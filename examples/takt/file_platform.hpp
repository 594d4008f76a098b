// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include <boost/hana/flatten.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>

#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/tags.hpp>

namespace takt::program {

/// A platform whose rules are types and whose sizes, the number of GPUs and copy engines among them, are values: what a
/// file can describe. Models `takt::Platform`, as `takt::platform(...)` does for sizes in source code.
template <RuleTag CpuRule, RuleTag CopyRule, RuleTag GpuRule>
struct file_platform {
  using cpu_rule = CpuRule;
  using copy_rule = CopyRule;
  using gpu_rule = GpuRule;

  platform_record sizes;

  [[nodiscard]] constexpr auto record() const -> platform_record { return sizes; }
  /// The reader has refused every size below 1.
  [[nodiscard]] constexpr auto validate() const -> model_error { return {}; }
};

/// The rules of a platform as a file names them.
struct rule_names {
  std::string_view cpus = "fixed-priority";
  std::string_view gpus = "isolated";
  std::string_view protocol{};  ///< of tokens

  [[nodiscard]] auto tokens() const noexcept -> bool { return gpus == "tokens"; }
  [[nodiscard]] auto copies() const noexcept -> std::string_view {
    return tokens() ? "fifo" : "nonpreemptive-fixed-priority";
  }
  [[nodiscard]] friend auto operator==(const rule_names&, const rule_names&) noexcept -> bool = default;
};

namespace detail {

/// Holders of tokens queue for copy engines, everybody else has the priorities of the processors there.
template <class CpuRule, class GpuRule>
using copy_rule_of = std::conditional_t<TokenLocked<GpuRule>, fifo_rule, nonpreemptive_rule<CpuRule>>;

template <class CpuRule, class GpuRule>
struct catalogue_entry {
  using platform_type = file_platform<CpuRule, copy_rule_of<CpuRule, GpuRule>, GpuRule>;
  rule_names names;
};

template <TaskLevelPriority Order>
[[nodiscard]] constexpr auto entries_under(std::string_view cpus) {
  using cpu = fixed_priority_rule<Order>;
  return boost::hana::make_tuple(catalogue_entry<cpu, federated_rule<false>>{{cpus, "isolated"}},
                                 catalogue_entry<cpu, federated_rule<true>>{{cpus, "shared"}},
                                 catalogue_entry<cpu, locked_rule<k_fmlp_order_rule>>{{cpus, "tokens", "k-fmlp"}},
                                 catalogue_entry<cpu, locked_rule<r2dglp_order_rule>>{{cpus, "tokens", "r2dglp"}},
                                 catalogue_entry<cpu, locked_rule<ck_omlp_order_rule>>{{cpus, "tokens", "ck-omlp"}});
}

/// Every composition that a file can ask for.
inline constexpr auto catalogue = boost::hana::flatten(boost::hana::make_tuple(
    entries_under<by_given_priority>("fixed-priority"), entries_under<by_relative_deadline>("deadline-monotonic"),
    entries_under<by_period>("rate-monotonic")));

}  // namespace detail

/// Calls `f` with the platform type that the names stand for. Pre: the reader has checked the names.
template <class F>
void with_platform(const rule_names& names, const platform_record& sizes, F f) {
  boost::hana::for_each(detail::catalogue, [&](const auto& entry) {
    if (entry.names == names) { f(typename std::remove_cvref_t<decltype(entry)>::platform_type{sizes}); }
  });
}

/// The same platform under the rule that a baseline analysis is about.
template <class Cpu, class Copy, class Gpu>
[[nodiscard]] constexpr auto spinning(const file_platform<Cpu, Copy, Gpu>& p)
    -> file_platform<busy_waiting_rule<Cpu>, Copy, Gpu> {
  return {p.sizes};
}
template <class Cpu, class Copy, class Gpu>
[[nodiscard]] constexpr auto one_at_a_time(const file_platform<Cpu, Copy, Gpu>& p)
    -> file_platform<Cpu, Copy, serialized_rule<Gpu>> {
  return {p.sizes};
}
template <class Cpu, class Copy, class Gpu>
[[nodiscard]] constexpr auto one_at_a_time_on_all_sms(const file_platform<Cpu, Copy, Gpu>& p)
    -> file_platform<Cpu, Copy, serialized_rule<whole_gpu_rule>> {
  return {p.sizes};
}

}  // namespace takt::program
