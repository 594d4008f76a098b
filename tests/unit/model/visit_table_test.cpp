// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/visit_table.hpp>

namespace {

using takt::longest_visit_time;
using takt::model_fault;
using table = takt::visit_table<2, 8>;

/// A task of one visit, and one of four in a row that holds a token during its second and third.
auto two_tasks() -> table {
  table t;
  REQUIRE(t.add_task({.name = "short", .period = 10, .deadline = 10}));
  REQUIRE(t.add_next(0, 1, 1));
  REQUIRE(t.add_task({.name = "long", .period = 40, .deadline = 30}));
  for (const takt::ticks length : {2, 3, 4, 5}) { REQUIRE(t.add_next(1, 0, length)); }
  REQUIRE(t.sections.try_push_back({.task = 1, .visits = 0b0110}));
  return t;
}

/// What is wrong after a change, on two stations with one pool of tokens.
auto fault_after(const auto& change) -> takt::model_error {
  table t = two_tasks();
  change(t);
  return takt::validate(t, 2, 1);
}

}  // namespace

TEST_CASE("times of visits are refused outside of their range, and stand at its ends") {
  CHECK_FALSE(fault_after([](table&) {}));
  CHECK_FALSE(fault_after([](table& t) { t.visits[0].lower = 0; }));
  CHECK_FALSE(fault_after([](table& t) { t.visits[0].upper = longest_visit_time; }));
  CHECK_FALSE(fault_after([](table& t) { t.tasks[1].deadline = 40; }));
  CHECK_FALSE(fault_after([](table& t) { t.tasks[1].deadline = 1; }));
  CHECK_FALSE(fault_after([](table& t) { t.tasks[1].period = longest_visit_time; }));
  CHECK_FALSE(fault_after([](table& t) { t.tasks[1].jitter = longest_visit_time; }));
  CHECK(fault_after([](table& t) { t.visits[2].lower = -1; }) == takt::fault_at(model_fault::negative_time, 1, 1));
  CHECK(fault_after([](table& t) { t.visits[2].lower = 4; }) ==
        takt::fault_at(model_fault::best_case_exceeds_worst_case, 1, 1));
  CHECK(fault_after([](table& t) { t.visits[2].upper = longest_visit_time + 1; }) ==
        takt::fault_at(model_fault::time_overflow, 1, 1));
  CHECK(fault_after([](table& t) { t.visits[2].station = 2; }) ==
        takt::fault_at(model_fault::platform_size_out_of_range, 1, 1));
  CHECK(fault_after([](table& t) { t.tasks[1].period = 0; }) == takt::fault_at(model_fault::period_not_positive, 1));
  CHECK(fault_after([](table& t) { t.tasks[1].deadline = 0; }) ==
        takt::fault_at(model_fault::deadline_not_positive, 1));
  CHECK_FALSE(fault_after([](table& t) { t.tasks[1].deadline = 41; }));
  CHECK(fault_after([](table& t) { t.tasks[1].deadline = longest_visit_time + 1; }) ==
        takt::fault_at(model_fault::time_overflow, 1));
  CHECK(fault_after([](table& t) { t.tasks[1].jitter = -1; }) == takt::fault_at(model_fault::negative_jitter, 1));
  CHECK(fault_after([](table& t) { t.tasks[1].jitter = longest_visit_time + 1; }) ==
        takt::fault_at(model_fault::time_overflow, 1));
  CHECK(fault_after([](table& t) { t.tasks[1].period = longest_visit_time + 1; }) ==
        takt::fault_at(model_fault::time_overflow, 1));
  CHECK(takt::validate(table{}, 1).fault == model_fault::no_task);
  CHECK_FALSE(takt::validate(two_tasks(), 9, 1));
  CHECK(takt::validate(two_tasks(), 10, 1).fault == model_fault::platform_size_out_of_range);
}

TEST_CASE("a section is visits of one task, one of which the others follow without visits in between") {
  const auto section = [](takt::visit_mask visits) {
    return fault_after([&](table& t) { t.sections[0].visits = visits; });
  };
  CHECK_FALSE(section(0b1111));
  CHECK_FALSE(section(0b1000));
  CHECK_FALSE(section(0b0111));
  const auto malformed = takt::fault_at(model_fault::malformed, 1);
  CHECK(section(0) == malformed);
  CHECK(section(0b0101) == malformed);
  CHECK(section(0b10000) == malformed);
  CHECK(fault_after([](table& t) { t.sections[0].tokens = 1; }) == malformed);
  CHECK(fault_after([](table& t) { t.sections[0].task = 2; }) == takt::fault_at(model_fault::malformed, 2));
  CHECK(fault_after([](table& t) { t.sections.unchecked_push_back({.task = 1, .visits = 0b1100}); }) == malformed);
  CHECK_FALSE(fault_after([](table& t) { t.sections.unchecked_push_back({.task = 1, .visits = 0b1000}); }));
  CHECK_FALSE(fault_after([](table& t) { t.sections.unchecked_push_back({.task = 0, .visits = 0b1}); }));
  // A visit of the section that also follows one outside of it.
  CHECK(fault_after([](table& t) { t.visits[3].predecessors = 0b0011; }) == malformed);
}
