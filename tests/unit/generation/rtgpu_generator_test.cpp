// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include <takt/model/validate.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using generation::copies_per_kernel;
using generation::rtgpu_options;
using takt::model_fault;
using table = task_table<ticks, 64, 1024>;

auto demand(const table& t, std::size_t i) -> ticks {
  ticks sum = 0;
  for (std::size_t j = 0; j < t.tasks[i].segment_count; ++j) { sum += t.segment(i, j).time.upper; }
  return sum;
}

}  // namespace

TEST_CASE("the utilisations of a set add up to the one that was asked for" * takt_tests::traces("RTGPU-38")) {
  for (const std::int32_t permille : {100, 700, 1100, 3000}) {
    rtgpu_options o;
    o.utilization_permille = permille;
    for (std::uint64_t index = 0; index < 50; ++index) {
      table t;
      REQUIRE(generation::generate(o, 7, index, t) == model_fault::none);
      double sum = 0;
      for (std::size_t i = 0; i < t.size(); ++i) {
        sum += static_cast<double>(demand(t, i)) / static_cast<double>(t.tasks[i].period);
      }
      CHECK(std::abs(sum - permille / 1000.0) < 1e-6);
    }
  }
}

TEST_CASE("lengths stay in their ranges, reach both ends of them, and deadlines equal periods" *
          takt_tests::traces("RTGPU-38")) {
  rtgpu_options o;
  o.cpu = {1, 3};
  o.copy = {5, 6};
  o.kernel = {10, 12};
  ticks least = 99;
  ticks most = 0;
  for (std::uint64_t index = 0; index < 50; ++index) {
    table t;
    REQUIRE(generation::generate(o, 1, index, t) == model_fault::none);
    for (std::size_t i = 0; i < t.size(); ++i) {
      CHECK(t.tasks[i].deadline == t.tasks[i].period);
      for (std::size_t j = 0; j < t.tasks[i].segment_count; ++j) {
        const auto& s = t.segment(i, j);
        const auto& range = s.where == stage::cpu ? o.cpu : s.where == stage::copy ? o.copy : o.kernel;
        CHECK(s.time.upper >= range.lower);
        CHECK(s.time.upper <= range.upper);
        if (s.where == stage::cpu) {
          least = s.time.upper < least ? s.time.upper : least;
          most = s.time.upper > most ? s.time.upper : most;
        }
      }
    }
  }
  CHECK(least == 1);
  CHECK(most == 3);
}

TEST_CASE("chains have two copies, one or none per kernel" * takt_tests::traces("RTGPU-38")) {
  for (const auto& [copies, per_kernel] :
       {std::pair{copies_per_kernel::two, 2U}, {copies_per_kernel::one, 1U}, {copies_per_kernel::none, 0U}}) {
    rtgpu_options o;
    o.copies = copies;
    o.subtasks = 4;
    table t;
    REQUIRE(generation::generate(o, 3, 0, t) == model_fault::none);
    for (std::size_t i = 0; i < t.size(); ++i) {
      CHECK(t.count(i, stage::cpu) == 4);
      CHECK(t.count(i, stage::kernel) == 3);
      CHECK(t.count(i, stage::copy) == 3 * per_kernel);
    }
    CHECK_FALSE(takt::validate(t));
    CHECK(generation::platform_of(o).copy_engines == (copies == copies_per_kernel::none ? 0 : 1));
  }
}

TEST_CASE("the same seed and index give the same set, others another" * takt_tests::traces("RTGPU-38")) {
  const rtgpu_options o;
  table a;
  table b;
  table c;
  REQUIRE(generation::generate(o, 5, 2, a) == model_fault::none);
  REQUIRE(generation::generate(o, 5, 2, b) == model_fault::none);
  REQUIRE(generation::generate(o, 5, 3, c) == model_fault::none);
  CHECK(a.tasks[0].period == b.tasks[0].period);
  CHECK(a.segments[7].time == b.segments[7].time);
  CHECK(a.tasks[0].period != c.tasks[0].period);
}

TEST_CASE("a set is a constant, so that every platform must agree on it" * takt_tests::traces("RTGPU-38")) {
  constexpr auto first = [] {
    task_table<ticks, 2, 16> t;
    rtgpu_options o;
    o.tasks = 2;
    o.subtasks = 2;
    (void)generation::generate(o, 1, 0, t);
    return t.tasks[1].period;
  }();
  static_assert(first == 44'781'475, "another set than the one that was published with this seed");
  task_table<ticks, 2, 16> t;
  rtgpu_options o;
  o.tasks = 2;
  o.subtasks = 2;
  REQUIRE(generation::generate(o, 1, 0, t) == model_fault::none);
  CHECK(t.tasks[1].period == first);
}

TEST_CASE("wrong options, too small tables and too long periods are reported" * takt_tests::traces("RTGPU-38")) {
  table t;
  rtgpu_options o;
  o.cpu = {5, 4};
  CHECK(generation::generate(o, 1, 0, t) == model_fault::options_out_of_range);
  o = {};
  o.utilization_permille = 0;
  CHECK(generation::generate(o, 1, 0, t) == model_fault::options_out_of_range);
  o = {};
  task_table<ticks, 2, 16> small;
  CHECK(generation::generate(o, 1, 0, small) == model_fault::set_does_not_fit);
  o.utilization_permille = 1;
  o.tasks = 60;
  o.subtasks = 2;
  o.cpu = {1'000'000'000'000, 1'000'000'000'000};
  bool overflowed = false;
  for (std::uint64_t index = 0; index < 200 && !overflowed; ++index) {
    overflowed = generation::generate(o, 1, index, t) == model_fault::time_overflow;
  }
  CHECK(overflowed);
}

TEST_CASE("a generated platform shares physical SMs where it is asked for" * takt_tests::traces("RTGPU-44")) {
  rtgpu_options o;
  CHECK_FALSE(generation::platform_of(o).gpus[0].shared);
  o.shared_sms = true;
  CHECK(generation::platform_of(o).gpus[0].shared);
}
