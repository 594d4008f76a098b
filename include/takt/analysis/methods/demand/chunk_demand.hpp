// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/demand/concepts.hpp>
#include <takt/core/inline_vector.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Work that may start at `offset` within a pattern and has to be done `length` later.
template <ExactNumber Number>
struct demand_chunk {
  Number offset{};
  Number length{};
  Number wcet{};
};

/// The demand of tasks whose jobs are cut into chunks at fixed places of a repeating pattern: per task the densest
/// window that starts with any of its chunks. The windows of several tasks may not align, so the sum is an upper bound.
/// Source: Zahaf and Lipari 2020, Eq. 11 and 12, with the pattern's length as period. Cost of an evaluation: for every
/// task its chunks squared.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxChunks>
class chunk_demand {
 public:
  using number = Number;

  /// Opens the next task. Pre: pattern > 0. False when full.
  constexpr auto add_task(const Number& pattern) -> bool {
    TAKT_EXPECTS(Number(0) < pattern);
    longest_ = longest_ < pattern ? pattern : longest_;
    return tasks_.try_push_back({pattern, chunks_.size(), 0});
  }
  /// Appends to the task added last. Pre: 0 <= offset < pattern, 0 < length <= pattern, wcet >= 0. False when full.
  constexpr auto add_chunk(const demand_chunk<Number>& c) -> bool {
    TAKT_EXPECTS(!tasks_.empty() && !(c.offset < Number(0)) && c.offset < tasks_.back().pattern);
    TAKT_EXPECTS(Number(0) < c.length && !(tasks_.back().pattern < c.length) && !(c.wcet < Number(0)));
    if (!chunks_.try_push_back(c)) { return false; }
    task& t = tasks_.back();
    ++t.count;
    load_.add({c.wcet, t.pattern});
    fits_ = add_exactly(total_, c.wcet, total_) && fits_;
    shortest_ = chunks_.size() == 1 || c.length < shortest_ ? c.length : shortest_;
    return true;
  }

  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return chunks_.empty(); }

  [[nodiscard]] constexpr auto at(const Number& t) const -> demand_at<Number> {
    demand_at<Number> out{Number(0), t + longest_};
    for (const task& own : tasks_) {
      Number most(0);
      for (std::size_t v = own.first; v < own.first + own.count; ++v) {
        Number sum(0);
        for (std::size_t w = own.first; w < own.first + own.count; ++w) {
          Number step = due(own, v, w);
          if (!(t < step)) {
            const Number times = number_traits<Number>::floor_quotient(Number(t - step), own.pattern) + Number(1);
            sum = sum + times * chunks_[w].wcet;
            step = step + times * own.pattern;
          }
          if (step < out.next) { out.next = step; }
        }
        most = most < sum ? sum : most;
      }
      out.work = out.work + most;
    }
    return out;
  }
  [[nodiscard]] constexpr auto work(const Number& t) const -> Number { return at(t).work; }
  [[nodiscard]] constexpr auto step_before(const Number& t) const -> Number {
    Number latest = Number(0) - Number(1);
    for (const task& own : tasks_) {
      for (std::size_t v = own.first; v < own.first + own.count; ++v) {
        for (std::size_t w = own.first; w < own.first + own.count; ++w) {
          Number step = due(own, v, w);
          if (!(step < t)) { continue; }
          step = step + (takt::detail::ceil_quotient(Number(t - step), own.pattern) - Number(1)) * own.pattern;
          latest = latest < step ? step : latest;
        }
      }
    }
    return latest;
  }
  [[nodiscard]] constexpr auto first_step() const -> Number { return shortest_; }

  [[nodiscard]] constexpr auto load() const -> const rate<Number>& { return load_; }
  [[nodiscard]] constexpr auto utilization() const -> fraction_of<Number> {
    fraction_of<Number> sum(0);
    for (const task& own : tasks_) {
      Number wcet(0);
      for (std::size_t v = own.first; v < own.first + own.count; ++v) { wcet = wcet + chunks_[v].wcet; }
      sum = sum + quotient(wcet, own.pattern);
    }
    return sum;
  }
  [[nodiscard]] constexpr auto offset() const -> const Number& { return total_; }
  [[nodiscard]] constexpr auto repeats(Number& length) const -> bool {
    for (const task& own : tasks_) {
      if (!common_multiple(Number(length), own.pattern, length)) { return false; }
    }
    return true;
  }
  [[nodiscard]] constexpr auto fits(const Number& t) const -> bool {
    Number sum{};
    return fits_ && add_exactly(t, total_, sum) && add_exactly(sum, longest_, sum) && add_exactly(sum, longest_, sum);
  }

 private:
  struct task {
    Number pattern{};
    std::size_t first = 0;
    std::size_t count = 0;
  };

  /// Returns when chunk w is due in the first pattern that begins with chunk v.
  [[nodiscard]] constexpr auto due(const task& own, std::size_t v, std::size_t w) const -> Number {
    const Number apart = chunks_[w].offset - chunks_[v].offset;
    return (apart < Number(0) ? Number(apart + own.pattern) : apart) + chunks_[w].length;
  }

  inline_vector<task, MaxTasks> tasks_;
  inline_vector<demand_chunk<Number>, MaxChunks> chunks_;
  rate<Number> load_{};
  Number total_{};
  Number longest_{};
  Number shortest_{};
  bool fits_ = true;
};

}  // namespace detail

static_assert(DemandBound<detail::chunk_demand<ticks, 2, 4>> && DemandBound<detail::chunk_demand<rational, 2, 4>>);

}  // namespace takt::inline TAKT_ABI::analysis
