// SPDX-License-Identifier: Apache-2.0
// One door for proofs: methods of whole boards are registered at a variable template, and searches are handed in.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;

/// A rule of processors that nobody has a bound for.
struct my_order : takt::nonpreemptive_rule<takt::edf_rule> {
  static constexpr std::string_view name = "my order";
};
/// A rule of processors without order and server: nothing but a tag.
struct my_tag {
  using is_takt_rule = void;
};

constexpr auto pair = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(2_ms)),
                                     takt::task("b", takt::period(20_ms), takt::cpu(5_ms)));
constexpr auto unknown_board = takt::platform(takt::pool(takt::processors(1), my_order{}));
constexpr auto tagged_board = takt::platform(takt::pool(takt::processors(1), my_tag{}));
constexpr auto edf_board = takt::platform(takt::pool(takt::processors(1), takt::edf));
constexpr auto known_board = takt::platform(takt::pool(takt::processors(1), takt::rate_monotonic));
constexpr auto plain_board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));

/// The sum of all, which is right where it is within the shortest period.
struct sum_of_all {
  static constexpr std::string_view name = "sum of all";
  static constexpr void responds(const auto& table, const auto& stations, std::span<ticks> bounds) {
    ticks sum = 0;
    for (const auto& v : table.visits) { sum += stations[v.station].units == 1 ? v.upper : 0; }
    for (const auto& t : table.tasks) {
      if (t.period < sum) { return; }
    }
    for (ticks& b : bounds) { b = sum; }
  }
};
/// A sharper bound of the first task than others know, and the deadline of the rest.
struct first_alone {
  static constexpr std::string_view name = "first alone";
  static constexpr void responds(const auto& table, const auto& /*stations*/, std::span<ticks> bounds) {
    for (std::size_t i = 0; i < bounds.size(); ++i) { bounds[i] = table.tasks[i].deadline; }
    bounds[0] = table.visits[0].upper;
  }
};

/// As the first one, and says whose visits are in the sum.
struct explained_sum : sum_of_all {
  static constexpr void explains(const auto& table, std::span<const ticks> /*bounds*/, std::size_t task,
                                 takt::parts_of_task<ticks>& parts) {
    for (const auto& v : table.visits) {
      parts.add(v.task == task ? takt::term_kind::own_work : takt::term_kind::interference, v.task, v.upper);
    }
  }
};
/// Says a part less than its bound is.
struct half_explained : sum_of_all {
  static constexpr void explains(const auto& table, std::span<const ticks> /*bounds*/, std::size_t task,
                                 takt::parts_of_task<ticks>& parts) {
    parts.add(takt::term_kind::own_work, static_cast<std::uint32_t>(task), table.visits[task].upper);
  }
};

/// The same as an analysis of chains in priority order.
template <class Table>
class sum_rta {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool priority_ordered = true;
  static constexpr bool uses_shares = false;

  constexpr sum_rta(const Table& table, const takt::platform_record& platform) : table_{&table}, platform_{platform} {}
  [[nodiscard]] static constexpr auto fits(const Table& table, const takt::platform_record& /*platform*/)
      -> takt::model_error {
    return takt::validate(table);
  }
  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return "sum"; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const takt::platform_record& { return platform_; }
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return true; }
  constexpr void assign(std::size_t /*k*/, const takt::sm_share& /*share*/) noexcept {}
  constexpr auto evaluate(std::size_t k) -> bool {
    number sum(0);
    for (const auto& s : table_->segments) { sum = sum + s.time.upper; }
    bounds_[k] = {sum, !(table_->tasks[k].deadline < sum)};
    return bounds_[k].exists;
  }
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const takt::response_bound<number>& { return bounds_[k]; }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool { return bounds_[k].exists; }

 private:
  const Table* table_;
  takt::platform_record platform_;
  std::array<takt::response_bound<number>, max_tasks> bounds_{};
};
struct sum_method {
  static constexpr std::string_view name = "sum";
  template <class Table>
  using analysis = sum_rta<Table>;
};

