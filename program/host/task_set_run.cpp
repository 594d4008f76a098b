// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <takt/runtime/executor/run.hpp>

#include "../files/offsets.hpp"
#include "../large_stack.hpp"
#include "../task_set_parts.hpp"
#include "run_method.hpp"

namespace takt::program {

namespace {

const std::initializer_list<method_run> known_runs{
    // a line for each system
    run_locked_gpus,  // locked_gpus
    run_graphs,       // graphs
};

}  // namespace

auto task_set_file::observe(runtime::run_options options, trace* kept) const -> report::observation_summary {
  const std::string& analysis = p_->input.question.analysis;
  if (!analysis.empty() && !analysis.starts_with("rtgpu")) {
    throw input_error{"--analysis", "is about other rules than those of a run", "rtgpu-best, rtgpu, rtgpu-sharper"};
  }
  require_plan();
  if (has_offsets(*p_->file)) {
    if (p_->found->simulate) {
      refuse_offsets(*p_->file, "is not kept by runs of overlapping graphs and of locked GPUs",
                     "no such key, or simulate in place of run");
    }
    options.offsets = offsets_of(*p_->file);
  }
  for (std::size_t i = 0; i < p_->judged.tasks.size(); ++i) {
    options.expected.push_back({.response = p_->judged.promised(i), .visits = {}});
  }
  options.on_late = p_->file->on_late;
  report::observation_summary out;
  on_large_stack([&] {
    optional_trace recorder{kept};
    if (p_->found->on_threads != nullptr) {
      constexpr plan<max_tasks> nothing_decided;
      out =
          as_declared(runtime::run(p_->found->on_threads->board, *p_->input.tasks, nothing_decided, options, recorder));
    } else if (p_->found->simulate) {
      std::optional<report::observation_summary> seen;
      for (const method_run run : known_runs) {
        if (seen) { break; }
        seen = run(p_->input.question, *p_->found, *p_->input.tasks, p_->file->board, options, kept);
      }
      if (!seen) { out.because = "the published method of these tasks has no runs."; }
      if (seen) { out = std::move(*seen); }
    } else {
      out = as_declared(runtime::run(p_->found->board, *p_->input.tasks, p_->found->verdict.plan, options, recorder));
    }
  });
  if (!out.because.empty()) { throw nothing_to_run{out.because + " See the reasons of analyze."}; }
  if (out.seen.error.fault == model_fault::violation_not_handled) {
    throw input_error{"--on-violation", fmt::format("jobs are not abandoned under {}", p_->judged.method),
                      "report, stop"};
  }
  report::keep_declared_misses(p_->file->tasks, out);
  return out;
}

}  // namespace takt::program
