// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <fmt/format.h>

#include <takt/report/sighting.hpp>

#include "described_file.hpp"
#include "policies/policy_input.hpp"

// What the members of described_file are made of.

namespace takt::program {

struct described_file::parts {
  std::unique_ptr<workload_file> file;
  rule_wishes wishes;
  policy_input input;
  std::unique_ptr<judged_policy> found;
  report::verdict_summary judged;
};

template <class Result>
auto described_file::as_stated(const Result& seen) const -> report::sighting {
  if (seen.error.fault == model_fault::plan_does_not_fit) {
    throw nothing_to_run{fmt::format("no plan is known under {}. See the reasons of analyze.", p_->found->policy)};
  }
  report::sighting out = report::sighting_of(seen);
  report::keep_stated_misses(p_->file->tasks, out);
  return out;
}

}  // namespace takt::program
