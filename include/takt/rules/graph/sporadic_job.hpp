// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/model/gel_task.hpp>

namespace takt::inline TAKT_ABI {

enum class deadline_kind : std::uint8_t { implicit, constrained, arbitrary };

template <ExactNumber Number>
[[nodiscard]] constexpr auto deadline_kind_of(const gel_task<Number>& t) -> deadline_kind {
  if (t.deadline == t.period) { return deadline_kind::implicit; }
  return t.deadline < t.period ? deadline_kind::constrained : deadline_kind::arbitrary;
}

/// Pre: a period above 0.
template <ExactNumber Number>
[[nodiscard]] constexpr auto utilization(const gel_task<Number>& t) -> fraction_of<Number> {
  TAKT_EXPECTS(Number(0) < t.period);
  return quotient(t.wcet, t.period);
}

/// A job of a sporadic task, from its release on (Elliott 2015, equations 2.1 to 2.6).
template <ExactNumber Number>
struct sporadic_job {
  Number release{};
  Number deadline{};  ///< absolute
  Number pending{};   ///< the job may run: it is released and the job before it is complete
  Number completion{};

  [[nodiscard]] constexpr auto response() const -> Number { return completion - release; }
  [[nodiscard]] constexpr auto lateness() const -> Number { return completion - deadline; }
  [[nodiscard]] constexpr auto tardiness() const -> Number {
    const Number late = lateness();
    return late < Number(0) ? Number(0) : late;
  }
};

/// Computes the next job of a sequential task, to be complete at `completion`. False if `release` is less than a period
/// after that of `previous`, or the job would be complete before it may run, or a time does not fit. The first job has
/// `previous` null.
template <ExactNumber Number>
[[nodiscard]] constexpr auto next_job(const gel_task<Number>& t, const sporadic_job<Number>* previous,
                                      const Number& release, const Number& completion, sporadic_job<Number>& out)
    -> bool {
  Number earliest = release;
  if (previous != nullptr && !add_exactly(previous->release, t.period, earliest)) { return false; }
  if (release < earliest) { return false; }
  Number due{};
  if (!add_exactly(release, t.deadline, due)) { return false; }
  const Number pending = previous != nullptr && release < previous->completion ? previous->completion : release;
  if (completion < pending) { return false; }
  out = {release, due, pending, completion};
  return true;
}

}  // namespace takt::inline TAKT_ABI
