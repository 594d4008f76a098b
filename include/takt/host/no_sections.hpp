// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/host/section_locks.hpp>
#include <takt/host/sections_around.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

namespace detail {

/// The sections of tasks on stations without tokens: there are none, and asking for them costs nothing.
template <std::size_t N>
struct no_sections {
  template <class Table, class Stations>
  constexpr no_sections(const Table& /*table*/, const Stations& /*stations*/) noexcept {}

  static constexpr auto released(std::uint32_t /*task*/, ticks /*nominal*/) noexcept -> bool { return false; }
  static constexpr void completed(std::uint32_t /*task*/) noexcept {}
  static constexpr auto next_freed() noexcept -> std::uint32_t { return nobody_asks; }
  static constexpr auto next_granted() noexcept -> std::uint32_t { return nobody_asks; }
  static constexpr auto may_go_on(std::uint32_t /*visit*/) noexcept -> bool { return true; }
  static constexpr auto sections_of(std::uint32_t /*task*/) noexcept -> typename task_sections<N>::range { return {}; }
  static constexpr auto holds(std::size_t /*section*/) noexcept -> bool { return false; }
  static constexpr auto holds_some(std::uint32_t /*task*/) noexcept -> bool { return false; }
  static constexpr auto is_idle(std::size_t /*section*/) noexcept -> bool { return false; }
  static constexpr void ask(std::uint32_t /*section*/) noexcept {}
  static constexpr void release(std::uint32_t /*section*/) noexcept {}
  static constexpr auto unit_of(std::uint32_t /*visit*/) noexcept -> std::int32_t { return unassigned_unit; }
  static constexpr auto is_needed(std::uint32_t /*section*/) noexcept -> bool { return false; }
  static constexpr auto stops_spinning(std::uint32_t /*visit*/) noexcept -> bool { return false; }
  template <class F>
  static constexpr void spin(const F& /*ask*/) noexcept {}
  static constexpr void entered(std::uint32_t /*visit*/, const priority_point& /*p*/) noexcept {}
  static constexpr void left(std::uint32_t /*visit*/) noexcept {}
  template <class Servers>
  static constexpr void lend(Servers& /*servers*/) noexcept {}
};

/// Stations of which it is known at compile time that no pool has tokens.
template <class Stations>
concept WithoutTokens = requires { typename std::bool_constant<Stations::token_pools() == 0>; } &&
                        std::bool_constant<Stations::token_pools() == 0>::value;

}  // namespace detail

template <class Stations, std::size_t N, std::size_t V>
struct sections_on {
  using type = section_locks<Stations, N, V>;
};
template <detail::WithoutTokens Stations, std::size_t N, std::size_t V>
struct sections_on<Stations, N, V> {
  using type = detail::no_sections<N>;
};

}  // namespace takt::inline TAKT_ABI::host
