// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <takt/core/largest_factor.hpp>
#include <takt/report/json.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/report/verdict_table.hpp>

#include "command.hpp"
#include "large_stack.hpp"
#include "observe.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace takt::program {

namespace {

constexpr permille most = 100'000;
constexpr permille unscaled = 1000;
constexpr permille scan_step = 10;
/// A scan ends after this many steps in a row without a proof, but not before the execution times that were given.
constexpr int patience_in_steps = 50;

class factor_search {
 public:
  factor_search(const task_set_file& file, verdict_status unscaled_verdict, bool replans)
      : file_{&file}, replans_{replans}, schedulable_{unscaled_verdict == verdict_status::schedulable} {}

  /// Largest factor that passes, 0 if none does.
  auto bisect() -> permille {
    return takt::largest_factor(unscaled, most, [this](permille f) {
      shown_.show(++tried_);
      return answer(f) == factor_answer::proven;
    });
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
      const factor_answer found = answer(f);
      if (found == factor_answer::must_miss) {
        out.end = fmt::format("{}, where some run must miss", factor_text(f));
        break;
      }
      if (found == factor_answer::proven) {
        out.largest = f;
        out.contiguous = gap ? out.contiguous : f;
        failures = 0;
        continue;
      }
      gap = true;
      if (++failures >= patience_in_steps && f > unscaled) {
        out.end = fmt::format("{}, after {} steps without a proof", factor_text(f), failures);
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
  auto answer(permille f) -> factor_answer {
    if (f == unscaled && schedulable_) { return factor_answer::proven; }
    const factor_answer out = file_->at_factor(f, replans_);
    undecided_ = undecided_ || out == factor_answer::undecided;
    return out;
  }

  const task_set_file* file_;
  bool replans_;
  bool schedulable_;
  std::uint64_t tried_ = 0;
  bool undecided_ = false;
  progress shown_{"scaling: factors tried"};
};

void print_slack_json(report::json_writer& json, const report::verdict_summary& found) {
  json.key("tasks").begin_array();
  for (const report::task_summary& t : found.tasks) {
    json.begin_object().member("name", t.name);
    report::detail::write_time(json, "deadline", t.limited, t.deadline);
    report::detail::write_time(json, "response_bound", t.bound.exists, t.bound.value);
    report::detail::write_time(json, "slack", t.limited && t.bound.exists, t.deadline - t.bound.value);
    json.end_object();
  }
  json.end_array();
}

/// The largest factor, and how it was found.
struct answer {
  permille largest = 0;                                 ///< 0: none is proven
  std::optional<factor_search::scan_result> scanned{};  ///< where a binary search would not do
  bool undecided = false;
};

[[nodiscard]] auto search_factor(const task_set_file& file, const question& ask, verdict_status unscaled_verdict,
                                 bool replans) -> answer {
  factor_search search{file, unscaled_verdict, replans};
  answer out;
  if (file.is_monotone(ask, replans)) {
    out.largest = search.bisect();
  } else {
    out.scanned = search.scan();
    out.largest = out.scanned->largest;
  }
  out.undecided = search.undecided();
  return out;
}

void print_json(const task_set_file& file, const report::verdict_summary& found, const answer& a,
                const std::optional<answer>& replanned) {
  report::json_writer json{std::cout};
  json.begin_object().member("format", "takt-sensitivity/1").member("analysis", found.method);
  json.member("status", name_of(found.status));
  report::detail::write_time(json, "factor_permille", a.largest > 0, a.largest);
  if (replanned) {
    report::detail::write_time(json, "replanned_factor_permille", replanned->largest > 0, replanned->largest);
  }
  json.member("search", a.scanned ? "scan" : "binary");
  if (a.scanned) {
    json.member("not_monotone_because", file.why_not_monotone()).member("scanned_to", a.scanned->end);
    json.member("contiguous_permille", a.scanned->contiguous);
  }
  json.member("undecided", a.undecided || (replanned && replanned->undecided));
  print_slack_json(json, found);
  report::detail::write_texts(json, "notes", words_of_file(file.workload()));
  json.end_object().finish();
}

void print_text(const task_set_file& file, const report::verdict_summary& found, const answer& a,
                const std::optional<answer>& replanned) {
  const auto text = &factor_search::factor_text;
  if (!found.plan_words.empty()) { say("plan: {}\n", found.plan_words); }
  say("\n{}\n", report::text_of(report::slack_table(found)));
  say("largest factor on all execution times that is proven: {} ({}{})\n", a.largest == 0 ? "none" : text(a.largest),
      found.method, a.scanned ? "" : ", binary search in steps of 0.001");
  if (a.scanned) {
    say("  not monotone, because {}: scanned in steps of 0.010 (1 %) to {}\n", file.why_not_monotone(), a.scanned->end);
    if (a.scanned->contiguous != a.scanned->largest) {
      say("  every step up to {} is proven; above it some are not\n", text(a.scanned->contiguous));
    }
  }
  if (replanned) {
    say("largest factor with a plan of its own: {}\n", replanned->largest == 0 ? "none" : text(replanned->largest));
  }
  if (a.undecided || (replanned && replanned->undecided)) {
    say("  the search for a plan was ended undecided at some factors, which count as not proven\n");
  }
  say("verdict at factor 1: {} ({})\n", name_of(found.status), found.method);
  for (const std::string& words : words_of_file(file.workload())) { say("  note: {}\n", words); }
}

}  // namespace

auto sensitivity_command(const sensitivity_options& o) -> exit_code {
  task_set_file file{o.file, o.wishes};
  const auto& found = file.judge(o.ask);
  answer a;
  std::optional<answer> replanned;
  // One stack for all factors: its pages are new to the first one only.
  on_large_stack([&] {
    a = search_factor(file, o.ask, found.status, false);
    if (o.replan) { replanned = search_factor(file, o.ask, found.status, true); }
  });
  if (o.json) {
    print_json(file, found, a, replanned);
  } else {
    print_text(file, found, a, replanned);
  }
  return exit_code_of(found.status);
}

}  // namespace takt::program
