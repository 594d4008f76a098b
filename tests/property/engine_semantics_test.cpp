// SPDX-License-Identifier: Apache-2.0
// The engine is held against a machine that goes tick by tick and was written from the documents alone: which visit
// runs in which tick, every response, release, completion and miss.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "property/tick_systems.hpp"

namespace {

using namespace tick_systems;
using takt::ticks;

constexpr std::size_t tasks = 4;
constexpr std::size_t steps = 5;
constexpr std::size_t places = 3;
constexpr std::size_t visits = tasks * steps;
using system_type = both<tasks, steps, places>;

/// The same choices for both, whoever asks first.
struct fate {
  std::uint64_t seed = 0;
  const system_type* system = nullptr;

  [[nodiscard]] auto draw(std::uint64_t what, std::uint64_t i, std::uint64_t job) const -> composed_systems::draws {
    return composed_systems::draws{((seed * 31 + what) * 67 + i) * 1009 + job};
  }
  [[nodiscard]] auto gap_of(std::size_t i, std::uint64_t job) const -> ticks {
    auto d = draw(1, i, job);
    const ticks period = system->described.task[i].period;
    if (job == 0) { return d.one_in(3) ? 0 : d.between(0, period); }
    return d.one_in(2) ? period : period + d.between(0, 4);
  }
  [[nodiscard]] auto delay_of(std::size_t i, std::uint64_t job) const -> ticks {
    auto d = draw(2, i, job);
    const ticks most = system->described.task[i].jitter;
    return d.one_in(2) ? most : d.between(0, most);
  }
  [[nodiscard]] auto length_of(std::size_t i, std::size_t p, std::uint64_t job) const -> ticks {
    auto d = draw(3 + p, i, job);
    const auto& x = system->described.task[i].steps[p];
    return d.one_in(3) ? x.lower : d.one_in(2) ? x.upper : d.between(x.lower, x.upper);
  }
  // As the engine asks.
  [[nodiscard]] auto gap(std::uint32_t i, std::uint64_t job, ticks /*period*/) const -> ticks { return gap_of(i, job); }
  [[nodiscard]] auto delay(std::uint32_t i, std::uint64_t job, ticks /*period*/) const -> ticks {
    return delay_of(i, job);
  }
  [[nodiscard]] auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks {
    return length_of(v.task, v.position, job);
  }
};

/// The same, as the machine asks.
struct fate_of_machine {
  const fate* of = nullptr;
  ticks now = 0;
  std::array<std::uint64_t, tasks> jobs{};

  auto nominal(std::size_t i, tick_machine::small age) -> tick_machine::small {
    const ticks gap = of->gap_of(i, jobs[i]);
    const ticks late = (jobs[i] == 0 ? now : ticks{age}) - gap;
    if (late < 0) { return -1; }
    ++jobs[i];
    return static_cast<tick_machine::small>(late);
  }
  auto delay(std::size_t i) -> tick_machine::small {
    return static_cast<tick_machine::small>(of->delay_of(i, jobs[i] - 1));
  }
  auto length(std::size_t i, std::size_t p) -> tick_machine::small {
    return static_cast<tick_machine::small>(of->length_of(i, p, jobs[i] - 1));
  }
  static auto backwards() -> bool { return false; }
  static auto hurries() -> bool { return false; }
};

struct heard {
  std::array<std::array<ticks, steps>, tasks> worst{};
  std::array<ticks, tasks> longest{};
  std::array<ticks, tasks> shortest{};
  std::array<ticks, tasks> sum{};
  std::array<std::uint64_t, tasks> completed{};
  std::array<std::set<std::uint64_t>, tasks> in_time{};  ///< jobs
  const system_type* system = nullptr;

