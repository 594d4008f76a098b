// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/engine_demand.hpp>
#include <takt/analysis/methods/locking/group_lock.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/methods/locking/priority_mutex.hpp>
#include <takt/analysis/methods/locking/two_level.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::analysis;
using takt::rational;
using takt::ticks;

constexpr ticks most = std::numeric_limits<ticks>::max();

template <class Number>
void check_bound(const blocking_bound<Number>& b, Number expected) {
  CHECK(b.status == blocking_status::bounded);
  CHECK(b.time == expected);
}

template <class Number>
void check_refused(const blocking_bound<Number>& b, blocking_status why, std::int64_t least_queue_limit = 0) {
  CHECK(b.status == why);
  CHECK(b.least_queue_limit == least_queue_limit);
  CHECK(b.time == Number(0));
}

constexpr std::array<rational, 9> nine{10, 4, 4, 6, 2, 8, 8, 3, 5};

}  // namespace

TEST_CASE("waiting for one of three replicas: nine users, six processors, sections of ten") {
  check_bound<rational>(k_fmlp_by_count<rational>(9, 3, 10), 20);
  check_bound<rational>(r2dglp_wait<rational>(6, 3, 10), 30);
  check_bound<rational>(ck_omlp_direct<rational>(6, 3, 10), 10);
  check_bound<rational>(ck_omlp_indirect<rational>(6, 3, 10), 20);
  const std::array<rational, 9> mean{
      rational{40, 3}, rational{46, 3}, rational{46, 3}, rational{44, 3}, 16, 14, 14, rational{47, 3}, 15};
  for (std::size_t i = 0; i < nine.size(); ++i) {
    check_bound(k_fmlp_mean<rational>(nine, i, 3), mean[i]);
    check_bound(k_fmlp_by_time<rational>(nine, i, 3), mean[i]);
  }
  const std::array<ticks, 9> whole{10, 4, 4, 6, 2, 8, 8, 3, 5};
  check_bound<ticks>(k_fmlp_mean<ticks>(whole, 0, 3), 13);
}

TEST_CASE("queues measured by time keep the count bound where it is the lesser") {
  const std::array<ticks, 3> lengths{1, 9, 3};
  check_bound<ticks>(k_fmlp_mean<ticks>(lengths, 0, 2), 6);
  check_bound<ticks>(k_fmlp_by_time<ticks>(lengths, 0, 2), 6);
  check_bound<ticks>(k_fmlp_mean<ticks>(lengths, 0, 3), 4);
  check_bound<ticks>(k_fmlp_by_time<ticks>(lengths, 0, 3), 0);
}

TEST_CASE("nobody waits alone, for more replicas than users, or without requests") {
  check_bound<ticks>(k_fmlp_by_count<ticks>(1, 1, 10), 0);
  check_bound<ticks>(k_fmlp_by_count<ticks>(0, 1, 10), 0);
  check_bound<ticks>(k_fmlp_by_count<ticks>(4, 4, most), 0);
  check_bound<ticks>(k_fmlp_by_count<ticks>(5, 4, 10), 10);
  const std::array<ticks, 1> one{7};
  check_bound<ticks>(k_fmlp_by_time<ticks>(one, 0, 1), 0);
  check_bound<ticks>(ck_omlp_direct<ticks>(4, 9, 10), 0);
  check_bound<ticks>(ck_omlp_indirect<ticks>(4, 9, 10), 10);
  check_bound<ticks>(r2dglp_wait<ticks>(4, 9, 10), 10);
  check_bound<ticks>(per_job(0, r2dglp_wait<ticks>(4, 1, 10)), 0);
  check_bound<ticks>(per_job(3, r2dglp_wait<ticks>(2, 1, 10)), 90);
  check_bound<ticks>(ck_omlp_job<ticks>({}), 0);
}

