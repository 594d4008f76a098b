// SPDX-License-Identifier: Apache-2.0
// Known methods of whole boards against combiners of what their pools know, on the same random sets. Bounds that stand
// side by side in one verdict are held against the simulator. Keeps docs/methods.md; TAKT_WRITE_TABLES=1 writes it.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

#include <takt/core/random.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "property/composed_systems.hpp"
#include "support/generated_table.hpp"

namespace {

namespace an = takt::analysis;
using composed_systems::draws;
using composed_systems::systems_or;
using takt::duration;
using takt::ticks;

/// Times of a chain with a kernel, or of one CPU segment. Draws are one after the other, in an order that no compiler
/// chooses.
struct lengths {
  lengths(draws& d, bool fixed) {
    for (ticks& t : upper) { t = d.between(1, 9); }
    work = d.between(4, 60);
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const bool same = fixed || d.one_in(3);
      lower[i] = same ? upper[i] : d.between(0, upper[i]);
    }
    const bool same = fixed || d.one_in(2);
    least_work = same ? work : d.between(2, work);
  }
  [[nodiscard]] auto cpu(std::size_t i) const { return takt::cpu(duration{lower[i]}, duration{upper[i]}); }
  [[nodiscard]] auto copy(std::size_t i, takt::copy_direction to) const {
    return takt::copy(duration{lower[i]}, duration{upper[i]}, to);
  }
  [[nodiscard]] auto kernel() const { return takt::kernel(takt::work(duration{least_work}, duration{work})); }
  [[nodiscard]] auto sum(ticks sms) const -> ticks {
    ticks out = work / sms;
    for (const ticks t : upper) { out += t; }
    return out;
  }

  std::array<ticks, 4> upper{};
  std::array<ticks, 4> lower{};
  ticks work = 0;
  ticks least_work = 0;
};

struct timing {
  timing(draws& d, ticks alone, ticks slack) : core{static_cast<std::int32_t>(d.between(0, 1))} {
    const ticks thirds = d.between(3, 3 + slack);
    period = alone * thirds / 3 + d.between(1, 9);
    const bool earlier = d.one_in(2);
    deadline = period - (earlier ? d.between(0, period / 8) : 0);
  }
  template <class... Segments>
  [[nodiscard]] auto task(const char* name, const Segments&... chain) const {
    return takt::task(name, takt::period(duration{period}), takt::deadline(duration{deadline}), takt::on_core(core),
                      chain...);
  }

  std::int32_t core;
  ticks period = 0;
  ticks deadline = 0;
};

/// Three chains with kernels and one task without.
auto chains_of(draws& d) {
  const ticks slack = d.between(3, 14);
  const bool fixed = d.one_in(3);
  const lengths a{d, fixed};
  const lengths b{d, fixed};
  const lengths c{d, fixed};
  const lengths e{d, fixed};
  const timing ta{d, a.sum(2), slack};
  const timing tb{d, b.sum(2), slack};
  const timing tc{d, c.sum(2), slack};
  const timing te{d, e.upper[0] * 4, slack};
  return takt::task_set(
      ta.task("a", a.cpu(0), a.copy(1, takt::to_device), a.kernel(), a.copy(2, takt::to_host), a.cpu(3)),
      tb.task("b", b.cpu(0), b.copy(1, takt::to_device), b.kernel(), b.cpu(3)),
      tc.task("c", c.cpu(0), c.copy(1, takt::to_device), c.kernel(), c.copy(2, takt::to_host), c.cpu(3)),
      te.task("e", e.cpu(0)));
}
auto plain_of(draws& d) {
  const ticks slack = d.between(3, 14);
  const auto one = [&](const char* name) {
    const ticks wcet = d.between(1, 20);
    return timing{d, wcet * 2, slack}.task(name, takt::cpu(duration{wcet}));
  };
  const auto a = one("a");
  const auto b = one("b");
  const auto c = one("c");
  const auto e = one("e");
  return takt::task_set(a, b, c, e);
}
auto shares_of(draws& d, std::int64_t sms) -> takt::plan<4> {
  takt::plan<4> out;
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(out.shares.try_push_back({0, static_cast<std::int32_t>(d.between(1, sms / 3))}));
  }
  REQUIRE(out.shares.try_push_back({}));
  return out;
}

