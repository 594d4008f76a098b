// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <takt/core/largest_factor.hpp>
#include <takt/report/verdict_table.hpp>

#include "command.hpp"
#include "observe.hpp"
#include "progress.hpp"

namespace takt::program {

namespace {

constexpr permille most = 100'000;
constexpr permille unscaled = 1000;
constexpr permille scan_step = 10;
/// A scan ends after this many steps in a row without a proof, but not before the execution times that were given.
constexpr int patience_in_steps = 50;

class factor_search {
 public:
  factor_search(const described_file& file, verdict_status unscaled_verdict)
      : file_{&file}, schedulable_{unscaled_verdict == verdict_status::schedulable} {}

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
    const factor_answer out = file_->at_factor(f);
    undecided_ = undecided_ || out == factor_answer::undecided;
    return out;
  }

  const described_file* file_;
  bool schedulable_;
  std::uint64_t tried_ = 0;
  bool undecided_ = false;
  progress shown_{"scaling: factors tried"};
};

}  // namespace

auto sensitivity_command(const sensitivity_options& o) -> exit_code {
  described_file file{o.file, o.wishes};
  const auto& found = file.judge(o.ask);
  if (!found.plan_words.empty()) { fmt::print("plan at factor 1: {}\n", found.plan_words); }
  fmt::print("\n{}\n", report::text_of(report::slack_table(found)));
  factor_search search{file, found.status};
  const auto text = &factor_search::factor_text;
  if (file.is_monotone(o.ask)) {
    const permille largest = search.bisect();
    fmt::print("largest factor on all execution times that is proven: {} ({}, binary search in steps of 0.001)\n",
               largest == 0 ? "none" : text(largest), found.method);
  } else {
    const auto scanned = search.scan();
    fmt::print("largest factor on all execution times that is proven: {} ({})\n",
               scanned.largest == 0 ? "none" : text(scanned.largest), found.method);
    fmt::print("  not monotone, because {}: scanned in steps of 0.010 (1 %) to {}\n", file.why_not_monotone(),
               scanned.end);
    if (scanned.contiguous != scanned.largest) {
      fmt::print("  every step up to {} is proven; above it some are not\n", text(scanned.contiguous));
    }
  }
  if (search.undecided()) {
    fmt::print("  the search for a plan was ended undecided at some factors, which count as not proven\n");
  }
  fmt::print("verdict at factor 1: {} ({})\n", name_of(found.status), found.method);
  return exit_code_of(found.status);
}

}  // namespace takt::program