TEST_CASE("a queue limit has a bound from the least sound one on, and below it a refusal that names it") {
  check_refused(k_fmlp_with_limit<ticks>(7, 3, 2, 10), blocking_status::queue_limit_too_small, 3);
  for (std::int64_t users = 1; users < 20; ++users) {
    for (std::int64_t k = 1; k < 8; ++k) {
      const std::int64_t least = (users + k - 1) / k;
      check_bound(k_fmlp_with_limit<ticks>(users, k, least, 10), k_fmlp_by_count<ticks>(users, k, 10).time);
      if (least > 1) {
        check_refused(k_fmlp_with_limit<ticks>(users, k, least - 1, 10), blocking_status::queue_limit_too_small, least);
        check_refused(r2dglp_with_limit<ticks>(users, k, least - 1, 10), blocking_status::queue_limit_too_small, least);
        const auto refused = ck_omlp_with_limit<ticks>(users, k, least - 1, 10);
        check_refused(refused.direct, blocking_status::queue_limit_too_small, least);
        check_refused(refused.indirect, blocking_status::queue_limit_too_small, least);
      }
      check_bound(r2dglp_with_limit<ticks>(users, k, least, 10), r2dglp_wait<ticks>(users, k, 10).time);
      check_bound<ticks>(r2dglp_with_limit<ticks>(users, k, least + 2, 10), 10 * (2 * (least + 2) - 1));
      const auto waits = ck_omlp_with_limit<ticks>(users, k, least, 10);
      check_bound(waits.direct, ck_omlp_direct<ticks>(users, k, 10).time);
      check_bound(waits.indirect, ck_omlp_indirect<ticks>(users, k, 10).time);
    }
  }
}

TEST_CASE("k = 1: the global OMLP waits 2m - 1 sections, the C-OMLP m - 1 and m") {
  check_bound<ticks>(r2dglp_wait<ticks>(4, 1, 10), 70);
  check_bound<ticks>(ck_omlp_direct<ticks>(4, 1, 10), 30);
  check_bound<ticks>(ck_omlp_indirect<ticks>(4, 1, 10), 40);
}

TEST_CASE("a job under the CK-OMLP lends once and waits per request") {
  std::array<omlp_resource<ticks>, 2> used{{{6, 3, 10, 0}, {6, 2, 9, 0}}};
  check_bound<ticks>(ck_omlp_job<ticks>(used), 27);
  used[0].requests = 2;
  used[1].requests = 1;
  check_bound<ticks>(ck_omlp_job<ticks>(used), 27 + 2 * 10 + 18);
  used[1].processors = 2;
  check_bound<ticks>(ck_omlp_job<ticks>(used), 20 + 2 * 10 + 0);
  used[0].requests = -1;
  check_refused(ck_omlp_job<ticks>(used), blocking_status::wrong_input);
}

TEST_CASE("bounds that do not fit are a status, as are counts and lengths that make no sense") {
  check_refused(k_fmlp_by_count<ticks>(4, 1, most), blocking_status::overflow);
  check_refused(k_fmlp_by_count<rational>(4, 1, rational{most}), blocking_status::overflow);
  check_refused(r2dglp_wait<ticks>(most, 1, 1), blocking_status::overflow);
  check_refused(ck_omlp_direct<ticks>(3, 1, most), blocking_status::overflow);
  check_refused(per_job(2, k_fmlp_by_count<ticks>(2, 1, most)), blocking_status::overflow);
  const std::array<ticks, 3> huge{most, most, most};
  check_refused(k_fmlp_mean<ticks>(huge, 0, 2), blocking_status::overflow);
  check_bound<ticks>(k_fmlp_by_time<ticks>(huge, 0, 2), most);
  check_refused(group_request_wait<ticks>(huge), blocking_status::overflow);
  check_refused(fifo_engine_wait<ticks>({most, 2, true}, 1), blocking_status::overflow);

  check_refused(k_fmlp_by_count<ticks>(4, 0, 1), blocking_status::wrong_input);
  check_refused(k_fmlp_by_count<ticks>(-1, 1, 1), blocking_status::wrong_input);
  check_refused(k_fmlp_by_count<ticks>(4, 1, -1), blocking_status::wrong_input);
  check_refused(k_fmlp_by_time<ticks>(huge, 3, 2), blocking_status::wrong_input);
  check_refused(r2dglp_wait<ticks>(0, 1, 1), blocking_status::wrong_input);
  check_refused(r2dglp_wait<ticks>(1, 0, 1), blocking_status::wrong_input);
  check_refused(r2dglp_with_limit<ticks>(1, 0, 1, 1), blocking_status::wrong_input);
  check_refused(r2dglp_with_limit<ticks>(1, 1, 0, 1), blocking_status::wrong_input);
  check_refused(ck_omlp_indirect<ticks>(1, 0, 1), blocking_status::wrong_input);
  check_refused(ck_omlp_with_limit<ticks>(1, 1, 0, 1).direct, blocking_status::wrong_input);
  check_refused(per_job(-1, k_fmlp_by_count<ticks>(2, 1, 5)), blocking_status::wrong_input);
  check_refused(group_request_worst_wait<ticks>(-1, 5), blocking_status::wrong_input);
  check_refused(fifo_engine_wait<ticks>({0, 1, false}, 5), blocking_status::wrong_input);
}

