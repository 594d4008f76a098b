// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/accelerator_tags.hpp>

#include "../failure.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

using accelerator_tasks = accelerator_table<ticks, max_tasks>;

/// The rule of an accelerator as a file names it, with the fields that rules have.
struct accelerator_rule_fields {
  std::string_view sharing;
  std::string_view policy = "edf";
  preemption_cost_model cost = preemption_cost_model::race;
  std::string_view order = backfill.name;
  pinned_slot_time pinned{};
  gang_slot_time gang{};
  duration slot_period{};
};

/// A task-set file about an accelerator. The table's names point into `from`.
struct accelerator_file {
  accelerator_file() = default;
  accelerator_file(const accelerator_file&) = delete;
  auto operator=(const accelerator_file&) -> accelerator_file& = delete;
  accelerator_file(accelerator_file&&) = delete;
  auto operator=(accelerator_file&&) -> accelerator_file& = delete;
  ~accelerator_file() = default;

  std::string name;
  accelerator_record accelerator;
  accelerator_rule_fields rule;
  accelerator_tasks table;  ///< in the order of the file
  std::vector<std::string> notes;
  std::unique_ptr<workload_file> from;
};

/// Pre: the shape of the file is `whole_kernels`. Throws `input_error` when something is wrong with the model.
[[nodiscard]] auto whole_kernels_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<accelerator_file>;

/// The line of the format for a fault that the library found.
[[nodiscard]] auto explain_fault(const accelerator_file& file, const model_error& error) -> input_error;

namespace detail {

template <class Order, class F>
void with_rule_of(const accelerator_rule_fields& r, const Order& order, F f) {
  if (r.sharing == "single-stream") { return f(nonpreemptive(order)); }
  if (r.sharing == "levels") { return f(levels(order, r.cost)); }
  if (r.sharing == "gang" && r.order == strict.name) { return f(gang(order, strict)); }
  if (r.sharing == "gang") { return f(gang(order, backfill)); }
  f(slots(order, r.pinned, r.gang, period(r.slot_period)));
}

}  // namespace detail

/// Calls `f` with the platform that the file describes.
template <class F>
void with_accelerator(const accelerator_file& file, F f) {
  const auto& a = file.accelerator;
  const auto on_platform = [&](const auto& rule) {
    f(platform(pool(accelerator(a.cores, a.preemption_levels), rule)));
  };
  const accelerator_rule_fields& r = file.rule;
  if (r.policy == "edf") { return detail::with_rule_of(r, edf, on_platform); }
  if (r.policy == "rate-monotonic") { return detail::with_rule_of(r, rate_monotonic, on_platform); }
  if (r.policy == "deadline-monotonic") { return detail::with_rule_of(r, deadline_monotonic, on_platform); }
  detail::with_rule_of(r, fixed_priority, on_platform);
}

}  // namespace takt::program
