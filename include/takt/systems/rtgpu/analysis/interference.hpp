// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/fixed_point.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Solves x = c + I(x) for non-decreasing constants c, I being the summed workload of some tasks on some resources.
///
/// Windows only grow from one solution to the next. So each workload is looked up again only once its window has left
/// the interval on which it is known to be constant.
template <class Model>
class interference {
 public:
  using number = typename Model::number;

  constexpr explicit interference(const Model& model) : model_{&model} {}
  interference(const interference&) = delete;
  auto operator=(const interference&) -> interference& = delete;
  ~interference() = default;

  /// Adds what a task executes on a resource. Pre: nothing has been solved yet; the task is packed.
  constexpr void include(std::size_t task, std::size_t resource) {
    if (model_->segments(task, resource) == 0) { return; }
    TAKT_EXPECTS(count_ < Model::max_sources && found_.value == number(0));
    sources_[count_++] = {task, resource, number(0), number(-1)};
  }

  /// Pre: c is not below earlier ones. Error: as `least_fixed_point`. Where only a lower bound is asked for, the last
  /// iterate is one when the iteration is given up.
  constexpr auto solve(const number& c, const number& limit) -> fixed_point<number> {
    TAKT_EXPECTS(!(c < constant_));
    if (found_.reason == stop_reason::exceeds_limit) { return found_; }
    // A greater constant moves the least fixed point by at least the difference.
    const number start = found_.exists() ? number(found_.value + (c - constant_)) : c;
    constant_ = c;
    found_ = least_fixed_point(start, limit, [this](const number& x) { return at(x); });
    return Model::from_below ? at_least(found_) : found_;
  }

 private:
  struct source {  // NOLINT(cppcoreguidelines-pro-type-member-init): see sources_
    std::size_t task;
    std::size_t resource;
    number work;
    number constant_until;
  };

  constexpr auto at(const number& x) -> takt::detail::ascent<number> {
    number grows_until = x;
    for (std::size_t i = 0; i < count_; ++i) {
      source& s = sources_[i];
      if (!(s.constant_until < x)) { continue; }
      const auto d = model_->demand(s.task, s.resource, x);
      sum_ = sum_ + (d.value - s.work);
      s.work = d.value;
      s.constant_until = d.constant_until;
      if (grows_until < d.grows_until) { grows_until = d.grows_until; }
    }
    return {number(constant_ + sum_), grows_until};
  }

  const Model* model_;
  source sources_[Model::max_sources];  // beyond count_ never read, and not worth clearing for each solution
  std::size_t count_ = 0;
  number sum_{};
  number constant_{};
  fixed_point<number> found_{};
};

}  // namespace takt::inline TAKT_ABI::analysis
