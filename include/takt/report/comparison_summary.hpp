// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/report/tree.hpp>

namespace takt::inline TAKT_ABI::report {

/// Describes a fact that a policy needs and a workload does not have.
struct missing_words {
  std::string at;    ///< "/tasks/2/segments/1", or of the platform
  std::string fact;  ///< "preemption_cost"
};

/// Describes a proof that a deadline is missed under a policy.
struct compared_miss {
  proven_miss<ticks> proof;
  std::string task;    ///< that is to blame, if one is
  std::string clause;  ///< "core 0 can be asked for 125% of its time"
};

struct compared_task {
  std::string name;
  ticks deadline = 0;
  bool limited = true;  ///< false: no deadline, any bound will do
  response_bound<ticks> bound;
  bool meets = false;     ///< proven; a method may prove it without a bound, or have a bound that proves nothing
  bool is_apart = false;  ///< it is, whatever becomes of what is not proven
};

/// One way of sharing the GPU. Without a status it cannot be judged, and `missing` or `because` says why.
struct comparison_row {
  std::string policy;
  std::string cpus;
  std::optional<verdict_status> status;
  std::string method;
  std::optional<std::int64_t> slack_permille;   ///< least (deadline - bound) / deadline over the tasks
  std::optional<std::int64_t> factor_permille;  ///< largest on all execution times that is still proven
  std::string plan_words;
  tree plan;
  std::vector<missing_words> missing;
  std::vector<compared_miss> misses;  ///< why it must miss a deadline
  std::string because;                ///< a sentence: why it is not judged, or not proven
  std::vector<compared_task> tasks;
};

struct comparison_summary {
  std::string title;
  std::vector<std::string> platform_words;
  std::vector<comparison_row> rows;
  std::vector<std::string> notes{};  ///< sentences about all rows
};

}  // namespace takt::inline TAKT_ABI::report
