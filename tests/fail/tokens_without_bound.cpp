// EXPECT: takt: the rule of tokens, which is the template argument, has no bound
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "board.hpp"

struct unknown_order {
  static constexpr std::string_view name = "nobody knows";
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const takt::token_setting& at) -> takt::ck_omlp<Clients, Clients> {
    return takt::ck_omlp<Clients, Clients>{at.tokens};
  }
};
#ifdef TAKT_FIXED
constexpr auto order = takt::fifo_order;
#else
constexpr unknown_order order;
#endif
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf), engine,
                                      takt::pool(takt::virtual_sms(2, 2), takt::locked(order, 1)));
constexpr auto verdict = takt::analyze(other, takt::task_set(camera));
