// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::runtime {

/// A share and how often it was written, in the 32 bits that a reader gets at once: the share in percent in the upper
/// 8, the version in the lower 24. Versions count modulo 2^24.
class share_word {
 public:
  static constexpr std::uint32_t version_mask = (std::uint32_t{1} << 24) - 1;

  constexpr share_word() noexcept = default;
  constexpr explicit share_word(std::uint32_t bits) noexcept : bits_{bits} {}
  /// Pre: share <= 100.
  constexpr share_word(std::uint32_t share, std::uint32_t version) noexcept
      : bits_{share << 24 | (version & version_mask)} {}

  [[nodiscard]] constexpr auto bits() const noexcept -> std::uint32_t { return bits_; }
  [[nodiscard]] constexpr auto share() const noexcept -> std::int32_t { return static_cast<std::int32_t>(bits_ >> 24); }
  [[nodiscard]] constexpr auto version() const noexcept -> std::uint32_t { return bits_ & version_mask; }
  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return share() <= 100; }

  /// Whether this was written after `other`. Pre: fewer than 2^23 writes lie between them.
  [[nodiscard]] constexpr auto newer_than(share_word other) const noexcept -> bool {
    const std::uint32_t ahead = (version() - other.version()) & version_mask;
    return ahead != 0 && ahead < std::uint32_t{1} << 23;
  }
  /// What replaces it when the share becomes so large. Pre: share <= 100.
  [[nodiscard]] constexpr auto next(std::int32_t share) const noexcept -> share_word {
    return {static_cast<std::uint32_t>(share), version() + 1};
  }

  [[nodiscard]] friend constexpr auto operator==(share_word, share_word) noexcept -> bool = default;

 private:
  std::uint32_t bits_ = 0;
};

/// The last write wins, in whatever order two writes become known.
[[nodiscard]] constexpr auto latest(share_word a, share_word b) noexcept -> share_word {
  return b.newer_than(a) ? b : a;
}

}  // namespace takt::runtime
