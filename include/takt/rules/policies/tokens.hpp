// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/joined_text.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/policies/parse.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// "tokens-" and the word of the protocol.
template <class Order>
struct tokens_name {
  static constexpr std::string_view prefix = "tokens-";
  static constexpr std::string_view order{Order::word};
  static constexpr auto letters = joined_text<prefix.size() + order.size()>(prefix, order);
};

/// Most tokens that are tried where a policy leaves their number open.
inline constexpr std::int32_t most_tokens_tried = 4;

}  // namespace detail

/// As many tokens as there are tasks, which meet at the engines only.
inline constexpr std::int32_t any_number_of_tokens = -1;

/// So many tokens for each GPU, each with its part of the SMs; 0: the best of a few. A job holds one from its copy in
/// to its copy out. `Order` is a `TokenRule` with a `word`.
template <class Order>
struct tokens_policy {
  static constexpr std::string_view name{detail::tokens_name<Order>::letters.data(),
                                         detail::tokens_name<Order>::letters.size()};
  std::int32_t tokens = 0;

  [[nodiscard]] constexpr auto parameter() const noexcept -> std::int64_t { return tokens < 0 ? 0 : tokens; }
  [[nodiscard]] constexpr auto set(std::string_view text) noexcept -> bool { return detail::parse_units(text, tokens); }
  [[nodiscard]] constexpr auto kernels_at_once() const noexcept -> std::int32_t { return tokens; }
  /// Returns whether so many tokens have a part of the SMs each.
  [[nodiscard]] static constexpr auto go_round(const gpu_hardware& gpu, std::int32_t count) noexcept -> bool {
    return gpu_record{.sms = gpu.sms, .granularity = gpu.granularity, .tokens = count}.slot() > 0;
  }
  [[nodiscard]] constexpr auto missing(const gpu_hardware& gpu) const noexcept -> std::string_view {
    return go_round(gpu, tokens < 1 ? 1 : tokens) ? "" : "sms";
  }
  template <class Tasks>
  [[nodiscard]] constexpr auto choice_count(const gpu_hardware& gpu, const Tasks& /*tasks*/) const noexcept
      -> std::size_t {
    std::int32_t n = 1;
    while (tokens == 0 && n < detail::most_tokens_tried && go_round(gpu, n + 1)) { ++n; }
    return static_cast<std::size_t>(n);
  }
  template <class Tasks>
  [[nodiscard]] constexpr auto choice(const gpu_hardware& /*gpu*/, const Tasks& /*tasks*/,
                                      std::size_t which) const noexcept -> tokens_policy {
    tokens_policy out = *this;
    if (tokens == 0) { out.tokens = static_cast<std::int32_t>(which) + 1; }
    return out;
  }
  /// Holders wait for engines in the order in which they ask.
  template <RuleTag CpuRule>
  [[nodiscard]] static constexpr auto copy_rule(const CpuRule& /*rule*/) noexcept -> fifo_rule {
    return fifo;
  }
  template <RuleTag CpuRule>
  [[nodiscard]] constexpr auto gpu_pool(const gpu_hardware& gpu, const CpuRule& /*rule*/) const {
    return pool(sms_of(gpu), locked(Order{}, tokens < 1 ? 1 : tokens));
  }
};

using tokens_k_fmlp_policy = tokens_policy<k_fmlp_order_rule>;
using tokens_r2dglp_policy = tokens_policy<r2dglp_order_rule>;
using tokens_ck_omlp_policy = tokens_policy<ck_omlp_order_rule>;

}  // namespace takt::inline TAKT_ABI
