// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <takt/core/number.hpp>

namespace takt::runtime {

/// A kernel for the emulated accelerator, which stops only between blocks. On one core a wave is one block, on all
/// cores one block for each.
class wave_kernel {
 public:
  /// Waves of a kernel that says that it stops anywhere. No machine does.
  static constexpr ticks finest_wave = 100'000;

  /// Takes `length` on each of its cores, in waves of `wave`, the last of which may be shorter; 0: of `finest_wave`.
  explicit wave_kernel(ticks length = 0, ticks wave = 0) noexcept
      : length_{std::max<ticks>(0, length)}, wave_{wave > 0 ? wave : finest_wave} {}
  /// Calls `block` once for each logical index below `blocks`; a call occupies its core for `block_length` at least.
  /// Pre: `block` does not throw, and can be called for different indices at once; blocks < 2^62.
  wave_kernel(std::int64_t blocks, std::function<void(std::int64_t)> block, ticks block_length = 0)
      : wave_{std::max<ticks>(0, block_length)}, blocks_{std::max<std::int64_t>(0, blocks)}, block_{std::move(block)} {}

  [[nodiscard]] auto computes() const noexcept -> bool { return static_cast<bool>(block_); }
  [[nodiscard]] auto blocks(std::int32_t cores) const noexcept -> std::int64_t {
    return computes() ? blocks_ : waves() * cores;
  }
  /// The least time of a block on its core.
  [[nodiscard]] auto length_of(std::int64_t block, std::int32_t cores) const noexcept -> ticks {
    const bool whole = computes() || block / cores + 1 < waves();
    return whole ? wave_ : length_ - (waves() - 1) * wave_;
  }
  /// Pre: `computes()`.
  void compute(std::int64_t block) const { block_(block); }

 private:
  [[nodiscard]] auto waves() const noexcept -> std::int64_t { return length_ / wave_ + (length_ % wave_ > 0 ? 1 : 0); }

  ticks length_ = 0;
  ticks wave_ = finest_wave;
  std::int64_t blocks_ = 0;
  std::function<void(std::int64_t)> block_;
};

}  // namespace takt::runtime
