// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/copy_model.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// A copy split into chunks of one size and a rest, so that its engine can be given to another copy in between. Source:
/// Elliott 2015, section 3.2.3.4.
class copy_chunks {
 public:
  constexpr copy_chunks() noexcept = default;
  constexpr copy_chunks(std::int64_t bytes, std::int64_t chunk) noexcept
      : bytes_{bytes}, chunk_{chunk}, valid_{bytes >= 0 && chunk > 0} {}

  /// False for a negative number of bytes or a chunk without any; there are no chunks then.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return valid_; }
  [[nodiscard]] constexpr auto bytes() const noexcept -> std::int64_t { return valid_ ? bytes_ : 0; }
  [[nodiscard]] constexpr auto count() const noexcept -> std::int64_t {
    return valid_ ? ceil_divide(bytes_, chunk_) : 0;
  }
  /// Returns how many bytes chunk i has. Pre: 0 <= i < count().
  [[nodiscard]] constexpr auto size(std::int64_t i) const noexcept -> std::int64_t {
    TAKT_EXPECTS(0 <= i && i < count());
    return i + 1 < count() ? chunk_ : bytes_ - i * chunk_;
  }

  /// Pre: 0 <= i < count().
  [[nodiscard]] constexpr auto time(const copy_model& model, std::int64_t i) const noexcept -> interval<duration> {
    TAKT_EXPECTS(0 <= i && i < count());
    return model.time(size(i));
  }
  /// Returns the longest time of a chunk, for which the engine stays with this copy at most.
  [[nodiscard]] constexpr auto longest(const copy_model& model) const noexcept -> interval<duration> {
    return count() == 0 ? interval<duration>{} : time(model, 0);
  }
  /// Returns the time of all chunks: each pays the latency. Error: an upper bound of `duration::max()` on overflow.
  [[nodiscard]] constexpr auto time(const copy_model& model) const noexcept -> interval<duration> {
    const std::int64_t n = count();
    if (n == 0) { return {}; }
    const interval<duration> full = longest(model);
    const interval<duration> rest = time(model, n - 1);
    return {full.lower * (n - 1) + rest.lower, full.upper * (n - 1) + rest.upper};
  }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t chunk_ = 1;
  bool valid_ = true;
};

}  // namespace takt::inline TAKT_ABI
