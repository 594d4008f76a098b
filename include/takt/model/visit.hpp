// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <takt/core/duration.hpp>
#include <takt/core/each_once.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Says how long a visit takes its resource.
struct execution_time {
  static constexpr std::string_view name = "wcet";
  interval<duration> time;
};

[[nodiscard]] constexpr auto takes(duration lower, duration upper) noexcept -> execution_time {
  return {{lower, upper}};
}
[[nodiscard]] constexpr auto takes(duration upper) noexcept -> execution_time { return {{duration{}, upper}}; }

/// Time on a resource of any type, in a chain beside `cpu`, `copy` and `kernel`. The rule of the pool says which facts
/// it needs.
template <class Resource, Fact... Facts>
struct visit_segment : Facts... {
  using resource = Resource;
  std::string_view label{};  ///< see `named`
};

template <class Resource, Fact... Facts>
[[nodiscard]] constexpr auto visit(const Facts&... facts) {
  constexpr bool once = detail::each_once<Facts...>;
  static_assert(once, "takt: a visit says the same thing twice; give each fact once. See docs/errors.md#E96");
  if constexpr (once) { return visit_segment<Resource, Facts...>{facts...}; }
}

template <>
struct detail::fact_access<execution_time, cpu_segment> {
  [[nodiscard]] static constexpr auto get(const cpu_segment& s) noexcept -> execution_time { return {s.time}; }
};
template <>
struct detail::fact_access<execution_time, copy_segment> {
  [[nodiscard]] static constexpr auto get(const copy_segment& s) noexcept -> execution_time { return {s.time}; }
};

namespace detail {

template <class S>
struct resource_of_segment {};
template <class S>
  requires requires { typename S::resource; }
struct resource_of_segment<S> {
  using type = typename S::resource;
};
template <>
struct resource_of_segment<cpu_segment> {
  using type = processors_resource;
};
template <>
struct resource_of_segment<copy_segment> {
  using type = copy_engines_resource;
};
template <class Law>
struct resource_of_segment<kernel_segment<Law>> {
  using type = gpu;
};
template <>
struct resource_of_segment<accelerator_kernel> {
  using type = gpu;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