/// Knows one board.
template <const auto& Board, class Method>
struct of_board : takt::analysis::method_family {
  template <std::same_as<std::remove_cvref_t<decltype(Board)>> P>
  using on = Method;
};
struct of_tag : takt::analysis::method_family {
  template <class P>
    requires std::same_as<typename P::cpu_rule, my_tag>
  using on = sum_method;
};
constexpr auto asked = takt::methods<of_board<unknown_board, sum_of_all>, of_board<edf_board, first_alone>, of_tag,
                                     of_board<known_board, sum_method>>{} +
                       takt::published_methods;
using asked_list = std::remove_const_t<decltype(asked)>;
template <class P, class T>
inline constexpr bool proven_either_way =
    takt::analysis::detail::ProvenEitherWay<P, T, takt::analysis::method_of<P, asked_list>>;

}  // namespace

TEST_CASE("a method of one's own proves a board whose rule has no bound, and is named") {
  constexpr auto verdict = takt::analyze(unknown_board, pair, asked);
  static_assert(verdict.schedulable() && verdict.method == "sum of all");
  static_assert(verdict.tasks[0].bound.value == 7'000'000 && verdict.tasks[1].meets);
  static_assert(takt::allocate(unknown_board, pair, asked).feasible);
  const auto seen = takt::simulate(unknown_board, pair, verdict.plan);
  CHECK(seen.misses() == 0);
  CHECK(seen.tasks[0].worst_response <= 7'000'000);
  const auto full = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(6_ms)),
                                   takt::task("b", takt::period(20_ms), takt::cpu(5_ms)));
  const auto open = takt::analyze(unknown_board, full, asked);
  CHECK(open.status == takt::verdict_status::not_proven);
  CHECK_FALSE(open.bounded());
}

TEST_CASE("bounds of two methods stand side by side, each under its name") {
  constexpr auto verdict = takt::analyze(edf_board, pair, asked);
  static_assert(verdict.schedulable() && verdict.method == "first alone, holistic");
  static_assert(verdict.tasks[0].method == "first alone" && verdict.tasks[0].bound.value == 2'000'000);
  static_assert(verdict.tasks[1].method == "holistic" && verdict.tasks[1].bound.value < 20'000'000);
  CHECK(verdict.visits.size() == 2);
}

TEST_CASE("a method of chains in priority order serves a composition that nobody knows") {
  constexpr auto verdict = takt::analyze(tagged_board, pair, asked);
  static_assert(verdict.schedulable() && verdict.method == "sum");
  static_assert(verdict.tasks[1].bound.value == 7'000'000 && verdict.tasks[1].method.empty());
  static_assert(takt::allocate_by<asked_list>(tagged_board, pair, takt::exact_search).feasible);
  static_assert(takt::analyze(tagged_board, pair, takt::allocate(tagged_board, pair, asked), asked).schedulable());
  CHECK(takt::analyze(tagged_board, pair.table(), asked).schedulable());
}

TEST_CASE("a method of one's own comes before that of takt on the same board, and on no other") {
  static_assert(takt::analyze(known_board, pair, asked).method == "sum");
  static_assert(takt::analyze(plain_board, pair, asked).method == "fixed-priority-rta");
  CHECK(takt::analyze(known_board, pair, asked).tasks[0].bound.value == 7'000'000);
  CHECK(takt::analyze(plain_board, pair, asked).tasks[0].bound.value == 2'000'000);
}

namespace {

constexpr auto priorities = takt::fixed_priority;
constexpr auto gpu_board = takt::platform(takt::pool(takt::processors(1), priorities),
                                          takt::pool(takt::copy_engines(1), takt::nonpreemptive(priorities)),
                                          takt::pool(takt::virtual_sms(6, 1), takt::federated));
template <class Period>
constexpr auto chain(const char* name, Period p, takt::duration work) {
  return takt::task(name, p, takt::cpu(1_ms), takt::copy(1_ms), takt::kernel(takt::work(work)), takt::cpu(1_ms));
}
constexpr auto uneven =
    takt::task_set(chain("small", takt::period(30_ms), 8_ms), chain("large", takt::period(40_ms), 110_ms));

}  // namespace

