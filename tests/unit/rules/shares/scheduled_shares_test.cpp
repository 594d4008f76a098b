// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>

namespace {

using predictor = takt::contention_predictor<2>;
using policy = takt::scheduled_shares<2, predictor>;

auto table_with(takt::ticks period) -> takt::application_set<2> {
  takt::application_set<2> t;
  REQUIRE(t.tasks.try_push_back(
      {.name = "a", .period = period, .deadline = period, .priority = 1, .alone = takt::wcet_row::scaling(5)}));
  return t;
}

}  // namespace

TEST_CASE("a policy of shares says what is wrong with its applications, and nothing if nothing is") {
  const auto good = table_with(20);
  CHECK_FALSE(policy(good, predictor(good)).error());
  const auto wrong = table_with(0);
  CHECK(policy(wrong, predictor(wrong)).error().fault == takt::model_fault::period_not_positive);
  CHECK(policy{}.error().fault == takt::model_fault::no_task);
}

TEST_CASE("a policy of shares gives an application that is alone what its job needs, and takes it back at its end") {
  const auto table = table_with(20);
  policy p(table, predictor(table));
  p.release(0, 0, 20);
  CHECK(p.decide(0).operated);
  CHECK(p.held(0).percent() > 0);
  p.complete(0);
  static_cast<void>(p.decide(5));
  CHECK(p.held(0) == takt::no_share);
}
