// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include <takt/core/expects.hpp>
#include <takt/core/value.hpp>

namespace takt::inline TAKT_ABI {

/// A sequence of at most `Capacity` values, stored in place.
template <detail::DefaultCopyable T, std::size_t Capacity>
class inline_vector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = T*;
  using const_iterator = const T*;

  [[nodiscard]] static constexpr auto capacity() noexcept -> std::size_t { return Capacity; }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return size_ == 0; }
  [[nodiscard]] constexpr auto full() const noexcept -> bool { return size_ == Capacity; }

  /// False, and no change, when the vector is full.
  [[nodiscard]] constexpr auto try_push_back(const T& value) noexcept -> bool {
    if (full()) { return false; }
    values_[size_++] = value;
    return true;
  }
  /// For callers that know a bound of the size. Pre: not full. Where that is not checked, a full vector stays as it is.
  constexpr void unchecked_push_back(const T& value) noexcept {
    TAKT_EXPECTS(!full());
    if (!full()) { values_[size_++] = value; }
  }
  /// Pre: not empty.
  constexpr void pop_back() noexcept {
    TAKT_EXPECTS(!empty());
    --size_;
  }
  constexpr void clear() noexcept { size_ = 0; }
  /// False, and no change, when `count` is above the capacity. New elements hold `value`.
  constexpr auto resize(std::size_t count, const T& value = T{}) noexcept -> bool {
    if (count > Capacity) { return false; }
    for (std::size_t i = size_; i < count; ++i) { values_[i] = value; }
    size_ = count;
    return true;
  }

  /// Pre: i < size().
  [[nodiscard]] constexpr auto operator[](std::size_t i) noexcept -> T& {
    TAKT_EXPECTS(i < size_);
    return values_[i];
  }
  [[nodiscard]] constexpr auto operator[](std::size_t i) const noexcept -> const T& {
    TAKT_EXPECTS(i < size_);
    return values_[i];
  }
  /// Pre: not empty; so for the two below.
  [[nodiscard]] constexpr auto front() const noexcept -> const T& {
    TAKT_EXPECTS(!empty());
    return values_[0];
  }
  [[nodiscard]] constexpr auto back() noexcept -> T& {
    TAKT_EXPECTS(!empty());
    return values_[size_ - 1];
  }
  [[nodiscard]] constexpr auto back() const noexcept -> const T& {
    TAKT_EXPECTS(!empty());
    return values_[size_ - 1];
  }
  [[nodiscard]] constexpr auto data() const noexcept -> const T* { return values_.data(); }
  [[nodiscard]] constexpr auto begin() noexcept -> T* { return values_.data(); }
  [[nodiscard]] constexpr auto end() noexcept -> T* { return values_.data() + size_; }
  [[nodiscard]] constexpr auto begin() const noexcept -> const T* { return values_.data(); }
  [[nodiscard]] constexpr auto end() const noexcept -> const T* { return values_.data() + size_; }

  [[nodiscard]] friend constexpr auto operator==(const inline_vector& a, const inline_vector& b) noexcept -> bool
    requires std::equality_comparable<T>
  {
    if (a.size_ != b.size_) { return false; }
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.values_[i] == b.values_[i])) { return false; }
    }
    return true;
  }

 private:
  std::array<T, Capacity> values_{};
  std::size_t size_ = 0;
};

}  // namespace takt::inline TAKT_ABI
