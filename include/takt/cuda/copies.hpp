// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/lock_claim.hpp>

namespace takt::inline TAKT_ABI::cuda {

enum class copy_kind : std::uint8_t { to_device, to_host, peer };

/// Describes bytes to move between two memories. The devices are the driver's numbers, and set for device memory only.
struct copy_request {
  copy_kind kind = copy_kind::to_device;
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
  std::int32_t to_device = -1;
  std::int32_t from_device = -1;

  /// Returns the part of it from a place on.
  [[nodiscard]] constexpr auto piece(std::size_t first, std::size_t length) const noexcept -> copy_request {
    copy_request out = *this;
    out.to += first;
    out.from += first;
    out.bytes = length;
    return out;
  }
};

/// Is thrown for memory that a timed copy cannot use.
class unsuitable_memory : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// Returns facts on the memory of the first byte and of the last.
template <CudaDriver D>
[[nodiscard]] auto facts_of(const context_ref<D>& c, std::uint64_t address, std::size_t bytes) -> pointer_facts {
  if (bytes > 1) {
    const pointer_facts last = facts_of(c, address + bytes - 1, 1);
    const pointer_facts first = facts_of(c, address, 1);
    if (first.kind == last.kind && first.device == last.device) { return first; }
    throw unsuitable_memory{"takt: a timed copy that ends in other memory than it begins in; divide it"};
  }
  pointer_facts facts;
  const result r = attempt_within(c, [&](D& d) { return d.describe(address, facts); });
  if (r != result::invalid_value) { c.check(r, "describe"); }
  if (facts.kind == memory_kind::pageable) {
    throw unsuitable_memory{
        "takt: pageable memory of the host in a timed copy, which the driver would stage; use pinned_memory"};
  }
  if (facts.kind == memory_kind::managed) {
    throw unsuitable_memory{
        "takt: managed memory in a timed copy; its pages move when the driver wants; use device_memory"};
  }
  return facts;
}

}  // namespace detail

/// Checks memory for the copies of a `cuda_device`, which take their addresses as they are. Error: `unsuitable_memory`
/// unless all of it is pinned memory of the host; `cuda_error`.
template <CudaDriver D>
void require_pinned(const context_ref<D>& c, const void* memory, std::size_t bytes) {
  if (detail::facts_of(c, reinterpret_cast<std::uintptr_t>(memory), bytes).kind != memory_kind::pinned) {
    throw unsuitable_memory{"takt: memory of a device where a timed copy needs pinned memory of the host"};
  }
}

/// Tells from the two addresses what kind of copy it is, and with it the engine. Source: Elliott 2015, section 5.4.2.
/// Error: `unsuitable_memory` for pageable and managed memory, which cannot be scheduled, and for two addresses of one
/// memory; `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto classify_copy(const context_ref<D>& c, std::uint64_t to, std::uint64_t from, std::size_t bytes)
    -> copy_request {
  const pointer_facts target = detail::facts_of(c, to, bytes);
  const pointer_facts source = detail::facts_of(c, from, bytes);
  copy_request out{.to = to, .from = from, .bytes = bytes, .to_device = target.device, .from_device = source.device};
  if (target.kind == memory_kind::device && source.kind == memory_kind::pinned) {
    out.kind = copy_kind::to_device;
  } else if (target.kind == memory_kind::pinned && source.kind == memory_kind::device) {
    out.kind = copy_kind::to_host;
  } else if (target.kind == memory_kind::device && source.kind == memory_kind::device &&
             target.device != source.device) {
    out.kind = copy_kind::peer;
  } else {
    throw unsuitable_memory{"takt: a copy within one memory has no copy engine to itself; use a kernel"};
  }
  return out;
}

using runtime::copy_tally;

/// Makes the calls of a thread under a token. Each holds the engines that it occupies from before it is issued until it
/// has ended. It waits for both suspended. When a call fails, or the device is lost, the engines are free before the
/// `cuda_error` leaves. Source: Elliott 2015, section 3.2.3.
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

