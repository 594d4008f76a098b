// SPDX-License-Identifier: Apache-2.0
// A protocol of one's own, newest request first: checked in every sequence of events, and proven.
#include <algorithm>
#include <iostream>

#include <takt/checking.hpp>
#include <takt/takt.hpp>

using namespace takt;
using namespace takt::literals;
using id = request_id;
template <std::size_t Clients>
struct newest_first_lock {
  inline_vector<id, Clients> asked{};  // the holder, then who waits, the newest last
  static constexpr auto capacity() -> id { return Clients; }
  static constexpr auto replicas() -> replica_id { return 1; }
  constexpr auto issue(id r, const lock_request& /*q*/) { return asked.unchecked_push_back(r), next(r, true); }
  constexpr auto release(id r) { return asked[0] = asked.back(), asked.pop_back(), next(r, false); }
  constexpr auto withdraw(id r) {
    return std::shift_left(std::find(asked.begin(), asked.end(), r), asked.end(), 1), asked.pop_back(), no_request;
  }
  constexpr void reprioritize(id /*r*/, const priority_point& /*p*/) {}
  constexpr auto holds(id r) const { return !asked.empty() && asked[0] == r; }
  constexpr auto waits(id r) const { return !holds(r) && std::count(asked.begin(), asked.end(), r) > 0; }
  constexpr auto replica(id r) const { return holds(r) ? 0 : no_replica; }
  constexpr auto inheritor(id r) const { return waits(r) ? asked[0] : no_request; }
  constexpr auto contended(id r) const { return holds(r) && asked.size() > 1; }
  constexpr auto next(id r, bool own) const { return !asked.empty() && holds(r) == own ? asked[0] : no_request; }
  constexpr auto operator==(const newest_first_lock&) const -> bool = default;
};
struct newest_first {
  static constexpr std::string_view name = "newest first";
  template <std::size_t Clients>
  static constexpr auto make_lock(const token_setting&) {
    return newest_first_lock<Clients>{};
  }
  static constexpr void delays(std::span<section_demand> sections, const token_setting& at) {
    analysis::work_conserving_delays(sections, at.tokens);
  }
};
constexpr auto tasks = task_set(task("radar", period(20_ms), cpu(1_ms), kernel(work(1500_us))),
                                task("map", period(90_ms), cpu(5_ms), kernel(work(4500_us))));
constexpr auto board = platform(pool(processors(1), edf), pool(virtual_sms(4, 1), locked(newest_first{})));
static_assert(analyze(board, tasks).schedulable());
auto main() -> int {
  const auto checked = checking::check_lock(newest_first_lock<4>{});
  std::cout << checked.states << " states: " << (checked.passed() ? "all is well" : checked.complaint) << '\n';
  return checked.passed() ? 0 : 1;
}
