// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <takt/rules/locking/priority_ceiling.hpp>

namespace {

using takt::ceiling_section;
using takt::ceiling_status;
using takt::lock_id;
using takt::lowest_priority;
using takt::priority_point;
using takt::ticks;

constexpr std::size_t jobs = 3;
constexpr std::size_t resources = 3;
using rule = takt::priority_ceiling<resources>;

[[nodiscard]] constexpr auto level_of(std::size_t job) -> priority_point { return {static_cast<std::int64_t>(job), 0}; }

/// A dot is a unit of time, a small letter locks a resource and its capital unlocks it.
using program = std::string_view;
constexpr std::array<program, 9> programs{"..",        "a..A",    ".b..B.",    "a.b.B.A",   "b.a.AB.",
                                          "c...C.a.A", ".cb.B.C", "a.bc..CBA", "c.a.A.b.BC"};

[[nodiscard]] auto resource_of(char c) -> lock_id { return std::tolower(static_cast<unsigned char>(c)) - 'a'; }

[[nodiscard]] auto sections_of(program p, const priority_point& level) -> std::vector<ceiling_section> {
  std::vector<ceiling_section> found;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (std::islower(static_cast<unsigned char>(p[i])) == 0) { continue; }
    const auto end = p.find(static_cast<char>(std::toupper(static_cast<unsigned char>(p[i]))), i);
    const auto inside = p.substr(i, end - i);
    found.push_back({level, resource_of(p[i]), std::ranges::count(inside, '.')});
  }
  return found;
}

struct run_of_job {
  program code;
  ticks release = 0;
  std::size_t at = 0;
  bool started = false;
  std::set<std::size_t> blocked_by{};
  ticks blocked = 0;

  [[nodiscard]] auto done() const -> bool { return at == code.size(); }
};

/// One processor: among the started jobs and those that may start, the best effective priority runs.
class uniprocessor {
 public:
  uniprocessor(const std::array<program, jobs>& code, const std::array<ticks, jobs>& release) {
    for (std::size_t j = 0; j < jobs; ++j) {
      runs_[j] = {.code = code[j], .release = release[j]};
      for (const auto& s : sections_of(code[j], level_of(j))) {
        REQUIRE(rule_.declare(s.resource, level_of(j)) == ceiling_status::done);
        sections_.push_back(s);
      }
    }
  }

  void run() {
    const auto unfinished = [&] { return std::ranges::any_of(runs_, [](const auto& r) { return !r.done(); }); };
    for (ticks now = 0; unfinished(); ++now) {
      REQUIRE(now < 100);
      step(now);
    }
    for (std::size_t j = 0; j < jobs; ++j) {
      REQUIRE(runs_[j].blocked_by.size() <= 1);
      REQUIRE(runs_[j].blocked <= takt::ceiling_blocking(rule_, sections_, level_of(j)));
      blocked_ += runs_[j].blocked;
    }
    REQUIRE(rule_.system_ceiling() == lowest_priority);
  }
  [[nodiscard]] auto blocked() const -> ticks { return blocked_; }

 private:
  void step(ticks now) {
    while (true) {
      const std::size_t j = best(now);
      if (j == jobs) { return; }
      runs_[j].started = true;
      const char c = runs_[j].code[runs_[j].at++];
      if (c == '.') {
        note_blocking(now, j);
        finish_zero_time_operations(j);
        return;
      }
      change_lock(j, c);
    }
  }
  void change_lock(std::size_t j, char c) {
    const auto id = static_cast<std::int32_t>(j);
    if (std::islower(static_cast<unsigned char>(c)) != 0) {
      REQUIRE(rule_.lock(id, level_of(j), resource_of(c)) == ceiling_status::done);
    } else {
      REQUIRE(rule_.unlock(id, resource_of(c)) == ceiling_status::done);
    }
  }
  /// A section ends with its last unit of time, before anybody else is considered.
  void finish_zero_time_operations(std::size_t j) {
    auto& r = runs_[j];
    while (!r.done() && std::isupper(static_cast<unsigned char>(r.code[r.at])) != 0) { change_lock(j, r.code[r.at++]); }
  }
  [[nodiscard]] auto best(ticks now) const -> std::size_t {
    std::size_t found = jobs;
    priority_point best_so_far = lowest_priority;
    for (std::size_t j = 0; j < jobs; ++j) {
      if (runs_[j].release > now || runs_[j].done()) { continue; }
      if (!runs_[j].started && !rule_.may_start(level_of(j))) { continue; }
      const auto effective = rule_.effective(static_cast<std::int32_t>(j), level_of(j));
      const bool better = effective < best_so_far || (effective == best_so_far && runs_[j].started);
      if (better) {
        found = j;
        best_so_far = effective;
      }
    }
    return found;
  }
  void note_blocking(ticks now, std::size_t running) {
    for (std::size_t j = 0; j < running; ++j) {
      if (runs_[j].release > now || runs_[j].done()) { continue; }
      REQUIRE(!runs_[j].started);
      runs_[j].blocked_by.insert(running);
      ++runs_[j].blocked;
    }
  }

