// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_rules.hpp>

#include "case_input.hpp"

namespace takt_vectors {

inline constexpr std::size_t most_applications = 64;
using application_table = takt::application_set<most_applications>;
using application_predictor = takt::contention_predictor<most_applications>;

/// The applications of a case, and by how much predictions for each are wrong: by its own `pred_err_ppm`, or else by
/// that of the case.
struct application_system {
  application_table tasks;
  std::array<std::int64_t, most_applications> errors_ppm{};

  [[nodiscard]] auto predictor(std::int64_t margin_ppm) const -> application_predictor {
    return {tasks, errors_ppm, margin_ppm};
  }
};

[[nodiscard]] auto share_in(const field& percent) -> takt::share;
[[nodiscard]] auto measured_row_in(const field& times) -> takt::wcet_row;

/// All but the releases of jobs.
void read_system(const field& input, application_system& out);
/// For the kinds in which no job is released. The format gives them offsets and releases all the same.
void pass_over_releases(const field& input);

/// The member `margin_ppm` of a policy, or of a case without one.
[[nodiscard]] auto margin_in(const field& policy) -> std::int64_t;
[[nodiscard]] auto rules_in(const field& policy) -> takt::share_rules;
[[nodiscard]] auto triggers_in(const field& policy) -> takt::share_triggers;

}  // namespace takt_vectors