TEST_CASE("a search of one's own is handed in, and what it claims is checked") {
  constexpr auto more_for_the_last = [](const auto& /*board*/, const auto& /*tasks*/, const auto& test) {
    takt::plan<2> out;
    for (std::int32_t first = 5; first > 0; --first) {
      out = takt::dedicate(first, 6 - first);
      if (test(out).schedulable()) { return out; }
    }
    return out;
  };
  constexpr auto found = takt::allocate(gpu_board, uneven, more_for_the_last, asked);
  static_assert(found.feasible && found.shares[0].sms < found.shares[1].sms);
  static_assert(found.effort.evaluations > 1);
  constexpr auto claims = [](const auto& /*board*/, const auto& /*tasks*/, const auto& /*test*/) {
    takt::plan<2> out = takt::dedicate(5, 1);
    out.feasible = true;
    return out;
  };
  CHECK_FALSE(takt::allocate(gpu_board, uneven, claims, asked).feasible);
  const auto mismatch = [](const auto& /*board*/, const auto& /*tasks*/, const auto& test) {
    static_cast<void>(test(takt::dedicate(9, 9)));
    return takt::dedicate(9, 9);
  };
  CHECK_FALSE(takt::allocate(gpu_board, uneven, mismatch, asked).feasible);
}

TEST_CASE("a search of one's own is handed in for other systems too") {
  constexpr auto kernels = takt::task_set(takt::task("k", takt::period(10_ms), takt::kernel(takt::wcet(2_ms))),
                                          takt::task("l", takt::period(20_ms), takt::kernel(takt::wcet(2_ms))));
  constexpr auto device = takt::platform(takt::pool(takt::accelerator(2), takt::nonpreemptive(takt::edf)));
  constexpr auto nothing = [](const auto& /*board*/, const auto& /*tasks*/, const auto& test) {
    static_cast<void>(test(takt::plan<2>{}));
    return takt::plan<2>{};
  };
  static_assert(takt::allocate(device, kernels, nothing, asked).feasible);
  CHECK(takt::allocate(device, kernels, nothing, asked).effort.evaluations == 2);
}

TEST_CASE("SMs of composed boards go where they are needed, not evenly") {
  constexpr auto composed =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::virtual_sms(6, 1), takt::federated));
  constexpr auto verdict = takt::analyze(composed, uneven, asked);
  static_assert(verdict.schedulable());
  static_assert(verdict.plan.shares[0].sms < verdict.plan.shares[1].sms && verdict.plan.feasible);
  CHECK_FALSE(takt::analyze(composed, uneven, takt::dedicate(3, 3), asked).schedulable());
  const auto twice = takt::platform(
      takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
      takt::pool(takt::virtual_sms(2, 1), takt::federated), takt::pool(takt::virtual_sms(6, 1, 2), takt::federated));
  const auto two = takt::analyze(twice, uneven, asked);
  CHECK(two.schedulable());
  CHECK(two.plan.shares[0].gpu == 0);
  CHECK(two.plan.shares[1].gpu == 1);
}

TEST_CASE("priorities of composed boards are looked for where tasks have none") {
  constexpr auto composed =
      takt::platform(takt::pool(takt::processors(1), priorities), takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::virtual_sms(4, 1), takt::fifo));
  constexpr auto tight = takt::task_set(chain("late", takt::period(21_ms), 40_ms),
                                        takt::task("early", takt::period(17_ms), takt::cpu(6_ms)));
  constexpr auto verdict = takt::analyze(composed, tight, asked);
  static_assert(verdict.schedulable());
  static_assert(verdict.plan.priorities.size() == 2 && verdict.plan.priorities[0] < verdict.plan.priorities[1]);
  const auto seen = takt::simulate(composed, tight, verdict.plan, {.horizon = 1_s});
  CHECK(seen.misses() == 0);
  CHECK(seen.tasks[0].worst_response <= verdict.tasks[0].bound.value);
}

