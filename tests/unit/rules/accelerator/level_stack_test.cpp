// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include "support/traces.hpp"

namespace {

using takt::kernel_id;
using takt::ticks;
using takt::unassigned_core;

constexpr std::size_t max_tasks = 8;

/// A strategy whose kernels have the points of their activations.
template <class Strategy>
class bench {
 public:
  explicit bench(const Strategy& strategy) : strategy_{strategy} {}

  /// The levels at which kernels have been submitted because of this, in order.
  auto activate(kernel_id k, ticks point) -> std::vector<std::int32_t> {
    orders_[static_cast<std::size_t>(k)] = {.point = point, .release = clock_++, .kernel = k};
    strategy_.enqueue(k, unassigned_core, orders_);
    return decide();
  }
  auto complete(kernel_id k) -> std::vector<std::int32_t> {
    strategy_.complete(k);
    return decide();
  }
  [[nodiscard]] auto top() const -> kernel_id { return strategy_.top(); }

 private:
  auto decide() -> std::vector<std::int32_t> {
    takt::detail::command_list<max_tasks> list;
    strategy_.decide(orders_, list);
    std::vector<std::int32_t> levels;
    for (const auto& c : list.commands()) {
      CHECK(c.what == takt::detail::accelerator_command_kind::submit);
      CHECK(c.where.core == unassigned_core);
      levels.push_back(c.where.level);
    }
    return levels;
  }

  Strategy strategy_;
  takt::job_orders<ticks, max_tasks> orders_{};
  ticks clock_ = 0;
};

using levels = std::vector<std::int32_t>;
using stack = takt::level_stack<max_tasks>;

}  // namespace

TEST_CASE("a single stream takes the best waiting job only when it is empty" * takt_tests::traces("AP-08")) {
  bench b{takt::level_stack<max_tasks>{1}};
  CHECK(b.activate(0, 50) == levels{0});
  CHECK(b.activate(1, 20).empty());
  CHECK(b.activate(2, 10).empty());
  CHECK(b.activate(3, 30).empty());
  CHECK(b.top() == 0);
  CHECK(b.complete(0) == levels{0});
  CHECK(b.top() == 2);
  CHECK(b.complete(2) == levels{0});
  CHECK(b.top() == 1);
}

TEST_CASE("two levels give the three published cases" * takt_tests::traces("AP-09")) {
  bench b{stack{2}};
  CHECK(b.activate(0, 50) == levels{0});  // both streams empty
  CHECK(b.activate(1, 50).empty());       // the low one taken, and nothing better waits: equal is not better
  CHECK(b.activate(2, 40) == levels{1});  // the low one taken, and something better waits
  CHECK(b.activate(3, 10).empty());       // both taken
  CHECK(b.complete(2) == levels{1});
  CHECK(b.top() == 3);
  CHECK(b.complete(3).empty());
  CHECK(b.top() == 0);
}

TEST_CASE("with only the high stream taken no decision is made, though fewer jobs than levels have started" *
          takt_tests::traces("AP-09")) {
  const auto check = [](auto b, const levels& after) {
    CHECK(b.activate(0, 50) == levels{0});
    CHECK(b.activate(1, 40) == levels{1});
    CHECK(b.activate(2, 30).empty());
    // The last wave of the low job ends while the high one waits for it.
    CHECK(b.complete(0) == after);
  };
  check(bench{stack{2}}, levels{});
  check(bench{takt::level_stack<max_tasks, takt::limited_by_started_jobs>{2}}, levels{2});
}

TEST_CASE("any number of levels: a job is pushed only above one of strictly lower priority, and never taken back" *
          takt_tests::traces("AP-09")) {
  takt::random_stream random{7};
  for (std::int32_t most = 1; most <= 5; ++most) {
    for (int run = 0; run < 40; ++run) {
      bench b{stack{most}};
      std::vector<ticks> points(max_tasks, -1);
      std::vector<ticks> started;  // points, the top last
      std::vector<kernel_id> started_kernels;
      std::vector<kernel_id> waiting;
      for (int step = 0; step < 60; ++step) {
        const auto k = static_cast<kernel_id>(random.below(max_tasks));
        const auto i = static_cast<std::size_t>(k);
        levels pushed;
        if (points[i] < 0) {
          points[i] = random.below(6);
          waiting.push_back(k);
          pushed = b.activate(k, points[i]);
        } else if (!started.empty()) {
          points[static_cast<std::size_t>(started_kernels.back())] = -1;
          pushed = b.complete(started_kernels.back());
          started.pop_back();
          started_kernels.pop_back();
        }
        REQUIRE(pushed.size() <= 1);
        if (!pushed.empty()) {
          CHECK(pushed[0] == static_cast<std::int32_t>(started.size()));
          const ticks point = points[static_cast<std::size_t>(b.top())];
          for (const kernel_id w : waiting) { CHECK(point <= points[static_cast<std::size_t>(w)]); }
          CHECK((started.empty() || point < started.back()));
          started.push_back(point);
          started_kernels.push_back(b.top());
          CHECK(std::erase(waiting, b.top()) == 1);
        }
        CHECK(started.size() <= static_cast<std::size_t>(most));
        const bool full = started.size() == static_cast<std::size_t>(most);
        for (const kernel_id w : waiting) {
          CHECK((full || (!started.empty() && points[static_cast<std::size_t>(w)] >= started.back())));
        }
      }
    }
  }
}
