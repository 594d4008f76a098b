// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/needed_header.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/mutex_orders.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

// `word` is what files call a protocol of tokens. `method` names the published analysis of a GPU whose SMs are the
// tokens; rules that have one say so.

/// One queue for all tokens: the first that asked is the first served.
struct fifo_order_rule {
  static constexpr auto bounds_header = detail::needed_header::tokens;
  static constexpr std::string_view name = "first come, first served";
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& at) noexcept -> ck_omlp<Clients, Clients> {
    return ck_omlp<Clients, Clients>{at.tokens};
  }
};

/// A queue per token, the one with the fewest requests is joined.
struct k_fmlp_order_rule {
  static constexpr auto bounds_header = detail::needed_header::tokens;
  static constexpr std::string_view name = "k-FMLP";
  static constexpr std::string_view word = "k-fmlp";
  static constexpr std::string_view method = "locked-gpu-k-fmlp";
  static constexpr bool inherits = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& at) noexcept -> k_fmlp<Clients, Clients> {
    return k_fmlp<Clients, Clients>{k_fmlp_options{.replicas = at.tokens}};
  }
};

/// Short queues, the best pending jobs of one cluster first.
struct r2dglp_order_rule {
  static constexpr auto bounds_header = detail::needed_header::tokens;
  static constexpr std::string_view name = "R2DGLP";
  static constexpr std::string_view word = "r2dglp";
  static constexpr std::string_view method = "locked-gpu-r2dglp";
  static constexpr bool inherits = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& at) noexcept -> r2dglp<Clients, Clients> {
    return r2dglp<Clients, Clients>{
        r2dglp_options{.replicas = at.tokens, .cluster = at.processors < 1 ? 1 : at.processors}};
  }
};

/// One queue that holds at most one request per processor, because jobs lend their priorities at their release.
struct ck_omlp_order_rule {
  static constexpr auto bounds_header = detail::needed_header::tokens;
  static constexpr std::string_view name = "CK-OMLP";
  static constexpr std::string_view word = "ck-omlp";
  static constexpr std::string_view method = "locked-gpu-ck-omlp";
  static constexpr bool donates = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& at) noexcept -> ck_omlp<Clients, Clients> {
    return ck_omlp<Clients, Clients>{at.tokens};
  }
};

inline constexpr fifo_order_rule fifo_order{};
inline constexpr k_fmlp_order_rule k_fmlp_order{};
inline constexpr r2dglp_order_rule r2dglp_order{};
inline constexpr ck_omlp_order_rule ck_omlp_order{};

}  // namespace takt::inline TAKT_ABI