template <class Order>
auto chain_board(const Order& order, std::int32_t engines) {
  return takt::platform(takt::pool(takt::processors(2), order),
                        takt::pool(takt::copy_engines(engines), takt::nonpreemptive(order)),
                        takt::pool(takt::virtual_sms(6, 1), takt::federated));
}

/// How two methods compare on the same sets.
struct comparison {
  std::uint64_t sets = 0;
  std::uint64_t known = 0;
  std::uint64_t holistic = 0;
  std::uint64_t alone = 0;  ///< sets that only the combiner proves
  std::uint64_t bounds = 0;
  std::uint64_t lower = 0;     ///< bounds that are lower by the combiner
  std::uint64_t percent = 0;   ///< of the known bound, summed
  std::uint64_t exceeded = 0;  ///< how often runs were above bounds of the combiner

  template <class Known, class Combined>
  void add(const Known& k, const Combined& h) {
    ++sets;
    known += k.schedulable() ? 1U : 0U;
    holistic += h.schedulable() ? 1U : 0U;
    alone += h.schedulable() && !k.schedulable() ? 1U : 0U;
    if (!k.schedulable() || !h.schedulable()) { return; }
    for (std::size_t i = 0; i < k.tasks.size(); ++i) {
      const auto& ours = k.tasks[i].bound.value;
      if (ours == 0) { continue; }
      ++bounds;
      lower += h.tasks[i].bound.value < ours ? 1U : 0U;
      percent += static_cast<std::uint64_t>(100 * h.tasks[i].bound.value / ours);
    }
  }
  [[nodiscard]] auto row(std::string_view method, std::string_view board) const -> std::string {
    const auto share = [this](std::uint64_t part) { return std::to_string(part * 100 / sets) + " | "; };
    const auto number = [](std::uint64_t n) { return std::to_string(n) + " | "; };
    return "| " + std::string{method} + " | " + std::string{board} + " | " + number(sets) + share(known) +
           share(holistic) + number(alone) + number(bounds == 0 ? 0 : percent / bounds) + number(bounds) +
           std::to_string(lower) + " |\n";
  }
};

template <class P, class T, std::size_t N>
auto combined(const P& board, const T& set, const takt::plan<N>& plan) {
  takt::plan<T::max_tasks, T::max_segments> own;
  takt::detail::copy_decisions(plan, own);
  const auto flat = takt::flatten(board, set, own);
  REQUIRE_FALSE(flat.error);
  const an::detail::bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  return an::holistic(flat.table, stations);
}

template <class Order>
void compare_chains(const Order& order, const an::rtgpu_variant& variant, std::uint64_t systems, comparison& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const auto set = chains_of(d);
    const auto plan = shares_of(d, 6);
    const auto board = chain_board(order, seed % 2 == 0 ? 1 : 2);
    const auto known = takt::analysis::analyze_by<takt::published>(board, set, plan, variant);
    REQUIRE_FALSE(known.error);
    const auto other = combined(board, set, known.plan);
    CHECK_FALSE((known.status == takt::verdict_status::unschedulable && other.schedulable()));
    out.add(known, other);
  }
}

template <class Order>
void compare_plain(const Order& order, std::uint64_t systems, comparison& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const auto set = plain_of(d);
    const auto board = takt::platform(takt::pool(takt::processors(2), order));
    const auto known = takt::analyze(board, set, takt::plan<4>{}, takt::published_methods);
    REQUIRE_FALSE(known.error);
    out.add(known, combined(board, set, known.plan));
  }
}

/// What runs show above the bounds of a verdict.
template <class P, class T, class Verdict, std::size_t N>
auto exceeding(const P& board, const T& set, const Verdict& verdict, const takt::plan<N>& plan, std::uint64_t seed)
    -> std::uint64_t {
  std::uint64_t out = 0;
  for (const auto releases :
       {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
    for (const auto execution : {takt::execution_times::upper, takt::execution_times::random}) {
      const auto seen = takt::simulate(
          board, set, plan, {.horizon = duration{4000}, .releases = releases, .execution = execution, .seed = seed});
      REQUIRE_FALSE(seen.error);
      out += seen.misses();
      for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
        out += seen.tasks[i].worst_response > verdict.tasks[i].bound.value ? 1U : 0U;
      }
    }
  }
  return out;
}

