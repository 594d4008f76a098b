// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says why a demand test does not accept.
enum class edf_reason : std::uint8_t {
  none,
  demand_exceeds_supply,  ///< at a point
  load_exceeds_supply,    ///< in the long run
  job_exceeds_deadline,   ///< a job alone is too long for the time that it may use
  starved_job,            ///< a job's whole life lies where nothing is supplied
  guard_fills_slot,       ///< the guard band leaves nothing of the slot
  not_applicable,         ///< the test is not defined for this set and slot
  too_many_chunks,        ///< more chunks than the graph holds
  too_many_windows,       ///< given up
};

[[nodiscard]] constexpr auto name_of(edf_reason r) noexcept -> std::string_view {
  switch (r) {
    case edf_reason::none: return "";
    case edf_reason::demand_exceeds_supply: return "demand-exceeds-supply";
    case edf_reason::load_exceeds_supply: return "load-exceeds-supply";
    case edf_reason::job_exceeds_deadline: return "job-exceeds-deadline";
    case edf_reason::starved_job: return "starved-job";
    case edf_reason::guard_fills_slot: return "guard-fills-slot";
    case edf_reason::not_applicable: return "not-applicable";
    case edf_reason::too_many_chunks: return "too-many-chunks";
    case edf_reason::too_many_windows: return "too-many-windows";
  }
  return "";
}

/// The answer of a demand test: `schedulable`, `not_proven`, `invalid_model` or `overflow`. Where windows were
/// compared, `at` is the first that fails and `slack` what it lacks (negative); or, of an accepted set, the first with
/// the least slack.
template <ExactNumber Number>
struct edf_verdict {
  verdict_status status = verdict_status::not_proven;
  edf_reason reason = edf_reason::none;
  bool has_point = false;
  Number at{};
  Number slack{};
  model_error error{};

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == verdict_status::schedulable; }
  [[nodiscard]] static constexpr auto refused(edf_reason why) -> edf_verdict { return {.reason = why}; }
  [[nodiscard]] static constexpr auto failed(verdict_status why) -> edf_verdict { return {.status = why}; }
  [[nodiscard]] static constexpr auto invalid(const model_error& what) -> edf_verdict {
    const bool large = what.fault == model_fault::time_overflow;
    return {.status = large ? verdict_status::overflow : verdict_status::invalid_model, .error = what};
  }
};

}  // namespace takt::inline TAKT_ABI::analysis
