// SPDX-License-Identifier: Apache-2.0
// All execution times of a workload times a factor.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <takt/model/runtime_task_set.hpp>
#include <takt/model/scaled.hpp>

namespace {

using namespace takt;

constexpr auto with(const runtime_visit& v) {
  runtime_task_set<2, 4> out;
  static_cast<void>(out.add_task({.name = "a", .period = 1000, .deadline = 900}));
  static_cast<void>(out.add_visit(v));
  return out;
}
constexpr auto timed(interval<ticks> time) {
  runtime_visit v{.time = time};
  v.known.add(visit_fact::time);
  return v;
}

}  // namespace

TEST_CASE("upper ends round up, lower ends down, and what is no execution time stays") {
  runtime_visit v{.where = resource_kind::gpu,
                  .work = {7, 7},
                  .blocks = 9,
                  .threads = 32,
                  .block_length = 3,
                  .wcet = 11,
                  .preemption_cost = 1,
                  .bytes = 77};
  for (const visit_fact f : {visit_fact::work, visit_fact::grid, visit_fact::block_length, visit_fact::wcet,
                             visit_fact::preemption_cost, visit_fact::bytes}) {
    v.known.add(f);
  }
  auto all = with(v);
  all.samples.unchecked_push_back({5, 6});
  const auto out = scaled(all, 1500);
  REQUIRE_FALSE(out.error);
  const runtime_visit& seen = out.tasks.visit(0, 0);
  CHECK(seen.work == interval<ticks>{10, 11});
  CHECK(seen.block_length == 5);
  CHECK(seen.wcet == 17);
  CHECK(seen.preemption_cost == 2);
  CHECK((seen.blocks == 9 && seen.bytes == 77 && out.tasks.tasks[0].period == 1000));
  CHECK(out.tasks.samples[0] == interval<ticks>{7, 9});
  static_assert(scaled(with(timed({1, 2})), 500).tasks.visit(0, 0).time == interval<ticks>{0, 1});
  static_assert(scaled(with(timed({3, 9})), 1000).tasks.visit(0, 0).time == interval<ticks>{3, 9});
}

TEST_CASE("rows scale share by share, and what nothing bounds stays so") {
  auto all = with({});
  const measured_share half{share::bounded(50), 101};
  all.rows.unchecked_push_back(wcet_row::interpolated({&half, 1}, between_shares::step));
  const wcet_row row = scaled(all, 2000).tasks.rows[0];
  CHECK(row.at(share::bounded(50)) == 202);
  CHECK(row.at(share::bounded(49)) == unbounded_time);
  CHECK(scaled(all, 1).tasks.rows[0].at(full_share) == 1);
}

TEST_CASE("a serial part stays within its work, however few ticks it has") {
  runtime_visit v{.where = resource_kind::gpu,
                  .work = {0, 2},
                  .overhead = 3,
                  .interleave_numerator = 3,
                  .interleave_denominator = 2};
  v.known.add(visit_fact::work);
  v.known.add(visit_fact::overhead);
  v.known.add(visit_fact::interleave);
  const runtime_visit seen = scaled(with(v), 400).tasks.visit(0, 0);
  CHECK(seen.overhead == 2);
  CHECK(seen.work.upper * 3 >= seen.overhead * 2);
}

TEST_CASE("times that do not fit are a fault with its place, and facts that are not known do not count") {
  constexpr ticks huge = std::numeric_limits<ticks>::max() / 2;
  const auto out = scaled(with(timed({0, huge})), 3000);
  CHECK(out.error == fault_at(model_fault::time_overflow, 0, 0));
  CHECK(out.error.name == "a");
  CHECK_FALSE(scaled(with(runtime_visit{.wcet = huge}), 3000).error);
  CHECK(scaled(with({}), 0).error.fault == model_fault::options_out_of_range);
  CHECK(scaled(with({}), -5).error.fault == model_fault::options_out_of_range);
}
