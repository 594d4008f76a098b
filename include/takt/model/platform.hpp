// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/model/accelerator.hpp>
#include <takt/model/each_of.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <Pool P>
[[nodiscard]] constexpr auto fault_of_pool(const P& p) -> model_error {
  if (const model_error wrong = rule_fault(p.rule)) { return wrong; }
  platform_record scratch;
  if (append(scratch, p.resource, p.rule)) { return {}; }
  return {.fault = model_fault::platform_size_out_of_range};
}

}  // namespace detail

/// Pools of resources, each with the rule that arbitrates it. Kinds are types, sizes are values: one instance of every
/// template behind it serves all sizes. A wrong size stops compilation in a constant expression and is `invalid_model`
/// at run time.
template <Pool... Pools>
struct [[nodiscard]] platform {
  boost::hana::basic_tuple<Pools...> pools;

  static constexpr std::size_t pool_count = sizeof...(Pools);
  template <class Resource>
  static constexpr std::size_t count_of = (std::size_t{detail::is_pool_of<Resource, Pools>} + ... + 0);

  constexpr explicit platform(
      const Pools&... given,
      detail::refusal&& refused =
          detail::refusal{detail::pool_count<count_of<processors_resource>, count_of<copy_engines_resource>,
                                             count_of<virtual_sms_resource> + count_of<accelerator_resource>>::fits &&
                          detail::resources_once<typename Pools::resource_type...>::passed})
      : pools{given...} {
    refused.error = validate();
  }

  /// The rule type of the pools of a resource kind; `detail::absent_rule` when there is none, `detail::mixed_rules`
  /// when they differ.
  template <class Resource>
  using rule_of =
      std::conditional_t<(detail::agrees<Resource, typename detail::find_rule<Resource, Pools...>::type, Pools> && ...),
                         typename detail::find_rule<Resource, Pools...>::type, detail::mixed_rules>;

  using cpu_rule = rule_of<processors_resource>;
  using copy_rule = rule_of<copy_engines_resource>;
  using gpu_rule = rule_of<virtual_sms_resource>;
  using accelerator_rule = rule_of<accelerator_resource>;

  /// Calls f with each pool, in the given order.
  template <class F>
  constexpr void each(const F& f) const {
    detail::each_of(pools, f, std::index_sequence_for<Pools...>{});
  }
  /// Calls f with the pool at a position. Pre: at < pool_count.
  template <class F>
  constexpr void with(std::size_t at, const F& f) const {
    TAKT_EXPECTS(at < sizeof...(Pools));
    detail::one_of(pools, at, f, std::index_sequence_for<Pools...>{});
  }
  [[nodiscard]] constexpr auto record() const -> platform_record {
    platform_record out;
    each([&out](const auto& p) { (void)detail::append(out, p.resource, p.rule); });
    return out;
  }
  /// Returns the pool of a platform that has no other.
  [[nodiscard]] constexpr decltype(auto) only_pool() const
    requires(sizeof...(Pools) == 1)
  {
    return boost::hana::at_c<0>(pools);
  }
  [[nodiscard]] constexpr auto accelerator() const
      -> const accelerator_record& requires(count_of<accelerator_resource> == 1 && sizeof...(Pools) == 1) {
        return boost::hana::at_c<0>(pools).resource.record;
      }
  /// Returns the rule by which the accelerator is scheduled.
  [[nodiscard]] constexpr auto strategy() const
      -> const accelerator_rule& requires(count_of<accelerator_resource> == 1 && sizeof...(Pools) == 1) {
        return boost::hana::at_c<0>(pools).rule;
      }

  /// Returns what is wrong with a pool, with its position.
  [[nodiscard]] constexpr auto validate() const -> model_error {
    model_error first;
    std::uint32_t at = 0;
    each([&first, &at](const auto& p) {
      if (!first && (first = detail::fault_of_pool(p)) && first.pool == no_index) { first.pool = at; }
      ++at;
    });
    return first;
  }
};

template <Pool... Pools>
platform(const Pools&...) -> platform<Pools...>;

}  // namespace takt::inline TAKT_ABI
