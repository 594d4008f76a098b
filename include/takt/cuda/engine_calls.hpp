// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include <takt/cuda/context.hpp>
#include <takt/cuda/copy_request.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/thread_stream.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>

namespace takt::cuda {

using runtime::copy_tally;

/// The calls that a thread makes under a token: each holds the engines that it occupies from before it is issued until
/// it has ended, and waits for both suspended. When a call fails, or the device is lost, the engines are free before
/// the `cuda_error` leaves. Source: Elliott 2015, section 3.2.3.
///
/// `Token` is a `runtime::token_guard`; the overrun of its budget leaves after an operation. Contexts are given by the
/// pool's number of the GPU, and the devices of requests are the driver's.
template <CudaDriver D, class Token, class Topology>
class engine_calls {
 public:
  /// Pre: all outlive it; the stream is the calling thread's, on the GPU that the token names; a context for each GPU;
  /// `connect_peers` has been called if there are peer copies.
  engine_calls(Token& token, const Topology& topology, std::span<const context_ref<D>> contexts,
               thread_stream<D>& stream) noexcept
      : token_{&token}, topology_{&topology}, contexts_{contexts}, stream_{&stream} {}

  /// `enqueue(driver, stream)` launches.
  template <class Enqueue>
  void launch(Enqueue enqueue) {
    auto engine = token_->lock(engine_kind::execution);
    stream_->run("launch", enqueue);
    std::move(engine).release();
  }

  /// See `runtime::copy_in_chunks`. Error: `std::invalid_argument` for a chunk of 0 bytes and for devices without the
  /// token's GPU, or that are no peers.
  auto copy(const copy_request& what, std::size_t chunk) -> copy_tally {
    const auto move = [&](std::int64_t first, std::int64_t length) {
      const copy_request piece = what.piece(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
      stream_->run("copy", [&](D& d, stream_handle s) { return enqueue(d, piece, s); });
    };
    return runtime::copy_in_chunks(
        {static_cast<std::int64_t>(what.bytes), static_cast<std::int64_t>(chunk)}, [&] { return lock_for(what); },
        move);
  }

 private:
  [[nodiscard]] auto gpu_of(std::int32_t ordinal) const -> std::int32_t {
    const auto found =
        std::find_if(contexts_.begin(), contexts_.end(), [ordinal](const auto& c) { return c.device == ordinal; });
    return found == contexts_.end() ? no_gpu : static_cast<std::int32_t>(found - contexts_.begin());
  }
  [[nodiscard]] auto context_of(std::int32_t ordinal) const -> context_handle {
    return contexts_[static_cast<std::size_t>(gpu_of(ordinal))].handle;
  }
  [[nodiscard]] auto lock_for(const copy_request& what) {
    const std::int32_t own = token_->gpu();
    const std::int32_t target = gpu_of(what.to_device);
    const std::int32_t source = gpu_of(what.from_device);
    if (what.kind == copy_kind::peer) {
      const engine_set both =
          target == own && source != no_gpu ? topology_->peer_copy_engines(source, target) : engine_set{};
      if (both.empty()) {
        throw std::invalid_argument{"takt: a peer copy that does not lead from a peer to the GPU of the token"};
      }
      return token_->lock_migration(both);
    }
    const bool inward = what.kind == copy_kind::to_device;
    if ((inward ? target : source) != own) {
      throw std::invalid_argument{"takt: a copy of memory that is not on the GPU of the token"};
    }
    return token_->lock(topology_->copy_engine(own, inward ? copy_direction::to_device : copy_direction::to_host).kind);
  }
  auto enqueue(D& d, const copy_request& piece, stream_handle s) const -> result {
    const auto host = [](std::uint64_t address) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): requests hold addresses of both memories as numbers
      return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    };
    switch (piece.kind) {
      case copy_kind::to_device: return d.copy_to_device(device_address{piece.to}, host(piece.from), piece.bytes, s);
      case copy_kind::to_host: return d.copy_to_host(host(piece.to), device_address{piece.from}, piece.bytes, s);
      case copy_kind::peer: break;
    }
    return d.copy_peer(device_address{piece.to}, context_of(piece.to_device), device_address{piece.from},
                       context_of(piece.from_device), piece.bytes, s);
  }

  Token* token_;
  const Topology* topology_;
  std::span<const context_ref<D>> contexts_;
  thread_stream<D>* stream_;
};

}  // namespace takt::cuda
