// SPDX-License-Identifier: Apache-2.0
// A protocol of one's own, newest request first: checked in every sequence of events, proven, and simulated.
#include <algorithm>
#include <chrono>
#include <iostream>

#include <takt/checking.hpp>
#include <takt/compose.hpp>
#include <takt/simulation.hpp>

namespace {
using namespace std::chrono_literals;
using takt::no_request, takt::request_id;
template <std::size_t Clients>
struct newest_first_lock {
  takt::inline_vector<request_id, Clients> asked{};  // the holder, then who waits, the newest last
  static constexpr auto capacity() -> request_id { return Clients; }
  static constexpr auto replicas() -> takt::replica_id { return 1; }
  constexpr auto issue(request_id r, const takt::lock_request& /*q*/) { return asked.push_back(r), granted(r, true); }
  constexpr auto release(request_id r) { return asked[0] = asked.back(), asked.pop_back(), granted(r, false); }
  constexpr auto withdraw(request_id r) {
    std::shift_left(std::find(asked.begin(), asked.end(), r), asked.end(), 1);
    return asked.pop_back(), no_request;
  }
  constexpr void reprioritize(request_id /*r*/, const takt::priority_point& /*p*/) {}
  constexpr auto holds(request_id r) const { return !asked.empty() && asked[0] == r; }
  constexpr auto waits(request_id r) const { return !holds(r) && std::count(asked.begin(), asked.end(), r) > 0; }
  constexpr auto replica(request_id r) const { return holds(r) ? 0 : takt::no_replica; }
  constexpr auto heir(request_id r) const { return waits(r) ? asked[0] : no_request; }
  constexpr auto contended(request_id r) const { return holds(r) && asked.size() > 1; }
  constexpr auto granted(request_id r, bool self) const {  // by an event of r
    return !asked.empty() && (asked[0] == r) == self ? asked[0] : no_request;
  }
  constexpr auto operator==(const newest_first_lock&) const -> bool = default;
};
struct newest_first {
  static constexpr std::string_view name = "newest first";
  template <std::size_t Clients>
  static constexpr auto make_lock(const takt::token_setting& /*at*/) {
    return newest_first_lock<Clients>{};
  }
  static constexpr void delays(std::span<takt::section_demand> sections, const takt::token_setting& at) {
    takt::analysis::work_conserving_delays(sections, at.tokens);
  }
};
constexpr auto tasks = takt::task_set(
    takt::task("radar", takt::period(20ms), takt::cpu(1ms), takt::kernel(takt::work(3ms)), takt::cpu(1ms)),
    takt::task("map", takt::period(90ms), takt::cpu(5ms), takt::kernel(takt::work(9ms)), takt::cpu(4ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::edf),
                                      takt::pool(takt::virtual_sms(4, 2), takt::locked(newest_first{})));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(verdict.schedulable());
}  // namespace
auto main() -> int {
  const auto checked = takt::checking::check_lock(newest_first_lock<4>{});
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10s});
  std::cout << checked.states << " states: " << (checked.passed() ? "all is well" : checked.complaint) << '\n';
  return checked.passed() && seen.misses() == 0 ? 0 : 1;
}