/// Lets each GPU reach the memory of its peers, without which the driver takes a peer copy through memory of the host,
/// on engines that are not locked for it. Call it once, before anything is timed. Contexts are given by the topology's
/// number of the GPU. Pre: one for each of its GPUs. Error: `cuda_error`, with `peer_access_unsupported` where the
/// topology names peers that the machine does not connect.
template <CudaDriver D, class Topology>
void connect_peers(const Topology& topology, std::span<const context_ref<D>> contexts) {
  TAKT_EXPECTS(std::cmp_equal(contexts.size(), topology.gpus()));
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

/// Keeps what a task has on a GPU from job to job, with room for it on every GPU that its jobs may be given, so that
/// none allocates. GPUs are numbered as in the pool. Source: Elliott 2015, section 3.2.2.
template <CudaDriver D>
class migrating_state {
 public:
  /// Allocates on all GPUs, or on none. Pre: the contexts outlive it. Error: `cuda_error`.
  migrating_state(std::span<const context_ref<D>> gpus, std::size_t bytes) : bytes_{bytes} {
    memory_of_.reserve(gpus.size());
    for (const context_ref<D>& gpu : gpus) { memory_of_.emplace_back(gpu, bytes); }
  }

  /// Returns the GPU of the latest job; `no_gpu` before the first.
  [[nodiscard]] auto gpu() const noexcept -> std::int32_t { return gpu_; }
  [[nodiscard]] auto memory_on(std::int32_t gpu) const -> device_address {
    return memory_of_[static_cast<std::size_t>(gpu)].get();
  }

  /// Brings the state to the GPU that the token has named, at the beginning of a job, if the job before had another
  /// GPU. It holds the locks of the engines. Pre: `calls` are under that token; peers are connected. Error: as for
  /// `engine_calls::copy`, and then the state stays where it was; `std::invalid_argument` for a GPU without room.
  template <class Calls>
  auto bring_to(std::int32_t gpu, Calls& calls, std::size_t chunk) -> runtime::copy_tally {
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= memory_of_.size()) {
      throw std::invalid_argument{
          "takt: a job's state has no room on this GPU; give migrating_state all GPUs of the pool"};
    }
    runtime::copy_tally out;
    if (gpu_ != no_gpu && gpu_ != gpu) {
      out = calls.copy({.kind = copy_kind::peer,
                        .to = static_cast<std::uint64_t>(memory_on(gpu)),
                        .from = static_cast<std::uint64_t>(memory_on(gpu_)),
                        .bytes = bytes_,
                        .to_device = device_of(gpu),
                        .from_device = device_of(gpu_)},
                       chunk);
    }
    gpu_ = gpu;
    return out;
  }

 private:
  [[nodiscard]] auto device_of(std::int32_t gpu) const -> std::int32_t {
    return memory_of_[static_cast<std::size_t>(gpu)].context().device;
  }

  std::size_t bytes_;
  std::vector<device_memory<D>> memory_of_;
  std::int32_t gpu_ = no_gpu;
};

/// Is a job that asks for its token with its first GPU call and keeps it until its end. So jobs without such a call
/// compete for nothing. Source: Elliott 2015, section 5.4.3.
template <class Pool>
class job_section {
 public:
  /// Begins a job of the calling thread. Pre: the pool outlives it. Error: as for `Pool::begin_job`.
  explicit job_section(Pool& pool, const runtime::lock_call& call = {}) : job_{pool.begin_job(call)} {}

  /// Returns the token; waits for it, suspended, the first time. Error: as for the pool's token.
  [[nodiscard]] auto token() -> typename Pool::token& {
    if (!token_) { token_.emplace(std::move(job_).acquire_token()); }
    return *token_;
  }
  [[nodiscard]] auto has_token() const noexcept -> bool { return token_.has_value(); }

 private:
  typename Pool::job job_;
  std::optional<typename Pool::token> token_;
};

}  // namespace takt::inline TAKT_ABI::cuda
