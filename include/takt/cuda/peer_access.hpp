// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>

namespace takt::cuda {

/// Lets each GPU reach the memory of its peers, without which the driver takes a peer copy through memory of the host,
/// on engines that nobody has locked for it. Once, before anything is timed. Contexts are given by the topology's
/// number of the GPU. Pre: one for each of its GPUs. Error: `cuda_error`, with `peer_access_unsupported` where the
/// topology names peers that the machine does not connect.
template <CudaDriver D, class Topology>
void connect_peers(const Topology& topology, std::span<const context_ref<D>> contexts) {
  for (std::int32_t a = 0; a < topology.gpus(); ++a) {
    for (std::int32_t b = 0; b < topology.gpus(); ++b) {
      if (!topology.peers(a, b)) { continue; }
      const context_ref<D>& from = contexts[static_cast<std::size_t>(a)];
      const context_ref<D>& to = contexts[static_cast<std::size_t>(b)];
      bool reaches = false;
      from.check(from.driver->can_access_peer(from.device, to.device, reaches), "can_access_peer");
      if (!reaches) { from.check(result::peer_access_unsupported, "connect_peers"); }
      from.check(attempt_within(from, [&](D& d) { return d.enable_peer(to.handle); }), "enable_peer");
    }
  }
}

}  // namespace takt::cuda
