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

}  // namespace takt::inline TAKT_ABI
