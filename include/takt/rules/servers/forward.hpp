// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/rules/accelerator/gang_order.hpp>

// The servers of takt's rules by name alone. <takt/rules/servers/all.hpp> has their bodies.

namespace takt::inline TAKT_ABI {

template <bool Preemptive, std::size_t Capacity>
class unit_server;
template <std::size_t Capacity>
class dedicated_server;
template <std::size_t Capacity>
class time_slice_server;
template <class Strategy, std::size_t MaxLanes, std::size_t MaxResidents = MaxLanes == 1 ? Strategy::max_tasks : 1>
class kernel_server;
template <std::size_t Capacity, std::size_t MaxSms, std::size_t MaxBlocks, std::size_t MaxStreams = 1>
class block_queue_server;
template <std::size_t Capacity, std::size_t MaxTasks>
class share_server;

struct limited_by_streams;
template <std::size_t MaxTasks, class Limit = limited_by_streams>
class level_stack;
template <std::size_t MaxTasks, std::size_t MaxCores>
class slotted_cores;
template <std::size_t MaxTasks, std::size_t MaxCores, GangOrder Order = backfill_order>
class event_driven_gang;

namespace detail {

// What analyses ask of a server, said of the ones above so that no proof needs their bodies. Any other server says it by
// its members.

template <class S>
inline constexpr bool is_declared_server = false;
template <bool Preemptive, std::size_t Capacity>
inline constexpr bool is_declared_server<unit_server<Preemptive, Capacity>> = true;
template <std::size_t Capacity>
inline constexpr bool is_declared_server<dedicated_server<Capacity>> = true;
template <std::size_t Capacity>
inline constexpr bool is_declared_server<time_slice_server<Capacity>> = true;
template <class Strategy, std::size_t MaxLanes, std::size_t MaxResidents>
inline constexpr bool is_declared_server<kernel_server<Strategy, MaxLanes, MaxResidents>> = true;
template <std::size_t Capacity, std::size_t MaxSms, std::size_t MaxBlocks, std::size_t MaxStreams>
inline constexpr bool is_declared_server<block_queue_server<Capacity, MaxSms, MaxBlocks, MaxStreams>> = true;
template <std::size_t Capacity, std::size_t MaxTasks>
inline constexpr bool is_declared_server<share_server<Capacity, MaxTasks>> = true;

template <class S>
inline constexpr bool is_unit_server = false;
template <bool Preemptive, std::size_t Capacity>
inline constexpr bool is_unit_server<unit_server<Preemptive, Capacity>> = true;
template <class S>
inline constexpr bool is_dedicated_server = false;
template <std::size_t Capacity>
inline constexpr bool is_dedicated_server<dedicated_server<Capacity>> = true;

/// Tells whether a server runs the least points, and leaves no unit idle while a client waits.
template <class S>
inline constexpr bool starts_least_points = requires { requires S::starts_least_points; };
template <class S>
  requires is_declared_server<S>
inline constexpr bool starts_least_points<S> = is_unit_server<S>;
/// Tells whether a server has units of its own for each task.
template <class S>
inline constexpr bool serves_tasks_apart = requires { requires S::serves_tasks_apart; };
template <class S>
  requires is_declared_server<S>
inline constexpr bool serves_tasks_apart<S> = is_dedicated_server<S>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