/// Chains whose copies and kernel hold one of so many tokens, on one core; all tasks in the order of their deadlines.
void compare_tokens(std::int32_t tokens, std::uint64_t systems, comparison& out) {
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic),
                                    takt::pool(takt::copy_engines(1), takt::fifo),
                                    takt::pool(takt::virtual_sms(4, 1), takt::locked(takt::k_fmlp_order, tokens)));
  composed_systems::board stations;
  REQUIRE(stations.add(takt::deadline_monotonic));
  REQUIRE(stations.add(takt::fifo));
  REQUIRE(stations.add(takt::federated));
  REQUIRE(stations.add_tokens(takt::k_fmlp_order, tokens));
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const ticks slack = d.between(6, 30);
    composed_systems::table table;
    const auto one = [&](const char* name) {
      const lengths l{d, false};
      const timing t{d, l.sum(1), slack};
      REQUIRE(table.add_task({.name = name, .period = t.period, .deadline = t.deadline}));
      const auto time = [&](std::uint32_t station, ticks lower, ticks upper) {
        REQUIRE(table.add_next(station, lower, upper));
      };
      const ticks n = 4 / tokens;
      time(0, l.lower[0], l.upper[0]);
      time(1, l.lower[1], l.upper[1]);
      time(2, l.least_work / n, (l.work + n - 1) / n);
      time(1, l.lower[2], l.upper[2]);
      time(0, l.lower[3], l.upper[3]);
      REQUIRE(
          table.sections.try_push_back({static_cast<std::uint32_t>(table.size() - 1), 0, takt::visit_mask{0b1110}}));
      return takt::task(name, takt::period(duration{t.period}), takt::deadline(duration{t.deadline}), l.cpu(0),
                        l.copy(1, takt::to_device), l.kernel(), l.copy(2, takt::to_host), l.cpu(3));
    };
    const auto a = one("a");
    const auto b = one("b");
    const auto c = one("c");
    const auto set = takt::task_set(a, b, c);
    const auto known = takt::analyze(board, set, takt::plan<3>{}, takt::published_methods);
    REQUIRE_FALSE(known.error);
    const auto other = an::holistic(table, stations);
    REQUIRE_FALSE(other.error);
    out.add(known, other);
    if (other.schedulable()) { out.exceeded += exceeding(board, set, other, takt::plan<3>{}, seed); }
  }
}

constexpr auto marker = "<!-- The table below is made by tests/property/known_methods_test.cpp. -->\n\n";

struct mixing {
  std::uint64_t proven = 0;
  std::uint64_t mixed = 0;
  std::uint64_t by_combiner = 0;
  std::uint64_t violations = 0;
};

template <class Order>
void hold_mixed(const Order& order, std::uint64_t systems, mixing& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const auto set = chains_of(d);
    const auto plan = shares_of(d, 6);
    const auto board = chain_board(order, seed % 2 == 0 ? 1 : 2);
    const auto verdict = takt::analyze(board, set, plan, takt::published_methods);
    REQUIRE_FALSE(verdict.error);
    if (!verdict.schedulable()) { continue; }
    ++out.proven;
    const auto known = takt::analysis::analyze_by<takt::published>(board, set, plan, an::rtgpu_best);
    out.mixed += verdict.method == "rtgpu-best, holistic" ? 1U : 0U;
    out.by_combiner += known.schedulable() ? 0U : 1U;
    for (std::size_t i = 0; known.schedulable() && i < set.max_tasks; ++i) {
      const auto& t = verdict.tasks[i];
      CHECK(t.bound.value <= known.tasks[i].bound.value);
      CHECK((t.method == "holistic" || t.bound.value == known.tasks[i].bound.value));
    }
    out.violations += exceeding(board, set, verdict, verdict.plan, seed);
  }
}

