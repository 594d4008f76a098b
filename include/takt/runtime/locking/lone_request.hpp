// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>

namespace takt::runtime {

/// Whether a request issued while there is no other gets replica 0 at once, and leaves the state as it was when it is
/// complete. Then the lock need not tell the protocol before a second request comes.
template <class Protocol>
inline constexpr bool lone_requests_pass = false;

template <std::size_t Replicas, std::size_t Requests>
inline constexpr bool lone_requests_pass<k_fmlp<Replicas, Requests, plain_advice>> = true;
template <std::size_t Replicas, std::size_t Requests, class Rules>
inline constexpr bool lone_requests_pass<r2dglp<Replicas, Requests, plain_advice, Rules>> = true;
template <std::size_t Replicas, std::size_t Requests>
inline constexpr bool lone_requests_pass<ck_omlp<Replicas, Requests>> = true;
template <std::size_t Requests>
inline constexpr bool lone_requests_pass<priority_mutex<Requests>> = true;

/// How a protocol orders those who wait, for the question whether to let them go first.
template <class Protocol>
inline constexpr service_order order_of = service_order::first_come;
template <std::size_t Requests>
inline constexpr service_order order_of<priority_mutex<Requests>> = service_order::priority;

}  // namespace takt::runtime
