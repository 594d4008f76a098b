// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/verdict.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/path_terms.hpp>

namespace {

using tasks_type = takt::runtime_task_set<2, 8>;
using verdict_type = takt::verdict<takt::ticks, 2, 8>;

auto visit(takt::visit_mask before) -> takt::runtime_visit {
  return {.where = takt::resource_kind::processor, .predecessors = before};
}

/// A fork of two visits that join, with so much for each.
struct fork {
  tasks_type tasks;
  verdict_type found;
  takt::report::verdict_summary summary;

  explicit fork(takt::ticks bound) {
    REQUIRE(tasks.add_task({.name = "fork", .period = 100, .deadline = 100}));
    for (const takt::visit_mask before : {0U, 1U, 1U, 6U}) { REQUIRE(tasks.add_visit(visit(before))); }
    for (const takt::ticks response : {3, 5, 7, 2}) {
      REQUIRE(found.visits.try_push_back({.name = {}, .response = response}));
    }
    REQUIRE(found.tasks.try_push_back({.name = "fork", .deadline = 100, .bound = {bound, true}, .meets = true}));
    summary = takt::report::detail::begin_summary(found);
  }
  void add() { takt::report::add_path_terms(tasks, found, {"a", "b", "c", "d"}, summary); }
};

}  // namespace

TEST_CASE("a bound along a path has a term for each of its visits") {
  fork f{12};
  f.add();
  const auto& terms = f.summary.tasks[0].terms;
  REQUIRE(terms.size() == 3);
  takt::ticks sum = 0;
  for (const auto& t : terms) { sum += t.time; }
  CHECK(sum == 12);
  CHECK(terms[1].visit == 2);
  CHECK(f.summary.visits == std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("a bound that is no path of visits has no terms, and terms that are there stay") {
  fork other{11};
  other.add();
  CHECK(other.summary.tasks[0].terms.empty());
  CHECK(other.summary.visits.empty());
  fork told{12};
  told.summary.tasks[0].terms.push_back({.what = takt::term_kind::cpu, .time = 12});
  told.add();
  CHECK(told.summary.tasks[0].terms.size() == 1);
}
