// SPDX-License-Identifier: Apache-2.0
// Holds simulated blocking against the bounds of every locking protocol, and shows where rules as printed exceed them.
// TAKT_RANDOM_LOCK_SYSTEMS sets how many systems each case looks at.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/group_lock.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/methods/locking/two_level.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>

#include "support/environment.hpp"
#include "support/random_lock_systems.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt_tests;
using takt::analysis::blocking_bound;

constexpr std::size_t tasks = most_lock_tasks;
constexpr std::size_t replicas = most_lock_replicas;
using gpu_tokens = takt::r2dglp<replicas, tasks>;

/// What was seen of one protocol and its bounds.
struct record {
  std::uint64_t systems = 0;
  std::uint64_t requests = 0;
  std::uint64_t attained = 0;  ///< requests that were blocked for exactly a bound above zero
  std::uint64_t violating_systems = 0;
  std::string first_violation;
};

/// Bounds per request by resource and task, and per job by task. Each of them must hold a value.
struct promise {
  std::function<blocking_bound<ticks>(std::size_t, std::size_t)> request;
  std::function<blocking_bound<ticks>(std::size_t)> donation;
  std::function<blocking_bound<ticks>(std::size_t)> whole_job{};  ///< where there is a bound of its own
};

[[nodiscard]] auto task_of(const lock_programs& w, std::size_t job) -> std::size_t {
  std::size_t t = 0;
  for (; job >= w.tasks[t].jobs.size(); ++t) { job -= w.tasks[t].jobs.size(); }
  return t;
}

/// A job may be blocked for the bounds of its own requests and the time of a donation; time in which it is ready and
/// less important jobs run instead belongs to neither and is never due to a sound protocol.
template <class System>
void compare(const System& s, const lock_result& seen, const promise& p, record& out) {
  REQUIRE_FALSE(seen.error);
  std::string wrong;
  const auto hold = [&](ticks value, const blocking_bound<ticks>& bound, const std::string& what) {
    REQUIRE(bound.bounded());
    if (value > bound.time) { wrong = what + ": " + std::to_string(value) + " > " + std::to_string(bound.time); }
  };
  for (const auto& q : seen.requests) {
    const std::size_t t = task_of(s.workload, q.job);
    const auto bound = p.request(static_cast<std::size_t>(q.resource), t);
    hold(q.blocked, bound, "a request of task " + std::to_string(t));
    ++out.requests;
    out.attained += q.blocked > 0 && q.blocked == bound.time ? 1U : 0U;
  }
  for (std::size_t j = 0; j < seen.jobs.size(); ++j) {
    const std::size_t t = task_of(s.workload, j);
    const auto& i = seen.jobs[j].inversion;
    if (seen.jobs[j].finish == takt::no_instant) { wrong = "a job of task " + std::to_string(t) + " does not end"; }
    if (i.ready > 0) { wrong = "task " + std::to_string(t) + " is ready and does not run"; }
    if (i.oblivious() > i.aware) {
      wrong = "task " + std::to_string(t) + " is blocked longer than by the s-aware count";
    }
    hold(i.donating, p.donation(t), "the donation of task " + std::to_string(t));
    if (p.whole_job) { hold(i.oblivious(), p.whole_job(t), "a job of task " + std::to_string(t)); }
  }
  ++out.systems;
  if (wrong.empty()) { return; }
  if (out.violating_systems++ == 0) { out.first_violation = wrong + "\n" + describe(s); }
}

template <class DonationRules = takt::donation_rules, class Make>
void examine(const random_lock_system& s, bool donation_at_release, const Make& make_lock, const promise& p,
             record& out, const takt::any_progress& progress = takt::priority_inheritance{}) {
  using lock = decltype(make_lock(std::size_t{}));
  lock_bank<lock> bank;
  for (std::size_t r = 0; r < s.replicas.size(); ++r) { bank.add(make_lock(r), {.progress = progress}); }
  const lock_options options{
      .processors = s.processors, .clusters = s.clusters, .donation_at_release = donation_at_release};
  compare(s, simulate_locks<DonationRules>(s.workload, bank, options), p, out);
}

[[nodiscard]] auto no_donation(std::size_t /*task*/) -> blocking_bound<ticks> { return {}; }

using takt_tests::from_environment;

/// `least`: so many systems at any rate, where one of them is to be found.
template <class Examine>
auto over_random_systems(lock_system_generator::limits most, const Examine& examine_one, std::uint64_t least = 0)
    -> record {
  record out;
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = std::max(from_environment("TAKT_RANDOM_LOCK_SYSTEMS", 500), least);
  for (std::uint64_t i = 0; i < count; ++i) { examine_one(lock_system_generator(seeds.next()).make(most), out); }
  return out;
}

