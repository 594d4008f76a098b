// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/policies/whole_gpu.hpp>

namespace takt::inline TAKT_ABI {

/// Every way of sharing a GPU that takt knows; docs/policies.md says whose each is.
inline constexpr auto published_policies =
    policies(federated_policy{}, federated_shared_policy{}, whole_gpu_policy{}, busy_waiting_policy{},
             time_sliced_policy{}, fifo_blocks_policy{}, tokens_k_fmlp_policy{}, tokens_r2dglp_policy{},
             tokens_ck_omlp_policy{}, levels_policy{}, slots_policy{}, gang_policy{}, shares_policy{});

}  // namespace takt::inline TAKT_ABI
