// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Results of jobs that end out of order, handed on in the order of jobs, which count from 0. Its places are the
/// invocations of a graph that can be under way at a time: see `analysis::buffer_sizes`.
template <std::size_t Capacity>
  requires(Capacity >= 1)
class reorder_buffer {
 public:
  /// Notes the end of a job. False, and no change, if it was noted before or is farther ahead than there are places.
  constexpr auto complete(std::int64_t job) noexcept -> bool {
    if (job < next_ || job - next_ >= static_cast<std::int64_t>(Capacity) || done_[place(job)]) { return false; }
    done_[place(job)] = true;
    return true;
  }
  /// Takes the next job in order; false if it has not ended yet.
  constexpr auto take(std::int64_t& job) noexcept -> bool {
    if (!done_[place(next_)]) { return false; }
    done_[place(next_)] = false;
    job = next_++;
    return true;
  }

 private:
  [[nodiscard]] static constexpr auto place(std::int64_t job) noexcept -> std::size_t {
    return static_cast<std::size_t>(job) % Capacity;
  }

  std::array<bool, Capacity> done_{};
  std::int64_t next_ = 0;
};

}  // namespace takt::inline TAKT_ABI
