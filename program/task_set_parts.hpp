// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <fmt/format.h>

#include <takt/report/observation_summary.hpp>

#include "policies/policy_input.hpp"
#include "task_set_file.hpp"

// What the members of task_set_file are made of.

namespace takt::program {

struct task_set_file::parts {
  std::unique_ptr<workload_file> file;
  rule_wishes wishes;
  policy_input input;
  std::unique_ptr<judged_policy> found;
  report::verdict_summary judged;
};

template <class Result>
auto task_set_file::as_declared(const Result& seen) const -> report::observation_summary {
  if (seen.error.fault == model_fault::plan_does_not_fit) {
    throw nothing_to_run{fmt::format("no plan is known under {}. See the reasons of analyze.", p_->found->policy)};
  }
  report::observation_summary out = report::observation_summary_of(seen);
  report::keep_declared_misses(p_->file->tasks, out);
  return out;
}

}  // namespace takt::program
