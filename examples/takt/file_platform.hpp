// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

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

  [[nodiscard]] friend auto operator==(const rule_names&, const rule_names&) noexcept -> bool = default;
};

namespace detail {

template <class CpuRule, class GpuRule>
struct catalogue_entry {
  using platform_type = file_platform<CpuRule, nonpreemptive_rule<CpuRule>, GpuRule>;
  rule_names names;
};

/// Every composition that a file can ask for.
inline constexpr auto catalogue = boost::hana::make_tuple(
    catalogue_entry<fixed_priority_rule<priority_order::assigned>, federated_rule<false>>{
        {"fixed-priority", "isolated"}},
    catalogue_entry<fixed_priority_rule<priority_order::assigned>, federated_rule<true>>{{"fixed-priority", "shared"}},
    catalogue_entry<fixed_priority_rule<priority_order::deadline_monotonic>, federated_rule<false>>{
        {"deadline-monotonic", "isolated"}},
    catalogue_entry<fixed_priority_rule<priority_order::deadline_monotonic>, federated_rule<true>>{
        {"deadline-monotonic", "shared"}},
    catalogue_entry<fixed_priority_rule<priority_order::rate_monotonic>, federated_rule<false>>{
        {"rate-monotonic", "isolated"}},
    catalogue_entry<fixed_priority_rule<priority_order::rate_monotonic>, federated_rule<true>>{
        {"rate-monotonic", "shared"}});

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
