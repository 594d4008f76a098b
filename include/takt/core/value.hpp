// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// A type whose values are copied and assigned: `std::copyable` by traits that compilers answer themselves, since this
/// is asked of every type that takt takes.
template <class T>
concept Copyable = std::is_object_v<T> && std::is_copy_constructible_v<T> && std::is_move_constructible_v<T> &&
                   std::is_copy_assignable_v<T> && std::is_move_assignable_v<T>;

namespace detail {

/// A copyable type that also has a default value.
template <class T>
concept DefaultCopyable = Copyable<T> && std::is_default_constructible_v<T>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
