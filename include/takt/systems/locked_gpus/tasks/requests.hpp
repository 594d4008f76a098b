// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

namespace takt::inline TAKT_ABI {

/// Describes the chunks of one transfer: `full` ones of the whole chunk size, and one of the rest if there is any.
template <ExactNumber Number>
struct chunk_run {
  std::int64_t full = 0;
  Number full_time{};  ///< of each; of a chunk of the whole size even if there is none
  bool has_rest = false;
  Number rest_time{};

  [[nodiscard]] constexpr auto count() const noexcept -> std::int64_t { return full + (has_rest ? 1 : 0); }
  /// Of all chunks. Pre: it fits.
  [[nodiscard]] constexpr auto time() const -> Number {
    TAKT_EXPECTS(fits());
    const Number whole = full_time * Number(full);
    return has_rest ? Number(whole + rest_time) : whole;
  }

 private:
  [[nodiscard]] constexpr auto fits() const -> bool {
    Number all{};
    return number_traits<Number>::multiply(full_time, full, all) && (!has_rest || add_exactly(all, rest_time, all));
  }
};

/// Pre: bytes >= 0, chunk > 0.
template <detail::TransferCosts Costs>
[[nodiscard]] constexpr auto split(const Costs& costs, transfer_kind kind, std::int64_t bytes, std::int64_t chunk,
                                   std::int32_t gpu_cluster = 0) -> chunk_run<typename Costs::number> {
  TAKT_EXPECTS(bytes >= 0 && chunk > 0);
  chunk_run<typename Costs::number> out;
  out.full = bytes / chunk;
  out.full_time = detail::transfer_time(costs, kind, chunk, gpu_cluster);
  out.has_rest = bytes % chunk != 0;
  if (out.has_rest) { out.rest_time = detail::transfer_time(costs, kind, bytes % chunk, gpu_cluster); }
  return out;
}

/// Says what a job asks of the engines at most. State moves at most once in and, through system memory, once out;
/// input, output and state are split into chunks each for itself. Source: Elliott 2015, equations 4.1 to 4.3.
template <ExactNumber Number>
struct job_requests {
  std::int64_t kernels = 0;
  Number kernel_time{};
  chunk_run<Number> in;
  chunk_run<Number> out;
  chunk_run<Number> state_peer;
  chunk_run<Number> state_in;
  chunk_run<Number> state_out;

  [[nodiscard]] constexpr auto chunks_in() const noexcept -> std::int64_t { return in.count(); }
  [[nodiscard]] constexpr auto chunks_out() const noexcept -> std::int64_t { return out.count(); }
  [[nodiscard]] constexpr auto chunks_state() const noexcept -> std::int64_t {
    return state_peer.count() + state_in.count();
  }
  [[nodiscard]] constexpr auto copies() const noexcept -> std::int64_t {
    return in.count() + out.count() + state_peer.count() + state_in.count() + state_out.count();
  }
  /// Returns all engine sections of a job.
  [[nodiscard]] constexpr auto operations() const noexcept -> std::int64_t { return kernels + copies(); }
  [[nodiscard]] constexpr auto migration_time() const -> Number {
    return state_peer.time() + state_in.time() + state_out.time();
  }
  [[nodiscard]] constexpr auto copy_time() const -> Number { return in.time() + out.time() + migration_time(); }
};

/// Says where the state of a task can be when its job comes to a GPU.
enum class state_location : std::uint8_t { any_gpu, same_gpu };
[[nodiscard]] constexpr auto stays(state_location e) noexcept -> bool {
  switch (e) {
    case state_location::any_gpu: return false;
    case state_location::same_gpu: return true;
  }
  return false;
}

/// Pre: sizes of the configuration and of the task are without fault. Costs of one GPU cluster: the task is placed.
template <detail::TransferCosts Costs, std::size_t MaxKernels>
[[nodiscard]] constexpr auto requests_of(const gpusync_configuration& c, const Costs& costs,
                                         const gpusync_task<typename Costs::number, MaxKernels>& t,
                                         state_location state = state_location::any_gpu)
    -> job_requests<typename Costs::number> {
  TAKT_EXPECTS(c.gpu_cluster_size > 0 && c.dma_chunk > 0);
  TAKT_EXPECTS(t.bytes_in >= 0 && t.bytes_out >= 0 && t.bytes_state >= 0);
  job_requests<typename Costs::number> out;
  if (!t.uses_gpu()) { return out; }
  const auto chunks = [&](transfer_kind kind, std::int64_t bytes) {
    return split(costs, kind, bytes, c.dma_chunk, t.gpu_cluster);
  };
  out.kernels = static_cast<std::int64_t>(t.kernels.size());
  out.kernel_time = t.gpu_time();
  out.in = chunks(transfer_kind::in, t.bytes_in);
  out.out = chunks(transfer_kind::out, t.bytes_out);
  if (!c.migrates() || stays(state)) { return out; }
  switch (c.migration) {
    case migration_path::none: break;
    case migration_path::peer_to_peer: out.state_peer = chunks(transfer_kind::peer, t.bytes_state); break;
    case migration_path::system_memory:
      out.state_in = chunks(transfer_kind::in, t.bytes_state);
      out.state_out = chunks(transfer_kind::out, t.bytes_state);
      break;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
