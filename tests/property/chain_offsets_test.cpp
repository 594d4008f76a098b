// SPDX-License-Identifier: Apache-2.0
// The choice of release offsets is held against nested loops over all of them, on random chains that share tasks.
#include <takt/allocation/synthesis/chain_offsets.hpp>
#include <takt/analysis/cause_effect/chain_latency.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "support/draws.hpp"

namespace {

using takt::chain_stage;
using takt::communication;
using takt::ticks;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t max_tasks = 4;

struct chain {
  std::vector<std::uint32_t> tasks;
  std::vector<chain_stage> stages;
  ticks reaction_limit = 0;
  ticks age_limit = 0;
  bool counts_age = false;
};

struct some_chains {
  std::vector<chain_stage> tasks;
  std::vector<chain> chains;

  explicit some_chains(std::uint64_t seed) {
    draws d{seed};
    constexpr std::array<ticks, 7> periods{4, 5, 6, 8, 9, 10, 12};
    const auto count = static_cast<std::size_t>(d.between(2, 4));
    for (std::size_t i = 0; i < count; ++i) {
      chain_stage s{.period = periods[static_cast<std::size_t>(d.between(0, count < 4 ? 6 : 3))]};
      s.response = d.between(1, s.period);
      s.how = d.one_in(2) ? communication::let : communication::implicit;
      s.offset = d.one_in(3) ? d.between(0, s.period - 1) : 0;
      tasks.push_back(s);
    }
    for (int c = d.count(1, 2); c > 0; --c) {
      chain made;
      for (std::uint32_t t = 0; t < count; ++t) {
        if (d.one_in(4) && count > 2) { continue; }
        made.tasks.push_back(t);
      }
      if (made.tasks.empty()) { continue; }
      if (d.one_in(2)) { std::ranges::reverse(made.tasks); }
      for (const std::uint32_t t : made.tasks) { made.stages.push_back(tasks[t]); }
      made.counts_age = d.one_in(3);
      if (d.one_in(3)) { made.reaction_limit = takt::bound_chain(made.stages).reaction - d.between(0, 4); }
      if (d.one_in(5)) { made.age_limit = takt::bound_chain(made.stages).age - d.between(0, 4); }
      chains.push_back(made);
    }
  }

  /// The longest latency under these offsets; -1 where a limit is exceeded.
  [[nodiscard]] auto longest(const std::vector<ticks>& offsets) -> ticks {
    ticks out = 0;
    for (chain& c : chains) {
      for (std::size_t i = 0; i < c.tasks.size(); ++i) { c.stages[i].offset = offsets[c.tasks[i]]; }
      const auto got = takt::bound_chain(c.stages);
      const bool late =
          (c.reaction_limit > 0 && got.reaction > c.reaction_limit) || (c.age_limit > 0 && got.age > c.age_limit);
      if (late) { return -1; }
      out = std::max(out, c.counts_age ? got.age : got.reaction);
    }
    return out;
  }
  [[nodiscard]] auto given() const -> std::vector<ticks> {
    std::vector<ticks> out;
    for (const chain_stage& s : tasks) { out.push_back(s.offset); }
    return out;
  }
  /// Over all offsets of whole ticks; -1 where none keeps the limits.
  [[nodiscard]] auto by_nested_loops() -> ticks {
    ticks best = -1;
    std::vector<ticks> at(tasks.size(), 0);
    const auto next = [&] {
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (++at[i] < tasks[i].period) { return true; }
        at[i] = 0;
      }
      return false;
    };
    do {
      const ticks got = longest(at);
      if (got >= 0 && (best < 0 || got < best)) { best = got; }
    } while (next());
    return best;
  }
  [[nodiscard]] auto chosen(std::uint64_t seed, std::uint64_t steps) -> std::vector<ticks> {
    std::vector<ticks> out = given();
    static_cast<void>(longest(out));
    std::vector<takt::offset_chain> asked;
    for (chain& c : chains) {
      asked.push_back({.tasks = c.tasks,
                       .stages = c.stages,
                       .reaction_limit = c.reaction_limit,
                       .age_limit = c.age_limit,
                       .counts_age = c.counts_age});
    }
    takt::choose_offsets<max_tasks>(asked, seed, steps);
    for (const chain& c : chains) {
      for (std::size_t i = 0; i < c.tasks.size(); ++i) { out[c.tasks[i]] = c.stages[i].offset; }
    }
    return out;
  }
};

}  // namespace

TEST_CASE(
    "release offsets of one chain are the best that nested loops over all of them find, and those of several mostly") {
  std::uint64_t better = 0;
  std::uint64_t unlike = 0;
  std::uint64_t near = 0;
  const std::uint64_t systems = systems_or(200);
  for (std::uint64_t n = 1; n <= systems; ++n) {
    CAPTURE(n);
    some_chains s{n};
    const ticks best = s.by_nested_loops();
    const ticks before = s.longest(s.given());
    const ticks got = s.longest(s.chosen(1, 1 << 20));
    CHECK((before < 0 || (got >= 0 && got <= before)));
    CHECK((got == best || s.chains.size() > 1));
    unlike += got != best ? 1U : 0U;
    better += got >= 0 && (before < 0 || got < before) ? 1U : 0U;
    const auto by_search = s.chosen(n, 60);
    CHECK(by_search == s.chosen(n, 60));
    const ticks found = s.longest(by_search);
    CHECK((found < 0 || found >= best));
    near += found == best ? 1U : 0U;
  }
  MESSAGE("of " << systems << " systems " << better << " have a shorter longest chain, " << near
                << " were found in sixty steps; unlike nested loops: " << unlike);
  CHECK(20 * unlike < systems);
  CHECK(better > systems / 4);
  CHECK(2 * near > systems);
}
