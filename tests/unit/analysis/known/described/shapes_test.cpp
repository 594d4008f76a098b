// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/graphs/analysis/runtime_tasks.hpp>
#include <takt/systems/locked_gpus/analysis/runtime_tasks.hpp>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<2, 24>;

auto visit(resource_kind where, visit_fact fact, takt::visit_mask before, bool in_section) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.in_section = in_section;
  v.known.add(fact);
  return v;
}
/// CPU time around a marked section of a copy and a kernel.
auto section() -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task({.name = "a", .period = 10, .deadline = 10}));
  REQUIRE(out.add_visit(visit(resource_kind::processor, visit_fact::time, 0, false)));
  auto copy = visit(resource_kind::copy_engine, visit_fact::bytes, 1, true);
  copy.direction = takt::copy_direction::to_device;
  REQUIRE(out.add_visit(copy));
  REQUIRE(out.add_visit(visit(resource_kind::gpu, visit_fact::wcet, 2, true)));
  REQUIRE(out.add_visit(visit(resource_kind::processor, visit_fact::time, 4, false)));
  return out;
}
auto graph() -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task({.name = "a", .period = 10, .deadline = 10}));
  REQUIRE(out.add_visit(visit(resource_kind::processor, visit_fact::time, 0, false)));
  auto kernel = visit(resource_kind::gpu, visit_fact::grid, 1, false);
  kernel.known.add(visit_fact::block_length);
  REQUIRE(out.add_visit(kernel));
  return out;
}

}  // namespace

TEST_CASE("tasks of one marked token section are told from all others") {
  using takt::analysis::have_marked_sections;
  CHECK(have_marked_sections(section()));
  auto other = section();
  other.tasks[0].jitter = 1;
  CHECK_FALSE(have_marked_sections(other));
  other = section();
  other.visits[1].direction = takt::copy_direction::unspecified;
  CHECK_FALSE(have_marked_sections(other));
  other = section();
  other.visits[2].in_section = false;
  CHECK_FALSE(have_marked_sections(other));
  other = section();
  other.visits[3].predecessors = 1;
  CHECK_FALSE(have_marked_sections(other));
  other = section();
  for (takt::visit_mask before = 8; before <= 64; before *= 2) {
    REQUIRE(other.add_visit(visit(resource_kind::processor, visit_fact::time, before, false)));
  }
  CHECK(have_marked_sections(other));
  REQUIRE(other.add_visit(visit(resource_kind::processor, visit_fact::time, 128, true)));
  CHECK_FALSE(have_marked_sections(other));
}

TEST_CASE("a section has at most as many kernels as its table") {
  tasks_type tasks;
  REQUIRE(tasks.add_task({.name = "a", .period = 10, .deadline = 10}));
  takt::visit_mask before = 0;
  for (int i = 0; i < 16; ++i) {
    REQUIRE(tasks.add_visit(visit(resource_kind::gpu, visit_fact::wcet, before, true)));
    before = takt::visit_mask{1} << i;
  }
  CHECK(takt::analysis::have_marked_sections(tasks));
  REQUIRE(tasks.add_visit(visit(resource_kind::gpu, visit_fact::wcet, before, true)));
  CHECK_FALSE(takt::analysis::have_marked_sections(tasks));
}

TEST_CASE("graphs have times or blocks, no sections and no jitter, and one GPU at most") {
  takt::hardware board{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(board.gpus.try_push_back({.sms = 8, .virtual_per_sm = 2}));
  CHECK(takt::analysis::are_graphs(graph(), board));
  CHECK_FALSE(takt::analysis::are_graphs(section(), board));
  auto other = graph();
  other.tasks[0].jitter = 2;
  CHECK_FALSE(takt::analysis::are_graphs(other, board));
  other = graph();
  other.visits[0].in_section = true;
  CHECK_FALSE(takt::analysis::are_graphs(other, board));
  other = graph();
  other.visits[1].known = {};
  CHECK_FALSE(takt::analysis::are_graphs(other, board));
  REQUIRE(board.gpus.try_push_back({.sms = 8, .virtual_per_sm = 2}));
  CHECK_FALSE(takt::analysis::are_graphs(graph(), board));
}
