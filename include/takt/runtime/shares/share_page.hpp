// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/runtime/shares/share_word.hpp>

namespace takt::runtime {

/// The shares of all applications in memory that clients map to read. One writer; a reader makes no system call.
struct share_page {
  static constexpr std::size_t capacity = 64;
  static constexpr std::uint32_t layout = 0x544B5301;  ///< "TKS", then the version of this layout

  using cell = std::atomic<std::uint32_t>;
  static_assert(cell::is_always_lock_free && sizeof(cell) == sizeof(std::uint32_t));

  cell format{0};  ///< `layout` as soon as the rest is valid
  cell open{0};    ///< 0 once the service has left: the shares mean nothing any more
  std::array<cell, 14> reserved{};
  std::array<cell, capacity> cells{};

  /// Pre, here and below: application < capacity.
  [[nodiscard]] auto read(std::size_t application) const noexcept -> share_word {
    return share_word{cells[application].load(std::memory_order_acquire)};
  }
  /// For the one writer.
  auto write(std::size_t application, std::int32_t share) noexcept -> share_word {
    const share_word word = read(application).next(share);
    cells[application].store(word.bits(), std::memory_order_release);
    return word;
  }
  [[nodiscard]] auto is_open() const noexcept -> bool {
    return format.load(std::memory_order_acquire) == layout && open.load(std::memory_order_acquire) != 0;
  }

  /// All words as they stood at one instant: two readings in a row that agree, as versions tell. False when none of
  /// `attempts` did; a writer would have to write within each.
  [[nodiscard]] auto snapshot(std::array<share_word, capacity>& out, int attempts = 1000) const noexcept -> bool {
    collect(out);
    for (int i = 0; i < attempts; ++i) {
      const std::array<share_word, capacity> before = out;
      collect(out);
      if (before == out) { return true; }
    }
    return false;
  }

 private:
  void collect(std::array<share_word, capacity>& out) const noexcept {
    for (std::size_t i = 0; i < capacity; ++i) { out[i] = read(i); }
  }
};

static_assert(std::is_standard_layout_v<share_page> && sizeof(share_page) == (16 + share_page::capacity) * 4);

[[nodiscard]] inline auto sum_of(const std::array<share_word, share_page::capacity>& words) noexcept -> std::int32_t {
  std::int32_t sum = 0;
  for (const share_word w : words) { sum += w.share(); }
  return sum;
}

}  // namespace takt::runtime