template <class Examine>
auto over_random_gpu_systems(const Examine& examine_one) -> record {
  record out;
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_LOCK_SYSTEMS", 500);
  for (std::uint64_t i = 0; i < count; ++i) { examine_one(make_gpu_system(seeds.next()), out); }
  return out;
}

void check_sound(const std::string& name, const record& r) {
  MESSAGE(name, ": ", r.systems, " systems, ", r.requests, " requests, ", r.attained, " bounds attained, ",
          r.violating_systems, " systems with violations");
  CHECK(r.requests > 0);
  CHECK_MESSAGE(r.violating_systems == 0, r.first_violation);
}
void check_unsound(const std::string& name, const record& r) {
  MESSAGE(name, ": ", r.violating_systems, " of ", r.systems,
          " systems violate the bound; the first: ", r.first_violation);
  CHECK(r.violating_systems > 0);
}

/// Seeds of the random advice differ from system to system.
[[nodiscard]] auto advice_for(const random_lock_system& s) -> random_advice {
  return {.random = takt::random_stream{s.seed ^ 0x5bd1'e995U}};
}
[[nodiscard]] auto least_limit(const random_lock_system& s, std::size_t r) -> std::int32_t {
  return takt::ceil_divide(s.processors, s.replicas[r]);
}
[[nodiscard]] auto promise_of_r2dglp(const random_lock_system& s, std::int32_t more = 0) -> promise {
  return {[&s, more](std::size_t r, std::size_t /*t*/) {
            return takt::analysis::r2dglp_with_limit(std::int64_t{s.processors}, s.replicas[r],
                                                     least_limit(s, r) + more, s.longest_section(r));
          },
          no_donation};
}
/// Resources that tasks of the cluster of t use, and how often t itself does.
[[nodiscard]] auto used_around(const random_lock_system& s, std::size_t t)
    -> std::vector<takt::analysis::omlp_resource<ticks>> {
  std::vector<takt::analysis::omlp_resource<ticks>> out;
  for (std::size_t r = 0; r < s.replicas.size(); ++r) {
    bool used = false;
    for (std::size_t u = 0; u < s.workload.tasks.size(); ++u) {
      used = used || (s.workload.tasks[u].cluster == s.workload.tasks[t].cluster && s.requests[r][u] > 0);
    }
    if (!used) { continue; }
    out.push_back({.processors = std::int64_t{s.processors} * s.clusters,
                   .replicas = s.replicas[r],
                   .longest = s.longest_section(r),
                   .requests = s.requests[r][t]});
  }
  return out;
}
/// `more`: places of each queue above the least.
[[nodiscard]] auto promise_of_ck_omlp(const random_lock_system& s, std::int64_t more = 0) -> promise {
  const auto waits = [more](std::int64_t cpus, std::int64_t k, ticks longest) {
    return takt::analysis::ck_omlp_with_limit(cpus, k, takt::analysis::detail::queue_length(cpus, k) + more, longest);
  };
  const std::int64_t cpus = std::int64_t{s.processors} * s.clusters;
  promise p{[&s, waits, cpus](std::size_t r, std::size_t /*t*/) {
              return waits(cpus, s.replicas[r], s.longest_section(r)).direct;
            },
            [&s, waits](std::size_t t) {
              blocking_bound<ticks> worst;
              for (const auto& u : used_around(s, t)) {
                const auto loan = waits(u.processors, u.replicas, u.longest).indirect;
                if (worst.time < loan.time) { worst = loan; }
              }
              return worst;
            }};
  if (more == 0) {
    p.whole_job = [&s](std::size_t t) {
      const auto used = used_around(s, t);
      return takt::analysis::ck_omlp_job(std::span<const takt::analysis::omlp_resource<ticks>>{used});
    };
  }
  return p;
}

}  // namespace

TEST_CASE("no request under the k-FMLP is blocked for longer than its bound, by count or by declared length" *
          takt_tests::traces("GSD-32")) {
  using lock = takt::k_fmlp<replicas, tasks>;
  const auto make = [](const random_lock_system& s, takt::queue_measure measure) {
    return [&s, measure](std::size_t r) { return lock{{.replicas = s.replicas[r], .measure = measure}}; };
  };
  check_sound("k-FMLP by count", over_random_systems({}, [&](const random_lock_system& s, record& out) {
                examine(s, false, make(s, takt::queue_measure::requests),
                        {[&s](std::size_t r, std::size_t) {
                           return takt::analysis::k_fmlp_by_count(s.users(r), s.replicas[r], s.longest_section(r));
                         },
                         no_donation},
                        out);
              }));
  check_sound("k-FMLP by length", over_random_systems({}, [&](const random_lock_system& s, record& out) {
                examine(s, false, make(s, takt::queue_measure::declared_times),
                        {[&s](std::size_t r, std::size_t t) {
                           return takt::analysis::k_fmlp_by_time(std::span<const ticks>{s.longest[r]}, t,
                                                                 s.replicas[r]);
                         },
                         no_donation},
                        out);
              }));
}

TEST_CASE("the k-FMLP with a limit on its queues keeps its bound under any advice, also on stealing" *
          takt_tests::traces("GSD-32 GSD-65")) {
  using lock = takt::k_fmlp<replicas, tasks, random_advice>;
  check_sound("k-FMLP with random advice", over_random_systems({}, [](const random_lock_system& s, record& out) {
                const auto limit = [&s](std::size_t r) {
                  return takt::analysis::detail::queue_length(static_cast<std::int64_t>(tasks), s.replicas[r]);
                };
                examine(
                    s, false, [&s](std::size_t r) { return lock{{.replicas = s.replicas[r]}, advice_for(s)}; },
                    {[&s, limit](std::size_t r, std::size_t) {
                       return takt::analysis::k_fmlp_with_limit(s.users(r), s.replicas[r], limit(r),
                                                                s.longest_section(r));
                     },
                     no_donation},
                    out);
              }));
}

TEST_CASE("no request under the R2DGLP is blocked for longer than its bound" * takt_tests::traces("GSD-33")) {
  check_sound("R2DGLP", over_random_systems({}, [](const random_lock_system& s, record& out) {
                using lock = takt::r2dglp<replicas, tasks>;
                examine(
                    s, false,
                    [&s](std::size_t r) { return lock{{.replicas = s.replicas[r], .cluster = s.processors}}; },
                    promise_of_r2dglp(s), out);
              }));
}

TEST_CASE("the R2DGLP keeps its bound under any advice and with any longer queues" *
          takt_tests::traces("GSD-33 GSD-65")) {
  using lock = takt::r2dglp<replicas, tasks, random_advice>;
  for (const std::int32_t more : {0, 1, 3}) {
    check_sound(
        "R2DGLP with random advice", over_random_systems({}, [&](const random_lock_system& s, record& out) {
          examine(
              s, false,
              [&](std::size_t r) {
                return lock{
                    {.replicas = s.replicas[r], .cluster = s.processors, .queue_limit = least_limit(s, r) + more},
                    advice_for(s)};
              },
              promise_of_r2dglp(s, more), out);
        }));
  }
}

TEST_CASE("neither requests nor donations nor whole jobs under the CK-OMLP exceed their bounds" *
          takt_tests::traces("GSD-34")) {
  constexpr lock_system_generator::limits most{.clusters = 3, .resources = 2};
  check_sound("CK-OMLP, one queue", over_random_systems(most, [](const random_lock_system& s, record& out) {
                using lock = takt::ck_omlp<replicas, tasks>;
                examine(s, true, [&s](std::size_t r) { return lock{s.replicas[r]}; }, promise_of_ck_omlp(s), out);
              }));
  check_sound("CK-OMLP, k queues", over_random_systems(most, [](const random_lock_system& s, record& out) {
                using lock = takt::k_fmlp<replicas, tasks>;
                examine(
                    s, true, [&s](std::size_t r) { return lock{{.replicas = s.replicas[r]}}; }, promise_of_ck_omlp(s),
                    out, takt::no_progress{});
              }));
}

TEST_CASE("queues with a place for every processor that shares them keep the bounds of the CK-OMLP" *
          takt_tests::traces("GSD-66")) {
  constexpr lock_system_generator::limits most{.clusters = 3, .resources = 1};
  using lock = takt::r2dglp<replicas, tasks, random_advice>;
  for (const std::int32_t more : {0, 1}) {
    check_sound("CK-OMLP, k queues with random advice",
                over_random_systems(most, [&](const random_lock_system& s, record& out) {
                  const std::int32_t cpus = s.processors * s.clusters;
                  examine(
                      s, true,
                      [&](std::size_t r) {
                        return lock{{.replicas = s.replicas[r],
                                     .cluster = cpus,
                                     .queue_limit = takt::ceil_divide(cpus, s.replicas[r]) + more},
                                    advice_for(s)};
                      },
                      promise_of_ck_omlp(s, more), out, takt::no_progress{});
                }));
  }
}

TEST_CASE("neither tokens nor engines in the order of requests are waited for longer than bounded" *
          takt_tests::traces("GSD-74 GSD-64")) {
  const auto examine_one = [](const random_gpu_system& s, record& out) {
    lock_bank<gpu_tokens, takt::fifo_mutex<tasks>> bank;
    s.add_locks(bank, takt::fifo_mutex<tasks>{});
    const auto seen = takt_tests::simulate_locks(s.workload, bank, {.processors = s.processors});
    const takt::analysis::engine_users users{.tokens_per_gpu = s.tokens_per_gpu, .gpus = s.gpus};
    const auto engine_bound = [&](std::size_t kind) {
      return takt::analysis::fifo_engine_wait(users, s.longest_operation[kind]);
    };
    ticks longest = 0;
    for (const auto& section : s.sections) {
      std::vector<takt::analysis::engine_requests<ticks>> engines;
      for (std::size_t e = 0; e < engine_kinds; ++e) { engines.push_back({section.requests[e], engine_bound(e)}); }
      const auto whole =
          takt::analysis::token_section(section.own, std::span<const takt::analysis::engine_requests<ticks>>{engines});
      longest = std::max(longest, whole.time);
    }
    const auto token_bound = takt::analysis::r2dglp_wait(s.processors, s.tokens_per_gpu * s.gpus, longest);
    compare(
        s, seen,
        {[&](std::size_t r, std::size_t) { return r == 0 ? token_bound : engine_bound(s.kind_of(r)); }, no_donation},
        out);
  };
  check_sound("tokens and FIFO engines", over_random_gpu_systems(examine_one));
}

TEST_CASE("the best job waits for an engine in priority order for one operation at most" *
          takt_tests::traces("GSD-74")) {
  const auto examine_one = [](const random_gpu_system& s, record& out) {
    lock_bank<gpu_tokens, takt::priority_mutex<tasks>> bank;
    s.add_locks(bank, takt::priority_mutex<tasks>{});
    const auto seen = takt_tests::simulate_locks(s.workload, bank, {.processors = s.processors});
    compare(s, seen,
            {[&](std::size_t r, std::size_t t) {
               const bool best = r > 0 && s.workload.tasks[t].jobs[0].priority.point == 0;
               return blocking_bound<ticks>{best ? s.longest_operation[s.kind_of(r)] : ticks{1'000'000}};
             },
             no_donation},
            out);
  };
  const record seen = over_random_gpu_systems(examine_one);
  check_sound("priority engines", seen);
  CHECK(seen.attained > 0);
}

TEST_CASE("requests for several mutexes at once end one after the other at the latest, without deadlock" *
          takt_tests::traces("GSD-28")) {
  record out;
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_LOCK_SYSTEMS", 500);
  for (std::uint64_t i = 0; i < count; ++i) {
    const random_group_system s = make_group_system(seeds.next());
    lock_bank<takt::fifo_mutex<tasks>> bank;
    for (std::size_t r = 0; r < group_mutexes; ++r) { bank.add(takt::fifo_mutex<tasks>{}); }
    const auto seen = takt_tests::simulate_locks(s.workload, bank, {.processors = s.processors});
    const auto each =
        takt::analysis::group_request_worst_wait(static_cast<std::int64_t>(s.workload.tasks.size()), s.longest);
    compare(s, seen,
            {[&](std::size_t, std::size_t) { return each; }, no_donation,
             [&](std::size_t t) { return takt::analysis::per_job(s.requests[t], each); }},
            out);
  }
  check_sound("groups of mutexes", out);
}

namespace {

constexpr std::uint64_t enough_to_find_one = 3000;

template <class Rules>
[[nodiscard]] auto r2dglp_as_printed(std::int32_t queue_limit = 0) -> record {
  using lock = takt::as_published::r2dglp<Rules, replicas, tasks>;
  return over_random_systems(
      {},
      [queue_limit](const random_lock_system& s, record& out) {
        examine(
            s, false,
            [&](std::size_t r) {
              return lock{{.replicas = s.replicas[r], .cluster = s.processors, .queue_limit = queue_limit}};
            },
            promise_of_r2dglp(s), out);
      },
      enough_to_find_one);
}

template <class DonationRules>
[[nodiscard]] auto donation_as_printed() -> record {
  return over_random_systems(
      {.clusters = 3, .resources = 1},
      [](const random_lock_system& s, record& out) {
        using lock = takt::ck_omlp<replicas, tasks>;
        examine<DonationRules>(
            s, true, [&s](std::size_t r) { return lock{s.replicas[r]}; }, promise_of_ck_omlp(s), out);
      },
      enough_to_find_one);
}

}  // namespace

TEST_CASE("the R2DGLP as printed exceeds its bound with a place too many and with donors counted" *
          takt_tests::traces("GSD-33")) {
  check_unsound("printed R1a", r2dglp_as_printed<takt::as_published::r2dglp_r1a>());
  check_unsound("printed R1c", r2dglp_as_printed<takt::as_published::r2dglp_r1c>());
}

TEST_CASE("donees that keep their donors exceed the bound too rarely for a random search" *
          takt_tests::traces("GSD-33")) {
  check_sound("donees rise", r2dglp_as_printed<takt::as_published::r2dglp_donees_rise>());
}

TEST_CASE("without a step that fills a freed place the R2DGLP keeps its bound and leaves replicas idle" *
          takt_tests::traces("GSD-33")) {
  check_sound("printed R5", r2dglp_as_printed<takt::as_published::r2dglp_r5>());
  const auto waiting = [](auto rules) {
    using lock = takt::as_published::r2dglp<decltype(rules), 2, 4>;
    lock_bank<lock> bank;
    bank.add(lock{{.replicas = 2, .cluster = 4}});
    lock_programs w;
    for (std::int64_t i = 0; i < 4; ++i) { w.task().lock(0).suspend(i % 2 == 0 ? 100 : 1).unlock(0).released(0, {i}); }
    return takt_tests::simulate_locks(w, bank, {.processors = 4}).jobs[2].inversion.waiting;
  };
  CHECK(waiting(takt::as_published::r2dglp_r5{}) == 100);
  CHECK(waiting(takt::r2dglp_rules{}) == 2);
}

TEST_CASE("queues of one request or of any number exceed the bounds that are claimed for them" *
          takt_tests::traces("GSD-65")) {
  check_unsound("R2DGLP, f = 1", r2dglp_as_printed<takt::as_published::r2dglp_any_queue_limit>(1));
  check_unsound("k-FMLP with advice and no limit",
                over_random_systems(
                    {},
                    [](const random_lock_system& s, record& out) {
                      // Room for many more tasks than there are, so that no queue is ever full.
                      using lock = takt::k_fmlp<replicas, tasks * replicas, random_advice>;
                      examine(
                          s, false, [&s](std::size_t r) { return lock{{.replicas = s.replicas[r]}, advice_for(s)}; },
                          {[&s](std::size_t r, std::size_t) {
                             return takt::analysis::k_fmlp_by_count(s.users(r), s.replicas[r], s.longest_section(r));
                           },
                           no_donation},
                          out);
                    },
                    enough_to_find_one));
}

TEST_CASE("queues measured by the number of requests exceed the bound of those measured by length" *
          takt_tests::traces("GSD-32")) {
  // Two tasks with short sections keep one replica busy, while another waits behind the long section.
  const auto blocked = [](takt::queue_measure measure) {
    using lock = takt::k_fmlp<2, 4>;
    lock_bank<lock> bank;
    bank.add(lock{{.replicas = 2, .measure = measure}});
    lock_programs w;
    w.task().lock(0).suspend(10).unlock(0).released(0, {0});
    for (std::int64_t t = 1; t <= 3; ++t) {
      w.task();
      for (int i = 0; i < (t == 2 ? 1 : 8); ++i) { w.lock(0).suspend(1).unlock(0); }
      w.released(0, {t});
    }
    const auto r = takt_tests::simulate_locks(w, bank, {.processors = 4});
    return r.jobs[2].inversion.waiting;
  };
  const std::vector<ticks> longest{10, 1, 1, 1};
  const auto mean = takt::analysis::k_fmlp_mean(std::span<const ticks>{longest}, 2, 2);
  CHECK(mean.time == 6);
  CHECK(blocked(takt::queue_measure::requests) == 10);
  CHECK(blocked(takt::queue_measure::declared_times) <= mean.time);
}

TEST_CASE("donation as printed exceeds the bounds without its gate, and not for its late end" *
          takt_tests::traces("GSD-24 GSD-34")) {
  check_unsound("without the gate", donation_as_printed<takt::as_published::donation_without_gate>());
  check_sound("to the end of the request", donation_as_printed<takt::as_published::donation_to_the_end>());
}
