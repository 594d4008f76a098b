// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include <doctest/doctest.h>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>

namespace {

using takt::observation_status;
using takt::ticks;
using row = takt::observed_task<ticks>;
using seen = takt::observation<std::array<row, 2>, std::array<ticks, 3>>;

TEST_CASE(
    "responses of completed jobs are kept as their least, their greatest and their sum, which does not overflow") {
  row t;
  CHECK(t.mean_response() == 0);
  for (const ticks response : {7, 3, 9}) { note_completion(t, response); }
  CHECK(t.completed == 3);
  CHECK(t.best_response == 3);
  CHECK(t.worst_response == 9);
  CHECK(t.mean_response() == 6);
  note_completion(t, std::numeric_limits<ticks>::max());
  CHECK(t.total_response == std::numeric_limits<ticks>::max());
}

TEST_CASE("the first miss is that of the earliest deadline, in whatever order misses are noted") {
  row t;
  CHECK(t.first_miss == takt::no_instant);
  for (const ticks deadline : {40, 20, 30}) { note_miss(t, deadline); }
  CHECK(t.misses == 3);
  CHECK(t.first_miss == 20);
}

TEST_CASE("an observation says the worst that happened: a fault, an end, a miss, a bound that was exceeded") {
  seen o;
  o.tasks[1].first_visit = 1;
  o.visit_responses = {4, 5, 6};
  CHECK(o.visit_response(1, 1) == 6);
  CHECK(o.status() == observation_status::no_miss);
  o.tasks[0].within_bound = false;
  CHECK(o.status() == observation_status::exceeded);
  note_miss(o.tasks[1], 10);
  CHECK(o.status() == observation_status::missed);
  o.ended = observation_status::device_failed;
  CHECK(o.status() == observation_status::device_failed);
  o.error.fault = takt::model_fault::no_task;
  CHECK(o.status() == observation_status::invalid_model);
}

}  // namespace