/// The same with the printed bounds of RTGPU, which combiners beat more often.
void hold_printed(std::uint64_t systems, mixing& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const auto set = chains_of(d);
    const auto plan = shares_of(d, 6);
    const auto board = chain_board(takt::deadline_monotonic, seed % 2 == 0 ? 1 : 2);
    auto verdict = takt::analysis::analyze_by<takt::published>(board, set, plan, an::rtgpu_published);
    const auto other = combined(board, set, verdict.plan);
    if (!verdict.schedulable() || !other.schedulable()) { continue; }
    ++out.proven;
    an::detail::take_lesser_bounds(verdict, other, "both");
    out.mixed += verdict.method == "both" ? 1U : 0U;
    out.violations += exceeding(board, set, verdict, verdict.plan, seed);
  }
}

}  // namespace

TEST_CASE("known methods and combiners compare as docs/methods.md says") {
  const std::uint64_t systems = systems_or(2000);
  std::string lines =
      "| known method | board | sets | known | holistic | holistic alone | bound | bounds | lower |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const auto rtgpu = [&](const auto& order, const auto& variant, std::string_view name) {
    comparison c;
    compare_chains(order, variant, systems, c);
    CHECK(c.known > systems / 20);
    lines += c.row(variant.name, name);
  };
  rtgpu(takt::deadline_monotonic, an::rtgpu_published, "deadline monotonic, SMs of one's own");
  rtgpu(takt::deadline_monotonic, an::rtgpu_best, "deadline monotonic, SMs of one's own");
  rtgpu(takt::rate_monotonic, an::rtgpu_best, "rate monotonic, SMs of one's own");
  comparison plain;
  compare_plain(takt::deadline_monotonic, systems, plain);
  CHECK(plain.lower == 0);
  CHECK(plain.known == plain.holistic);
  lines += plain.row("fixed-priority-rta", "deadline monotonic, processors only");
  for (const std::int32_t tokens : {1, 2}) {
    comparison c;
    compare_tokens(tokens, systems, c);
    CHECK(c.exceeded == 0);
    lines +=
        c.row("locked-gpu-k-fmlp", tokens == 1 ? "deadline monotonic, one token" : "deadline monotonic, two tokens");
  }
  if (std::getenv("TAKT_SYSTEMS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    MESSAGE(lines);
    return;
  }
  takt_tests::expect_table("docs/methods.md", marker, lines);
}

TEST_CASE("no run exceeds a bound of a known method and of combiners side by side") {
  mixing count;
  hold_mixed(takt::deadline_monotonic, systems_or(2000), count);
  hold_mixed(takt::rate_monotonic, systems_or(2000), count);
  hold_mixed(takt::fixed_priority, systems_or(2000), count);
  MESSAGE(count.proven << " sets proven, " << count.mixed << " with bounds of both, " << count.by_combiner
                       << " by a combiner alone");
  CHECK(count.violations == 0);
  CHECK(count.proven > systems_or(2000) / 2);
  CHECK(count.mixed > 0);
  CHECK(count.by_combiner > 0);
  mixing printed;
  hold_printed(systems_or(2000), printed);
  MESSAGE(printed.mixed << " of " << printed.proven << " sets with printed bounds have bounds of both");
  CHECK(printed.violations == 0);
  CHECK(printed.mixed > systems_or(2000) / 20);
}

TEST_CASE("the harness catches bounds that were made for another plan") {
  std::uint64_t violations = 0;
  for (std::uint64_t seed = 1; seed <= 20'000 && violations == 0; ++seed) {
    draws d{seed};
    const auto set = chains_of(d);
    const auto board = chain_board(takt::deadline_monotonic, 1);
    const auto few = takt::dedicate(1, 1, 1, 0);
    auto verdict = takt::analyze(board, set, few, takt::published_methods);
    const auto other =
        combined(board, set, takt::analyze(board, set, takt::dedicate(2, 2, 2, 0), takt::published_methods).plan);
    if (!verdict.schedulable() || !other.schedulable()) { continue; }
    an::detail::take_lesser_bounds(verdict, other, "both");
    violations = exceeding(board, set, verdict, verdict.plan, seed);
  }
  CHECK(violations > 0);
}