TEST_CASE("combiners stand beside the method of chains only where the pools say the same") {
  static_assert(proven_either_way<std::remove_const_t<decltype(gpu_board)>, std::remove_const_t<decltype(uneven)>>);
  using spinning = decltype(takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(priorities)),
                                           takt::pool(takt::virtual_sms(6, 1), takt::federated)));
  using one_at_a_time =
      decltype(takt::platform(takt::pool(takt::processors(1), priorities),
                              takt::pool(takt::virtual_sms(6, 1), takt::serialized(takt::federated))));
  static_assert(!proven_either_way<spinning, std::remove_const_t<decltype(uneven)>>);
  static_assert(!proven_either_way<one_at_a_time, std::remove_const_t<decltype(uneven)>>);
  constexpr auto verdict = takt::analyze(gpu_board, uneven, asked);
  static_assert(verdict.schedulable() && verdict.method == "rtgpu-best");
  static_assert(verdict.tasks[0].method == "rtgpu-best");
  CHECK(takt::analysis::analyze_by<asked_list>(gpu_board, uneven, verdict.plan, takt::analysis::rtgpu_published)
            .tasks[0]
            .method.empty());
}

namespace {

/// The kinds of the terms of the first bound, whose times add up to it.
template <class Verdict>
constexpr auto kinds_of_first(const Verdict& v) -> takt::inline_vector<takt::term_kind, 4> {
  takt::inline_vector<takt::term_kind, 4> out;
  ticks sum = 0;
  takt::for_each_term(v, 0, [&](const takt::term<ticks>& t) {
    sum += t.time;
    out.unchecked_push_back(t.what);
  });
  return sum == v.tasks[0].bound.value ? out : takt::inline_vector<takt::term_kind, 4>{};
}

}  // namespace

TEST_CASE("a method of one's own says what its bounds consist of, and else its bound is one term") {
  constexpr auto said = kinds_of_first(takt::analyze(unknown_board, pair, takt::methods<explained_sum>{}));
  static_assert(said.size() == 2 && said[0] == takt::term_kind::own_work && said[1] == takt::term_kind::interference);
  constexpr auto silent = kinds_of_first(takt::analyze(unknown_board, pair, takt::methods<sum_of_all>{}));
  static_assert(silent.size() == 1 && silent[0] == takt::term_kind::bound);
  constexpr auto wrong = kinds_of_first(takt::analyze(unknown_board, pair, takt::methods<half_explained>{}));
  static_assert(wrong.size() == 1 && wrong[0] == takt::term_kind::bound);
}

TEST_CASE("combined bounds say in a constant expression what they consist of") {
  constexpr auto v = takt::analyze(plain_board, pair);
  static_assert(v.tasks[1].bound.value == takt::ticks{(7_ms).count()});
  static_assert(takt::detail::is_explained(v.tasks[1]) && v.tasks[1].parts.size() == 2);
  static_assert(v.tasks[1].parts[0].what == takt::term_kind::own_work && v.tasks[1].parts[0].by == 1);
  static_assert(v.tasks[1].parts[1].what == takt::term_kind::interference && v.tasks[1].parts[1].by == 0);
  static_assert(v.tasks[1].parts[1].time == takt::ticks{(2_ms).count()} && v.tasks[1].parts[1].pool == 0);
}

TEST_CASE("a list of parts that is full keeps its first and its longest, and the sum") {
  takt::detail::bound_parts<ticks, 3> parts;
  for (ticks k = 1; k <= 5; ++k) { parts.add(takt::term_kind::interference, static_cast<std::uint32_t>(k), k); }
  REQUIRE(parts.size() == 3);
  CHECK(parts.sum() == 15);
  CHECK(parts[0].by == 1);
  CHECK(parts[1].by == 5);
  CHECK(parts[2].what == takt::term_kind::others);
  CHECK(parts[2].time == 9);
}
