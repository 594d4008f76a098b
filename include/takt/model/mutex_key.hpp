// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/model/segment.hpp>

namespace takt::inline TAKT_ABI {

/// Which mutex, as a value: every type names one.
struct mutex_key {
  const char* place = nullptr;  ///< an object of the type's own; null: none

  /// `Mutex` is the resource of its pool.
  template <class Mutex>
  [[nodiscard]] static constexpr auto of() noexcept -> mutex_key {
    return {&place_of<Mutex>};
  }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return place != nullptr; }
  [[nodiscard]] friend constexpr auto operator==(const mutex_key&, const mutex_key&) noexcept -> bool = default;

 private:
  template <class Mutex>
  static constexpr char place_of = 0;
};

namespace detail {

template <class Mutex, Segment... Segments>
struct critical_section;

template <class S>
inline constexpr bool is_critical_section = false;
template <class Mutex, class... Segments>
inline constexpr bool is_critical_section<critical_section<Mutex, Segments...>> = true;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
