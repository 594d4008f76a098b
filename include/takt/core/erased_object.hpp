// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Stores in place an object of a type that only its users know. The object is copied byte by byte, since it
/// is trivially copyable. At run time only: none of the compilers evaluates erased objects in constant expressions.
template <std::size_t MaxBytes>
class erased_object {
 public:
  /// Says whether it has room for objects of a type.
  template <class T>
  static constexpr bool takes =
      sizeof(T) <= MaxBytes && alignof(T) <= alignof(std::max_align_t) && std::is_trivially_copyable_v<T>;

  /// Puts there what `make` returns, without a copy.
  template <class Make>
    requires takes<std::invoke_result_t<const Make&>>
  void put_made_by(const Make& make) {
    ::new (static_cast<void*>(bytes_)) std::invoke_result_t<const Make&>(make());
  }
  template <class T>
    requires takes<T>
  void put(const T& value) noexcept {
    ::new (static_cast<void*>(bytes_)) T(value);
  }
  /// Pre: the last object put there is a T; so for the one below.
  template <class T>
  [[nodiscard]] auto as() noexcept -> T& {
    return *std::launder(reinterpret_cast<T*>(bytes_));
  }
  template <class T>
  [[nodiscard]] auto as() const noexcept -> const T& {
    return *std::launder(reinterpret_cast<const T*>(bytes_));
  }

 private:
  alignas(std::max_align_t) std::byte bytes_[MaxBytes];
};

}  // namespace takt::inline TAKT_ABI::detail
