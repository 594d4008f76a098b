// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include <takt/analysis/proven_miss.hpp>
#include <takt/core/checked.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/rules/priority_order.hpp>

#include "command.hpp"
#include "progress.hpp"
#include "text_table.hpp"

namespace takt::program {

namespace {

/// A factor in parts per thousand.
using permille = std::int64_t;

constexpr permille most = 100'000;
constexpr permille scan_step = 10;
/// A scan ends after this many steps in a row without a proof.
constexpr int patience_in_steps = 50;

[[nodiscard]] auto scaled(ticks time, permille factor, bool up, ticks& out) -> bool {
  ticks product = 0;
  if (!checked_multiply(time, factor, product)) { return false; }
  out = up ? ceil_divide<ticks>(product, 1000) : floor_divide<ticks>(product, 1000);
  return true;
}

/// All execution times by a factor: upper bounds up, lower bounds down. False on overflow.
[[nodiscard]] auto scale(const file_table& table, permille factor, file_table& out) -> bool {
  out = table;
  bool fits = true;
  for (auto& s : out.segments) {
    fits = scaled(s.time.upper, factor, true, s.time.upper) && fits;
    fits = scaled(s.time.lower, factor, false, s.time.lower) && fits;
    fits = scaled(s.overhead, factor, true, s.overhead) && fits;
  }
  return fits;
}

/// Whether shortest execution times count for nothing: all are 0, or no task ever leaves its core.
[[nodiscard]] auto only_upper_bounds_count(const file_table& table) -> bool {
  const bool nothing_between = std::ranges::all_of(table.tasks, [](const auto& t) { return t.segment_count == 1; });
  return nothing_between || std::ranges::all_of(table.segments, [](const auto& s) { return s.time.lower == 0; });
}

/// Whether a factor that passes implies that every smaller one does. Gaps between the segments of a job are shortest
/// execution times, and those scale along; longer upper bounds alone never help. The search must be exact for that.
[[nodiscard]] auto is_monotone(const file_table& table, const question& q) -> bool {
  if (q.method == analysis_method::enhanced_mpcp) { return true; }
  return q.search != search_method::greedy &&
         (q.method == analysis_method::busy_waiting || only_upper_bounds_count(table));
}

class factor_search {
 public:
  factor_search(const task_file& file, const question& q) : file_{&file}, question_{q} {}

  /// Largest factor that passes, 0 if none does.
  auto bisect() -> permille {
    permille passes = 0;
    permille fails = most + 1;
    for (permille f = 1000; fails - passes > 1; f = fails > most ? std::min(most, passes * 2) : (passes + fails) / 2) {
      if (f == passes) { break; }
      (pass(f) ? passes : fails) = f;
      if (passes == most) { break; }
    }
    return passes;
  }

  struct scan_result {
    permille largest = 0;     ///< that passes
    permille contiguous = 0;  ///< up to which every step passes
    std::string end;
  };
  auto scan() -> scan_result {
    scan_result out{.end = "the end of the scan"};
    int failures = 0;
    bool gap = false;
    for (permille f = scan_step; f <= most; f += scan_step) {
      shown_.show(static_cast<std::uint64_t>(f / scan_step), static_cast<std::uint64_t>(most / scan_step));
      if (!scale(file_->table, f, *scaled_) || must_miss()) {
        out.end = fmt::format("{}, where some run must miss", factor_text(f));
        break;
      }
      if (passes()) {
        out.largest = f;
        out.contiguous = gap ? out.contiguous : f;
        failures = 0;
        continue;
      }
      gap = true;
      if (++failures == patience_in_steps) {
        out.end = fmt::format("{}, after {} steps without a proof", factor_text(f), patience_in_steps);
        break;
      }
    }
    return out;
  }

  [[nodiscard]] auto undecided() const noexcept -> bool { return undecided_; }
  [[nodiscard]] static auto factor_text(permille f) -> std::string {
    return fmt::format("{}.{:03}", f / 1000, f % 1000);
  }

 private:
  auto pass(permille f) -> bool {
    shown_.show(++tried_);
    return scale(file_->table, f, *scaled_) && passes();
  }
  auto passes() -> bool {
    const auto outcome = look_for_plan(*file_, *scaled_, question_);
    undecided_ = undecided_ || outcome == plan_search_outcome::undecided;
    return outcome == plan_search_outcome::found;
  }
  /// Proofs of a miss hold for every greater factor too.
  auto must_miss() -> bool {
    *sorted_ = *scaled_;
    with_platform(file_->rules, file_->platform,
                  [this](const auto& p) { prioritize(*sorted_, std::remove_cvref_t<decltype(p)>::cpu_rule::order); });
    return !analysis::find_proven_misses(*sorted_, file_->platform).empty();
  }

  const task_file* file_;
  question question_;
  std::unique_ptr<file_table> scaled_ = std::make_unique<file_table>();
  std::unique_ptr<file_table> sorted_ = std::make_unique<file_table>();
  std::uint64_t tried_ = 0;
  bool undecided_ = false;
  progress shown_{"scaling: factors tried"};
};

void print_slack(const assessment& a) {
  text_table table{{"task", "deadline ms", "bound ms", "slack ms", "slack"}};
  for (const std::uint32_t i : a.summary.priorities) {
    const auto& t = a.summary.tasks[i];
    const ticks slack = t.deadline - t.bound.value;
    table.add({t.name, in_milliseconds(t.deadline), t.bound.exists ? in_milliseconds(t.bound.value) : "-",
               t.bound.exists ? in_milliseconds(slack) : "-", t.bound.exists ? percent(slack, t.deadline) : "-"});
  }
  fmt::print("{}\n", table.text());
}

}  // namespace

auto sensitivity_command(const sensitivity_options& o) -> exit_code {
  const auto file = read_task_file(o.file);
  const auto a = assess(*file, o.ask);
  if (file->table.gpu_tasks() > 0) { fmt::print("plan at factor 1: {}\n", plan_text(*file, a->plan)); }
  fmt::print("\n");
  print_slack(*a);
  factor_search search{*file, o.ask};
  const auto text = &factor_search::factor_text;
  if (is_monotone(file->table, o.ask)) {
    const permille largest = search.bisect();
    fmt::print("largest factor on all execution times that is proven: {} ({}, binary search in steps of 0.001)\n",
               largest == 0 ? "none" : text(largest), a->summary.analysis);
  } else {
    const auto found = search.scan();
    fmt::print("largest factor on all execution times that is proven: {} ({})\n",
               found.largest == 0 ? "none" : text(found.largest), a->summary.analysis);
    fmt::print("  not monotone, because shortest execution times scale too: scanned in steps of 0.010 (1 %) to {}\n",
               found.end);
    if (found.contiguous != found.largest) {
      fmt::print("  every step up to {} is proven; above it some are not\n", text(found.contiguous));
    }
  }
  if (search.undecided()) {
    fmt::print("  the search for a plan was ended undecided at some factors, which count as not proven\n");
  }
  fmt::print("verdict at factor 1: {} ({})\n", name_of(a->summary.status), a->summary.analysis);
  return exit_code_of(a->summary.status);
}

}  // namespace takt::program
