// EXPECT: takt: make_server<Capacity>\(units\) of this rule, which is the template argument, returns no server
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/rules/servers/unit_server.hpp>

using namespace takt::literals;

template <std::size_t Capacity>
struct odd_server : takt::unit_server<true, Capacity> {
  using takt::unit_server<true, Capacity>::unit_server;
#ifndef TAKT_FIXED
  void next() const;
#endif
};
struct own_rule : takt::edf_rule {
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) -> odd_server<Capacity> {
    return odd_server<Capacity>{units};
  }
  void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) const {
    for (takt::visit_demand& v : visits) { v.response = takt::unbounded_response; }
  }
};
constexpr auto tasks = takt::task_set(takt::task("t", takt::period(20_ms), takt::cpu(1_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), own_rule{}));
const auto verdict = takt::analyze(board, tasks);
