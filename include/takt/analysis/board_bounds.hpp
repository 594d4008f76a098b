// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/tokens/bounds.hpp>
#include <takt/core/number.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Stations with the bounds of their rules.
template <class Stations>
struct bounded_stations : Stations {
  constexpr explicit bounded_stations(const Stations& given) : Stations{given} {}

  [[nodiscard]] constexpr auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool {
    bool known = false;
    this->with_rule(s, [&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      if constexpr (KnowsResponses<rule_type>) {
        known = true;
        pool_bounds<rule_type>::responds(rule, visits, (*this)[s].units);
      }
    });
    return known;
  }
  [[nodiscard]] constexpr auto has_decision(std::size_t s) const -> bool {
    bool known = false;
    this->with_rule(s, [&](const auto& rule) { known = KnowsDeadlines<std::remove_cvref_t<decltype(rule)>>; });
    return known;
  }
  [[nodiscard]] constexpr auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool {
    bool meets = false;
    this->with_rule(s, [&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      if constexpr (KnowsDeadlines<rule_type>) {
        meets = pool_bounds<rule_type>::decides(rule, visits, (*this)[s].units);
      }
    });
    return meets;
  }
  [[nodiscard]] constexpr auto delays(std::size_t tokens, std::span<section_demand> sections) const -> bool {
    bool known = false;
    this->with_tokens(tokens, [&](const auto& order, std::int32_t /*count*/) {
      using order_type = std::remove_cvref_t<decltype(order)>;
      if constexpr (KnowsDelays<order_type>) {
        known = true;
        token_bounds<order_type>::delays(order, sections, this->setting(tokens));
      }
    });
    return known;
  }
  [[nodiscard]] constexpr auto blocks(std::size_t tokens, std::span<section_demand> sections, std::int32_t processors,
                                      ticks& lent) const -> bool {
    bool known = false;
    this->with_tokens(tokens, [&](const auto& order, std::int32_t /*count*/) {
      using order_type = std::remove_cvref_t<decltype(order)>;
      if constexpr (KnowsBlocking<order_type>) {
        known = true;
        lent = token_bounds<order_type>::blocks(order, sections, this->setting(tokens), processors);
      }
    });
    return known;
  }
  [[nodiscard]] constexpr auto takes_suspensions(std::size_t s) const -> bool {
    bool takes = false;
    this->with_rule(
        s, [&](const auto& rule) { takes = takt::detail::InflatesSuspensions<std::remove_cvref_t<decltype(rule)>>; });
    return takes;
  }
  [[nodiscard]] constexpr auto units(std::size_t s) const noexcept -> std::int32_t { return (*this)[s].units; }
};

template <class Rule>
inline constexpr bool has_bound = KnowsResponses<Rule> || KnowsDeadlines<Rule>;

/// Stops compilation where a rule, which the template argument shows, has no bound.
template <class Rule>
struct pool_has_bound {
  static constexpr bool passed = has_bound<Rule>;
  static_assert(passed,
                "takt: the rule of a pool, which is the template argument, has no bound; give it responds(visits, "
                "units) or decides(visits, units). Simulations need none. See docs/errors.md#E83");
};
/// Stops compilation where a rule of tokens, which the template argument shows, has no bound.
template <class Order>
struct tokens_have_bound {
  static constexpr bool passed = has_token_bound<Order>;
  static_assert(passed,
                "takt: the rule of tokens, which is the template argument, has no bound; give it delays(sections, "
                "setting) or blocks(sections, setting, processors). Simulations need none. See docs/errors.md#E91");
};
/// Names what keeps a pool under a rule from having a bound: a header that is missing, or the rule itself.
template <class Rule>
struct pool_bound_fault {
  using type = takt::detail::fault_unless<has_bound<Rule>, pool_has_bound<Rule>>;
};
template <LacksBoundsHeader Rule>
struct pool_bound_fault<Rule> {
  using type = takt::detail::header_is_included<Rule::bounds_header, false>;
};
template <class Order>
struct token_order_fault {
  using type = takt::detail::fault_unless<has_token_bound<Order>, tokens_have_bound<Order>>;
};
template <LacksTokenBoundsHeader Order>
struct token_order_fault<Order> {
  using type = takt::detail::header_is_included<Order::bounds_header, false>;
};
template <class Rule>
struct token_bound_fault {
  using type = takt::detail::no_board_fault;
};
template <class Order>
struct token_bound_fault<locked_rule<Order>> : token_order_fault<Order> {};

template <class P>
struct bounds_fault {};
template <class... Pools>
struct bounds_fault<platform<Pools...>>
    : takt::detail::first_sentence<typename pool_bound_fault<typename Pools::rule_type>::type...,
                                   typename token_bound_fault<typename Pools::rule_type>::type...> {};
template <class P>
inline constexpr bool has_bounds = false;
template <class... Pools>
inline constexpr bool has_bounds<platform<Pools...>> = (has_bound<typename Pools::rule_type> && ...);

}  // namespace takt::inline TAKT_ABI::analysis::detail
