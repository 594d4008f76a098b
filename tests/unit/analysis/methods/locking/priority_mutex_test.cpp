// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include <takt/analysis/methods/locking/priority_mutex.hpp>
#include <takt/core/random.hpp>
#include "support/environment.hpp"

namespace {

using namespace takt::analysis;
using takt::ticks;

/// A task whose jobs take the mutex several times, with time of their own before each section.
struct client {
  ticks period = 0;
  ticks section = 0;
  ticks gap = 0;
  int requests = 0;

  ticks next_release = 0;
  ticks released = 0;
  ticks left = 0;
  ticks asked = 0;
  int to_come = 0;
  bool waits = false;
  bool active = false;

  ticks worst_response = 0;
  ticks worst_wait = 0;
  ticks waited = 0;
  ticks worst_job = 0;
};

[[nodiscard]] auto runs() -> int { return takt_tests::from_environment<int>("TAKT_MUTEX_RUNS", 200); }

/// One unit of time at a time; ranks are priorities, and requests of an instant compete before a grant.
void simulate(std::vector<client>& clients, takt::random_stream& random, ticks horizon) {
  client* holder = nullptr;
  for (ticks now = 0; now < horizon; ++now) {
    for (auto& c : clients) {
      if (c.active && !c.waits && c.left == 0) {
        if (&c == holder) {
          holder = nullptr;
          --c.to_come;
          c.left = c.gap;
          if (c.to_come == 0) {
            c.active = false;
            c.worst_response = std::max(c.worst_response, now - c.released);
            c.worst_job = std::max(c.worst_job, c.waited);
          }
        }
      }
      if (!c.active && c.next_release <= now) {
        c.active = true;
        c.released = c.next_release;
        c.next_release += c.period + random.below(4);
        c.to_come = c.requests;
        c.left = c.gap;
        c.waited = 0;
      }
      if (c.active && !c.waits && c.left == 0 && &c != holder) {
        c.waits = true;
        c.asked = now;
      }
    }
    for (auto& c : clients) {
      if (holder != nullptr || !c.waits) { continue; }
      holder = &c;
      c.waits = false;
      c.left = c.section;
      c.waited += now - c.asked;
      c.worst_wait = std::max(c.worst_wait, now - c.asked);
    }
    for (auto& c : clients) { c.left -= c.active && !c.waits ? 1 : 0; }
  }
}

}  // namespace

TEST_CASE("simulated waits for a priority-ordered mutex stay within their bounds and reach them") {
  takt::random_stream random{5};
  int reached = 0;
  for (int run = 0; run < runs(); ++run) {
    std::vector<client> clients(static_cast<std::size_t>(random.between(2, 5)));
    for (auto& c : clients) {
      c.period = random.between(20, 90);
      c.section = random.between(1, 7);
      c.gap = random.between(1, 6);
      c.requests = static_cast<int>(random.between(1, 2));
      c.next_release = random.below(30);
    }
    simulate(clients, random, 3'000);
    std::vector<mutex_rival<ticks>> higher;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const auto& c = clients[i];
      std::vector<ticks> lower;
      for (std::size_t l = i + 1; l < clients.size(); ++l) { lower.push_back(clients[l].section); }
      const auto longest = takt::analysis::detail::longest_of<ticks>(lower);
      const auto request = request_driven_wait<ticks>(longest, higher, 3'000);
      // A job that is late begins its next one late: then its deadline, here the period, is no reach.
      if (c.worst_response > c.period) { break; }
      CAPTURE(run);
      CAPTURE(i);
      if (request.bounded()) {
        CHECK(c.worst_wait <= request.time);
        reached += c.worst_wait == request.time && request.time > 0 ? 1 : 0;
      }
      const auto job = priority_mutex_wait<ticks>(c.requests, longest, higher, c.worst_response);
      if (job.bounded()) { CHECK(c.worst_job <= job.time); }
      higher.push_back({c.period, c.worst_response, c.requests * c.section});
    }
  }
  CHECK(reached > 0);
}
