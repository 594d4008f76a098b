// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/demand/concepts.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// The demand of sporadic tasks with deadline <= period, densest when all are released together (Baruah, Mok and
/// Rosier 1990). Each task is kept in three plain arrays: the loops over them are all there is to a test's cost.
template <ExactNumber Number, std::size_t MaxTasks>
class sporadic_demand {
 public:
  using number = Number;
  static constexpr std::size_t max_tasks = MaxTasks;

  /// Pre: wcet >= 0, 0 <= deadline <= period, period > 0. False when full.
  constexpr auto add(const Number& wcet, const Number& deadline, const Number& period) -> bool {
    TAKT_EXPECTS(!(wcet < Number(0)) && !(deadline < Number(0)) && !(period < deadline) && Number(0) < period);
    if (size_ == MaxTasks) { return false; }
    wcet_[size_] = wcet;
    deadline_[size_] = deadline;
    period_[size_] = period;
    ++size_;
    load_.add({wcet, period});
    const Number slip = period - deadline;
    Number late = slip < wcet ? slip : wcet;
    if constexpr (number_traits<Number>::integral) {
      Number product{};
      if (takt::detail::multiply_exactly(slip, wcet, product)) { late = takt::detail::ceil_quotient(product, period); }
    }
    fits_ = add_exactly(offset_, late, offset_) && add_exactly(total_, wcet, total_) && fits_;
    longest_ = longest_ < period ? period : longest_;
    shortest_ = size_ == 1 || deadline < shortest_ ? deadline : shortest_;
    return true;
  }

  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return size_ == 0; }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }

  [[nodiscard]] constexpr auto at(const Number& t) const -> demand_at<Number> {
    demand_at<Number> out{Number(0), Number(0)};
    for (std::size_t i = 0; i < size_; ++i) {
      Number step = deadline_[i];
      if (!(t < step)) {
        const Number jobs = number_traits<Number>::floor_quotient(Number(t - step), period_[i]) + Number(1);
        out.work = out.work + jobs * wcet_[i];
        step = step + jobs * period_[i];
      }
      if (i == 0 || step < out.next) { out.next = step; }
    }
    return out;
  }
  [[nodiscard]] constexpr auto work(const Number& t) const -> Number {
    Number sum(0);
    for (std::size_t i = 0; i < size_; ++i) {
      if (t < deadline_[i]) { continue; }
      const Number earlier = number_traits<Number>::floor_quotient(Number(t - deadline_[i]), period_[i]);
      sum = sum + (earlier + Number(1)) * wcet_[i];
    }
    return sum;
  }
  [[nodiscard]] constexpr auto step_before(const Number& t) const -> Number {
    Number latest = Number(0) - Number(1);
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(deadline_[i] < t)) { continue; }
      const Number periods = takt::detail::ceil_quotient(Number(t - deadline_[i]), period_[i]) - Number(1);
      const Number step = deadline_[i] + periods * period_[i];
      latest = latest < step ? step : latest;
    }
    return latest;
  }
  [[nodiscard]] constexpr auto first_step() const -> Number { return shortest_; }
  /// Returns the work released within [0, t) when all tasks start together. Pre: t > 0.
  [[nodiscard]] constexpr auto released(const Number& t) const -> Number {
    TAKT_EXPECTS(Number(0) < t);
    Number sum(0);
    for (std::size_t i = 0; i < size_; ++i) { sum = sum + takt::detail::ceil_quotient(t, period_[i]) * wcet_[i]; }
    return sum;
  }
  [[nodiscard]] constexpr auto total_wcet() const -> const Number& { return total_; }

  [[nodiscard]] constexpr auto load() const -> const rate<Number>& { return load_; }
  [[nodiscard]] constexpr auto utilization() const -> fraction_of<Number> {
    fraction_of<Number> sum(0);
    for (std::size_t i = 0; i < size_; ++i) { sum = sum + quotient(wcet_[i], period_[i]); }
    return sum;
  }
  [[nodiscard]] constexpr auto offset() const -> const Number& { return offset_; }
  [[nodiscard]] constexpr auto repeats(Number& length) const -> bool {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!common_multiple(Number(length), period_[i], length)) { return false; }
    }
    return true;
  }
  /// Returns whether sums up to t fit: up to a utilisation of 1, work is at most t and one job of each.
  [[nodiscard]] constexpr auto fits(const Number& t) const -> bool {
    Number sum{};
    return fits_ && add_exactly(t, total_, sum) && add_exactly(sum, longest_, sum) && add_exactly(sum, longest_, sum);
  }

 private:
  std::size_t size_ = 0;
  Number wcet_[MaxTasks]{};
  Number deadline_[MaxTasks]{};
  Number period_[MaxTasks]{};
  rate<Number> load_{};
  Number offset_{};
  Number total_{};
  Number longest_{};
  Number shortest_{};
  bool fits_ = true;
};

}  // namespace takt::inline TAKT_ABI::analysis