  rule rule_;
  std::array<run_of_job, jobs> runs_{};
  std::vector<ceiling_section> sections_;
  ticks blocked_ = 0;
};

constexpr auto ceilings() -> bool {
  takt::priority_ceiling<2> p;
  bool ok = p.declare(0, {1, 0}) == ceiling_status::done && p.declare(0, {3, 0}) == ceiling_status::done;
  ok = ok && p.declare(1, {2, 0}) == ceiling_status::done && p.declare(2, {2, 0}) == ceiling_status::unknown_resource;
  ok = ok && p.lock(7, {2, 0}, 1) == ceiling_status::done && p.lock(7, {2, 0}, 0) == ceiling_status::done;
  ok = ok && p.system_ceiling() == priority_point{1, 0} && p.effective(7, {2, 0}) == priority_point{1, 0};
  ok = ok && !p.may_start({1, 0}) && p.may_start({0, 0}) && p.unlock(7, 0) == ceiling_status::done;
  ok = ok && !p.may_start({2, 0}) && p.may_start({1, 0});
  return ok && p.unlock(7, 1) == ceiling_status::done && p.may_start({50, 0});
}
static_assert(ceilings());

}  // namespace

TEST_CASE("under ceilings a job is blocked by one section at most, only before it starts, for any nesting") {
  ticks blocked = 0;
  for (const program first : programs) {
    for (const program second : programs) {
      for (const program third : programs) {
        for (ticks i = 0; i < 5; ++i) {
          for (ticks j = 0; j < 4; ++j) {
            uniprocessor system{{first, second, third}, {i, j, 0}};
            system.run();
            blocked += system.blocked();
          }
        }
      }
    }
  }
  CHECK(blocked > 1000);
}

TEST_CASE("the blocking of a job is the longest worse section whose ceiling is not below it") {
  rule r;
  const std::array<ceiling_section, 4> sections{
      {{level_of(0), 0, 9}, {level_of(1), 1, 2}, {level_of(2), 0, 3}, {level_of(2), 1, 5}}};
  for (const auto& s : sections) { REQUIRE(r.declare(s.resource, s.level) == ceiling_status::done); }
  CHECK(takt::ceiling_blocking(r, sections, level_of(0)) == 3);
  CHECK(takt::ceiling_blocking(r, sections, level_of(1)) == 5);
  CHECK(takt::ceiling_blocking(r, sections, level_of(2)) == 0);
}

TEST_CASE("locks under ceilings refuse what the rule excludes") {
  rule r;
  REQUIRE(r.declare(0, level_of(1)) == ceiling_status::done);
  CHECK(r.lock(0, level_of(0), 0) == ceiling_status::undeclared);
  CHECK(r.lock(1, level_of(1), 3) == ceiling_status::unknown_resource);
  CHECK(r.lock(1, level_of(1), -1) == ceiling_status::unknown_resource);
  CHECK(r.unlock(1, 0) == ceiling_status::not_last);
  REQUIRE(r.lock(1, level_of(1), 0) == ceiling_status::done);
  CHECK(r.declare(1, level_of(1)) == ceiling_status::in_use);
  CHECK(r.lock(2, level_of(2), 0) == ceiling_status::not_free);
  CHECK(r.unlock(2, 0) == ceiling_status::not_last);
  CHECK(r.unlock(1, 1) == ceiling_status::not_last);
  CHECK(r.unlock(1, 0) == ceiling_status::done);
}
