// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/warps.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/emulated_block_device.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/served_pools.hpp>
#include <takt/runtime/graph/graph_devices.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/machine_state.hpp>

namespace takt::runtime::detail {

inline constexpr std::int32_t most_graph_threads = 1024;

/// What a run of graphs knows of a pool of the board.
struct graph_pool {
  bool is_cpu = false;
  std::int32_t gpu = -1;  ///< its number, of a GPU
  bool is_copy_engines = false;
  block_slots_resource slots{};
  graph_device* device = nullptr;
  bool own = false;  ///< the device is the run's
};

/// The pools of a board in a run of graphs, and what serves them: the devices that were given and, for each GPU with
/// kernels whose blocks have code, an emulated one of the run's own.
class graph_pools {
 public:
  /// Pre: the devices outlive it.
  template <class P>
  graph_pools(const P& board, const graph_devices& devices) {
    board.each([&](const auto& p) { note_pool(p); });
    for (const auto& [pool, device] : devices.all()) {
      fits_ = fits_ && pool < pools_.size();
      if (pool < pools_.size()) { pools_[pool].device = device.get(); }
    }
  }

  /// Whether each device has a pool, and no GPU has both a device and code of blocks.
  [[nodiscard]] auto fit() const noexcept -> bool { return fits_; }
  [[nodiscard]] auto operator[](std::uint32_t pool) const -> const graph_pool& { return pools_[pool]; }
  [[nodiscard]] auto of_gpu(std::int32_t gpu) const -> std::uint32_t {
    for (std::uint32_t p = 0; p < pools_.size(); ++p) {
      if (pools_[p].gpu == gpu) { return p; }
    }
    return nowhere;
  }
  /// Makes devices for code of blocks. `gpus`: the pool of the kernels of each graph. Nothing where they
  /// need more threads than a run may have. Pre: what it names outlives it.
  void call_blocks(const graph_layout& laid, const graph_code& code, const graph_run_options& options,
                   const std::vector<std::uint32_t>& gpus) {
    if (options.block_threads > most_graph_threads) { return; }
    for (const laid_node& n : laid.nodes) {
      if (n.node.kind != node_kind::kernel || blocks_of(code, n.node) == nullptr) { continue; }
      const std::uint32_t pool = gpus[n.node.graph];
      if (pool == nowhere || pools_[pool].own) { continue; }
      fits_ = fits_ && pools_[pool].device == nullptr;
      const block_slots_resource& slots = pools_[pool].slots;
      if (!fits_ || slots.sms > static_cast<std::int32_t>(emulated_block_device::most_sms)) { continue; }
      own_device& made = own_.emplace_back();
      pools_[pool].own = true;
      made.gpu = std::make_unique<emulated_block_device>(slots, options.block_threads);
      made.streams = std::make_unique<block_streams>(*made.gpu, works_on(slots, pool, laid, code, gpus));
      pools_[pool].device = made.streams.get();
    }
  }

  template <class F>
  void each_device(const F& f) const {
    for (std::uint32_t p = 0; p < pools_.size(); ++p) {
      if (pools_[p].device != nullptr) { f(p, *pools_[p].device); }
    }
  }
  [[nodiscard]] auto to_serve(std::uint32_t pool, ticks patience) const -> pool_to_serve {
    pool_to_serve out{.board = record_, .patience = patience};
    out.is_gpu = pools_[pool].gpu >= 0;
    out.gpu = out.is_gpu ? static_cast<std::size_t>(pools_[pool].gpu) : 0;
    out.is_copy_engines = pools_[pool].is_copy_engines;
    return out;
  }
  [[nodiscard]] auto findings() const -> machine_findings {
    machine_findings out;
    std::vector<std::string> seen;
    for (const graph_pool& p : pools_) {
      if (p.device == nullptr || std::ranges::find(seen, p.device->name()) != seen.end()) { continue; }
      seen.push_back(p.device->name());
      for (const machine_finding& f : p.device->findings()) { out.push_back(f); }
    }
    return seen.empty() ? check_machine(parts_used::cpus) : out;
  }
  [[nodiscard]] auto serve_at(int priority) -> bool {
    bool granted = true;
    each_device([&](std::uint32_t /*pool*/, graph_device& d) { granted = d.serve_at(priority) && granted; });
    return granted;
  }
  [[nodiscard]] auto failure() const -> std::string {
    std::string out;
    each_device([&](std::uint32_t /*pool*/, const graph_device& d) {
      if (out.empty()) { out = d.failure(); }
    });
    return out;
  }

 private:
  using block_streams = graph_streams<emulated_block_device, queued_kernels<emulated_block_device>>;
  struct own_device {
    std::unique_ptr<emulated_block_device> gpu;
    std::unique_ptr<block_streams> streams;
  };

  template <class Pool>
  void note_pool(const Pool& p) {
    using facts = takt::detail::pool_facts<Pool>;
    graph_pool out;
    out.is_cpu = facts::is_processors(p);
    out.is_copy_engines = has_copy_engines(p);
    if (facts::runs_kernels(p)) { out.gpu = static_cast<std::int32_t>(record_.gpus.size()); }
    if constexpr (std::is_same_v<typename Pool::resource_type, block_slots_resource>) {
      out.slots = p.resource;
      (void)record_.gpus.push_back({.sms = p.resource.sms});
    }
    if (out.is_cpu) { record_.cores += facts::units(p); }
    if (out.is_copy_engines) { record_.copy_engines = std::max(record_.copy_engines, facts::units(p)); }
    pools_.push_back(out);
  }
  [[nodiscard]] static auto blocks_of(const graph_code& code, const graph_node<ticks>& n)
      -> const graph_code::block_body* {
    const auto found = code.blocks().find({n.owner, n.segment, node_part::kernel});
    return found == code.blocks().end() ? nullptr : &found->second;
  }
  [[nodiscard]] static auto works_on(const block_slots_resource& at, std::uint32_t pool, const graph_layout& laid,
                                     const graph_code& code, const std::vector<std::uint32_t>& gpus)
      -> block_streams::works {
    block_streams::works out;
    for (const laid_node& l : laid.nodes) {
      const graph_node<ticks>& n = l.node;
      if (n.kind != node_kind::kernel || gpus[n.graph] != pool) { continue; }
      out[{n.owner, n.segment}] = [&n, body = blocks_of(code, n), &at](const graph_job& job, ticks time) {
        if (body != nullptr) {
          return emulated_kernel{n.blocks, n.block_threads, [body, job](std::int64_t block) { (*body)(job, block); }};
        }
        const block_gpu gpu{.sms = at.sms, .threads_per_sm = at.threads_per_sm, .block_slots = at.blocks_per_sm};
        const std::int64_t rounds = rounds_alone(gpu, n.blocks, whole_warps(n.block_threads, at.warp_size));
        return emulated_kernel{n.blocks, n.block_threads, time / rounds};
      };
    }
    return out;
  }

  platform_record record_{};
  std::vector<graph_pool> pools_;
  std::vector<own_device> own_;
  bool fits_ = true;
};

}  // namespace takt::runtime::detail
