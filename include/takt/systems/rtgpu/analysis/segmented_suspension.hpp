// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/ascending.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/systems/rtgpu/analysis/interference.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Judges segments of execution that alternate with suspensions of any cause: the plain model, without a GPU. Tasks are
/// added in priority order, highest first, and judged as they come.
///
/// A job is execution, suspension, execution, ...; pieces at even positions execute. Source: Zou et al. 2021, Lemmas
/// 2.1 to 2.3, after Huang and Chen 2015.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxPieces>
class segmented_suspension {
 public:
  struct bounds {
    fixed_point<Number> segmentwise;  ///< each execution segment for itself
    fixed_point<Number> joint;        ///< interference counted once over the job
    response_bound<Number> best;
  };

  /// Adds the next lower task and bounds it. Pre: every task so far meets its deadline; `pieces` starts and ends with
  /// an execution, lower <= upper for each, deadline <= period, and sums stay below 2^62. Error: a bound that does not
  /// exist when capacity is exceeded or the deadline is not proven.
  template <std::size_t N>
    requires(N % 2 == 1)
  constexpr auto add(const Number& period, const Number& deadline, const std::array<interval<Number>, N>& pieces)
      -> const bounds& {
    TAKT_EXPECTS(Number(0) < period && !(period < deadline));
    if (size_ == MaxTasks || first_free_ + N > MaxPieces) { return refused_; }
    const std::size_t k = size_++;
    Number suspension(0);
    Number execution(0);
    for (std::size_t j = 0; j < N; ++j) {
      TAKT_EXPECTS(!(pieces[j].upper < pieces[j].lower));
      elements_[first_free_ + j] = {.resource = j % 2 == 0 ? 0 : -1, .time = pieces[j]};
      (j % 2 == 0 ? execution : suspension) = (j % 2 == 0 ? execution : suspension) + pieces[j].upper;
    }
    fixed_point<Number> responses{Number(0), stop_reason::converged};
    interference<model> higher(workload_);
    include_above(k, higher);
    detail::for_ascending<N>(
        N, [](std::size_t j) { return j % 2 == 0; },
        [&pieces](std::size_t j) -> const Number& { return pieces[j].upper; },
        [&](std::size_t j) {
          const auto response = higher.solve(pieces[j].upper, deadline);
          responses.value = responses.value + response.value;
          if (!response.exists()) { responses.reason = response.reason; }
        });
    bounds& b = bounds_[k];
    b.segmentwise = {Number(responses.value + suspension), responses.reason};
    interference<model> joint(workload_);
    include_above(k, joint);
    b.joint = joint.solve(Number(suspension + execution), deadline);
    b.best = tighter(response_bound<Number>{b.segmentwise.value, b.segmentwise.exists()},
                     response_bound<Number>{b.joint.value, b.joint.exists()});
    if (b.best.exists && deadline < b.best.value) { b.best.exists = false; }
    workload_.pack(k, elements_, first_free_, N, period, deadline);
    first_free_ += N;
    return b;
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto of(std::size_t k) const noexcept -> const bounds& {
    TAKT_EXPECTS(k < size_);
    return bounds_[k];
  }

 private:
  using model = workload_model<Number, MaxTasks, MaxPieces, 1>;

  constexpr void include_above(std::size_t k, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) { out.include(i, 0); }
  }

  std::size_t size_ = 0;
  std::size_t first_free_ = 0;
  bounds refused_{};
  std::array<element<Number>, MaxPieces> elements_{};
  std::array<bounds, MaxTasks> bounds_{};
  model workload_;
};

}  // namespace takt::inline TAKT_ABI::analysis
