// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/demand/concepts.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

template <ExactNumber Number>
struct no_blocking {
  using number = Number;

  [[nodiscard]] constexpr auto blocking(const Number& /*t*/) const -> Number { return Number(0); }
  [[nodiscard]] constexpr auto constant_since(const Number& /*t*/) const -> Number { return Number(0); }
  [[nodiscard]] constexpr auto ends() const -> Number { return Number(0); }
  [[nodiscard]] constexpr auto most() const -> Number { return Number(0); }
};

/// Tasks that can hold the processor, each for some time, in windows shorter than their deadline. One at a time holds
/// it, so the longest counts.
template <ExactNumber Number, std::size_t MaxTasks>
class deadline_blocking {
 public:
  using number = Number;

  /// Pre: fewer than MaxTasks were added, amount >= 0. Cost: one step per blocker.
  constexpr void add(const Number& deadline, const Number& amount) {
    TAKT_EXPECTS(!(amount < Number(0)) && (size_ < MaxTasks || amount == Number(0)));
    if (!(Number(0) < amount)) { return; }
    std::size_t at = size_;
    while (at > 0 && deadline < deadlines_[at - 1]) { --at; }
    if (at < size_ && !(amounts_[at] < amount)) { return; }
    // A blocker with an earlier deadline and no greater amount never counts.
    std::size_t from = at;
    while (from > 0 && !(amount < amounts_[from - 1])) { --from; }
    if (from == at) {
      for (std::size_t i = size_++; i > at; --i) { move(i - 1, i); }
    } else {
      for (std::size_t i = at; i < size_; ++i) { move(i, from + 1 + (i - at)); }
      size_ -= at - from - 1;
    }
    deadlines_[from] = deadline;
    amounts_[from] = amount;
  }

  [[nodiscard]] constexpr auto blocking(const Number& t) const -> Number {
    for (std::size_t i = 0; i < size_; ++i) {
      if (t < deadlines_[i]) { return amounts_[i]; }
    }
    return Number(0);
  }
  [[nodiscard]] constexpr auto constant_since(const Number& t) const -> Number {
    Number since(0);
    for (std::size_t i = 0; i < size_ && !(t < deadlines_[i]); ++i) { since = deadlines_[i]; }
    return since;
  }
  [[nodiscard]] constexpr auto ends() const -> Number { return size_ == 0 ? Number(0) : deadlines_[size_ - 1]; }
  [[nodiscard]] constexpr auto most() const -> Number { return size_ == 0 ? Number(0) : amounts_[0]; }

 private:
  constexpr void move(std::size_t from, std::size_t to) {
    deadlines_[to] = deadlines_[from];
    amounts_[to] = amounts_[from];
  }

  std::size_t size_ = 0;
  Number deadlines_[MaxTasks]{};  ///< rising, with falling amounts
  Number amounts_[MaxTasks]{};
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