  void visit(std::size_t i, std::size_t p, ticks response) { worst[i][p] = std::max(worst[i][p], response); }
  void job(std::size_t i, ticks response) {
    shortest[i] = completed[i] == 0 ? response : std::min(shortest[i], response);
    longest[i] = std::max(longest[i], response);
    sum[i] += response;
    if (response <= system->described.task[i].deadline) { in_time[i].insert(completed[i]); }
    ++completed[i];
  }
};

using slices = std::set<std::pair<ticks, std::uint32_t>>;

void note_slice(void* context, takt::client v, std::int32_t /*unit*/, ticks from, ticks to) {
  for (ticks t = from; t < to; ++t) { static_cast<slices*>(context)->insert({t, v}); }
}

/// What the two saw differently, or nothing.
auto difference(const system_type& s, std::uint64_t seed, ticks horizon) -> std::string {
  fate choices{seed, &s};
  slices of_engine;
  takt::host::engine<system_type::board, tasks, visits, fate> engine{
      s.set, s.places, choices, {s.offsets.data(), s.offsets.size()}, {s.deadlines.data(), s.deadlines.size()}};
  const auto seen = engine.run(horizon, {&of_engine, &note_slice});

  using machine_type = tick_machine::machine<tasks, steps, places, fate_of_machine, heard>;
  fate_of_machine asked{&choices};
  heard known;
  known.system = &s;
  auto now = machine_type::at_rest(s.described);
  machine_type machine{s.described, now, asked, known};
  slices of_machine;
  for (ticks t = 0; t <= horizon; ++t) {
    asked.now = t;
    machine.instant();
    for (std::size_t a = 0; a < static_cast<std::size_t>(s.described.places); ++a) {
      if (now.at[a].switching > 0) { continue; }
      for (const auto w : now.at[a].runs) { of_machine.insert({t, s.set.tasks[w.task].first_visit + w.step}); }
    }
    machine.tick();
  }

  for (std::size_t i = 0; i < s.set.size(); ++i) {
    const auto& t = seen.tasks[i];
    const std::string task = " of task " + std::to_string(i);
    if (t.completed != known.completed[i]) { return "completed jobs" + task; }
    if (t.worst_response != known.longest[i] || t.best_response != known.shortest[i] ||
        t.total_response != known.sum[i]) {
      return "responses" + task;
    }
    std::uint64_t released = 0;
    std::uint64_t missed = 0;
    ticks nominal = 0;
    for (std::uint64_t k = 0; nominal <= horizon; ++k) {
      nominal += choices.gap_of(i, k);
      const ticks release = nominal + choices.delay_of(i, k);
      const bool counts = release < horizon || (release == horizon && k < t.completed);
      released += released == k && counts ? 1U : 0U;  // jobs keep their order
      missed += nominal + s.set.tasks[i].deadline <= horizon && !known.in_time[i].contains(k) ? 1U : 0U;
    }
    if (t.released != released) { return "releases" + task; }
    if (t.misses != missed) { return "misses" + task; }
    for (std::size_t p = 0; p < s.set.tasks[i].visit_count; ++p) {
      if (seen.visit_response(i, p) != known.worst[i][p]) { return "visit " + std::to_string(p) + task; }
    }
  }
  for (const auto& x : of_engine) {
    if (!of_machine.contains(x) && x.first < horizon) { return "a slice that only the engine has"; }
  }
  for (const auto& x : of_machine) {
    if (of_engine.contains(x) || x.first >= horizon) { continue; }
    const auto& v = s.set.visits[x.second];
    const bool pending = now.task[v.task].step[v.position].is == tick_machine::where::asks;
    if (!pending) { return "a slice that only the machine has"; }
  }
  return {};
}

}  // namespace

TEST_CASE("the engine does what the documents say, tick by tick") {
  std::uint64_t differing = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(3000); ++seed) {
    const auto s = random_both<tasks, steps, places>(seed, {.guards = seed % 3 == 0, .late = seed % 7 == 0});
    const std::string what = difference(s, seed, 150);
    if (!what.empty()) {
      ++differing;
      MESSAGE("system " << seed << ": " << what);
    }
    if (differing > 5) { break; }
  }
  CHECK(differing == 0);
}