TEST_CASE("a request to a priority-ordered mutex waits for one lower section and the higher ones that come") {
  const std::array<ticks, 3> lower{4, 9, 2};
  check_bound<ticks>(best_waiter<ticks>(lower), 9);
  check_bound<ticks>(best_waiter<ticks>({}), 0);
  check_bound<ticks>(request_driven_wait<ticks>(9, {}, 100), 9);

  // 9, then one job of each within 9 + reach, then the second job of the first.
  const std::array<mutex_rival<ticks>, 2> higher{{{10, 3, 2}, {50, 20, 5}}};
  check_bound<ticks>(request_driven_wait<ticks>(9, higher, 100), 9 + 3 * 2 + 5);
  check_refused(request_driven_wait<ticks>(9, higher, 19), blocking_status::above_limit);
  check_bound<ticks>(takt::analysis::detail::higher_sections<ticks>(higher, 0), 2 + 5);
  check_bound<ticks>(takt::analysis::detail::job_driven_wait<ticks>(4, 9, higher, 27), 36 + 3 * 2 + 5);
  check_bound<ticks>(priority_mutex_wait<ticks>(1, 9, higher, 60), 20);
  check_bound<ticks>(priority_mutex_wait<ticks>(4, 9, higher, 27), 47);
  check_bound<ticks>(priority_mutex_wait<ticks>(0, 9, higher, 27), 0);

  const std::array<mutex_rival<ticks>, 1> overload{{{10, 0, 11}}};
  check_refused(request_driven_wait<ticks>(1, overload, 10'000), blocking_status::above_limit);
  const std::array<mutex_rival<ticks>, 1> huge{{{1, most, 1}}};
  check_refused(request_driven_wait<ticks>(1, huge, 10), blocking_status::overflow);
  const std::array<mutex_rival<ticks>, 1> still{{{0, 1, 1}}};
  check_refused(request_driven_wait<ticks>(1, still, 10), blocking_status::wrong_input);
  const auto within = [](const mutex_rival<ticks>& rival, ticks window) {
    return takt::analysis::detail::higher_sections<ticks>(std::array{rival}, window);
  };
  check_bound<ticks>(within({1, 1, 1}, 0), 1);
  check_bound<ticks>(within({10, 0, 0}, 9), 0);
  check_bound<ticks>(within({10, 3, 3}, 7), 3);
  check_bound<ticks>(within({10, 3, 3}, 8), 6);
  check_refused(within({10, -1, 3}, 9), blocking_status::wrong_input);
  check_refused(within({10, 0, -1}, 9), blocking_status::wrong_input);
  check_refused(within({10, 0, 3}, -1), blocking_status::wrong_input);
  check_refused(request_driven_wait<ticks>(-1, {}, 10), blocking_status::wrong_input);
}

TEST_CASE("a group request waits for the earlier ones in its way, at most for all others") {
  const std::array<ticks, 3> earlier{4, 9, 2};
  check_bound<ticks>(group_request_wait<ticks>(earlier), 15);
  check_bound<ticks>(group_request_worst_wait<ticks>(4, 9), 27);
  check_bound<ticks>(group_request_worst_wait<ticks>(1, 9), 0);
  check_bound<ticks>(group_request_worst_wait<ticks>(0, 9), 0);
}

TEST_CASE("waits for engines lengthen the section of the token, which the token's bound then counts") {
  const auto copy_in = fifo_engine_wait<ticks>({3, 2, false}, 4);
  check_bound<ticks>(copy_in, 8);
  const auto copy_between = fifo_engine_wait<ticks>({3, 2, true}, 4);
  check_bound<ticks>(copy_between, 20);
  check_bound<ticks>(fifo_engine_wait<ticks>({1, 1, true}, 4), 0);
  const std::array<engine_requests<ticks>, 2> engines{{{2, copy_in}, {1, fifo_engine_wait<ticks>({3, 2, false}, 10)}}};
  const auto section = token_section<ticks>(30, engines);
  check_bound<ticks>(section, 30 + 16 + 20);
  check_bound<ticks>(k_fmlp_by_count<ticks>(13, 6, section.time), 2 * 66);
  const std::array<engine_requests<ticks>, 1> unbounded{{{1, {0, blocking_status::above_limit, 0}}}};
  check_refused(token_section<ticks>(30, unbounded), blocking_status::above_limit);
}

TEST_CASE("as one notional processor the engines of a GPU refuse 51 % plus 51 %, as two they do not" *
          takt_tests::traces("GSD-56")) {
  std::array<engine_demand<ticks>, 2> half{{{0, 51, 100}, {1, 51, 100}}};
  CHECK(check_demand<ticks>(half, engine_view::separate) == demand_status::fits);
  CHECK(check_demand<ticks>(half, engine_view::merged) == demand_status::overloaded);
  half[1].work = 49;
  CHECK(check_demand<ticks>(half, engine_view::merged) == demand_status::fits);
  half[1].engine = 0;
  half[0].work = 52;
  CHECK(check_demand<ticks>(half, engine_view::separate) == demand_status::overloaded);
  CHECK(check_demand<ticks>({}, engine_view::merged) == demand_status::fits);
  half[1].period = 0;
  CHECK(check_demand<ticks>(half, engine_view::merged) == demand_status::wrong_input);
  const std::array<engine_demand<ticks>, 2> coprime{{{0, 1, most}, {0, 1, most - 1}}};
  CHECK(check_demand<ticks>(coprime, engine_view::merged) == demand_status::overflow);
  const std::array<engine_demand<rational>, 2> thirds{{{0, rational{1, 3}, 1}, {1, 2, 3}}};
  CHECK(check_demand<rational>(thirds, engine_view::merged) == demand_status::fits);
}

TEST_CASE("queues measured by requests do not keep the mean: a wait of ten where the others' mean is six") {
  // Clients 0 and 2 take turns of 1 on one replica, client 1 holds the other for 10, client 3 stands behind it.
  takt::k_fmlp<2, 4> lock;
  CHECK(lock.issue(0, {{}, 1}) == 0);
  CHECK(lock.issue(1, {{}, 10}) == 1);
  CHECK(lock.issue(2, {{}, 1}) == takt::no_request);
  CHECK(lock.issue(3, {{}, 1}) == takt::no_request);
  ticks now = 0;
  for (takt::request_id turn = 0; now < 9; turn = 2 - turn) {
    ++now;
    CHECK(lock.release(turn) == 2 - turn);
    CHECK(lock.issue(turn, {{}, 1}) == takt::no_request);
  }
  CHECK(lock.waits(3));
  ++now;
  CHECK(lock.release(1) == 3);
  const std::array<ticks, 4> lengths{1, 10, 1, 1};
  CHECK(k_fmlp_mean<ticks>(lengths, 3, 2).time < now);
  check_bound(k_fmlp_by_count<ticks>(4, 2, 10), now);
}
