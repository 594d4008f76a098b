// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/responses.hpp>

#include <span>

#include <doctest/doctest.h>

#include <unit/analysis/pools/far_limit.hpp>

namespace an = takt::analysis;
using takt_tests::response_beside;

TEST_CASE("a response below work that leaves nothing of a unit is given up, however far its limit is") {
  CHECK(response_beside(5, 2, an::preemptive_priority_responses) == 12);
  CHECK(response_beside(6, 2, an::preemptive_priority_responses) == takt::given_up_response);
  CHECK(response_beside(5, 2, an::nonpreemptive_priority_responses) == 17);
  CHECK(response_beside(6, 2, an::nonpreemptive_priority_responses) == takt::given_up_response);
}

TEST_CASE("so it is where all jobs of a busy period are counted") {
  const auto queued = [](const auto& responses) {
    return [&responses](std::span<takt::visit_demand> v) {
      v[1].may_queue = true;
      responses(v);
      CHECK(v[1].late == v[1].response);
    };
  };
  CHECK(response_beside(6, 2, queued(an::preemptive_priority_responses)) == takt::given_up_response);
  CHECK(response_beside(6, 2, queued(an::nonpreemptive_priority_responses)) == takt::given_up_response);
}

TEST_CASE("a response above its limit is unbounded, and not given up") {
  const auto near = [](const auto& responses) {
    return [&responses](std::span<takt::visit_demand> v) {
      v[1].limit = 100;
      responses(v);
    };
  };
  CHECK(response_beside(6, 2, near(an::preemptive_priority_responses)) == takt::unbounded_response);
  CHECK(response_beside(6, 2, near(an::nonpreemptive_priority_responses)) == takt::unbounded_response);
}

TEST_CASE("of two times the longer counts, and one without a bound before one that was given up") {
  constexpr takt::ticks none = takt::unbounded_response;
  constexpr takt::ticks open = takt::given_up_response;
  CHECK(takt::detail::longer_response(2, 3) == 3);
  CHECK(takt::detail::longer_response(3, 2) == 3);
  CHECK(takt::detail::longer_response(2, open) == open);
  CHECK(takt::detail::longer_response(none, 2) == none);
  CHECK(takt::detail::longer_response(none, open) == none);
  CHECK(takt::detail::longer_response(open, none) == none);
  CHECK(takt::detail::longer_response(open, open) == open);
}
