// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/host/lock_log.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// Holds the engines of one step, in the order in which they are asked for.
using engine_pair = inline_vector<resource_id, 2>;

/// Numbers the locks: first the token pool of each GPU cluster, then GPU by GPU its engine for copies out, that for
/// copies in, and that for kernels. With one copy engine there is no lock of the first kind.
class engine_layout {
 public:
  explicit engine_layout(const gpu_system& s) noexcept
      : pools_{static_cast<std::int32_t>(s.pools.size())},
        gpus_{s.pools.empty() ? 0 : s.pools[0].tokens.gpus},
        one_copy_engine_{s.copy_engines == 1} {}

  [[nodiscard]] auto is_pool(resource_id r) const noexcept -> bool { return r < pools_; }
  [[nodiscard]] auto is_execution_engine(resource_id r) const noexcept -> bool {
    return r >= pools_ && (r - pools_) % kinds == kernels;
  }
  [[nodiscard]] auto size() const noexcept -> std::int32_t { return pools_ + pools_ * gpus_ * kinds; }

  /// `from` is the GPU that has the state, for `peer`; GPUs are numbered within their cluster.
  [[nodiscard]] auto engines(std::int32_t gpu_cluster, section_engine what, std::int32_t gpu,
                             std::int32_t from) const noexcept -> engine_pair {
    engine_pair out;  // Bound: two engines.
    if (what == section_engine::peer) { out.unchecked_push_back(engine(gpu_cluster, from, copies_out())); }
    switch (what) {
      case section_engine::execution: out.unchecked_push_back(engine(gpu_cluster, gpu, kernels)); break;
      case section_engine::copy_out: out.unchecked_push_back(engine(gpu_cluster, gpu, copies_out())); break;
      case section_engine::copy_in:
      case section_engine::peer: out.unchecked_push_back(engine(gpu_cluster, gpu, copies_in)); break;
    }
    return out;
  }
  /// Returns where a trace shows what an engine does. Pre: r is an engine.
  [[nodiscard]] auto shown(resource_id r) const noexcept -> track {
    TAKT_EXPECTS(pools_ <= r && r < size());
    const std::int32_t gpu = (r - pools_) / kinds;
    const std::int32_t kind = (r - pools_) % kinds;
    if (kind == kernels) { return {.where = stage::kernel, .gpu = gpu, .kind = unit_kind::whole}; }
    const unit_kind direction = kind == copies_in ? unit_kind::copies_in : unit_kind::copies_out;
    return {.where = stage::copy,
            .gpu = gpu,
            .index = gpu * 2 + kind,
            .kind = one_copy_engine_ ? unit_kind::whole : direction};
  }

 private:
  static constexpr std::int32_t kinds = 3;
  static constexpr std::int32_t copies_in = 1;
  static constexpr std::int32_t kernels = 2;

  [[nodiscard]] auto copies_out() const noexcept -> std::int32_t { return one_copy_engine_ ? copies_in : 0; }
  [[nodiscard]] auto engine(std::int32_t gpu_cluster, std::int32_t gpu, std::int32_t kind) const noexcept
      -> resource_id {
    return pools_ + (gpu_cluster * gpus_ + gpu) * kinds + kind;
  }

  std::int32_t pools_;
  std::int32_t gpus_;
  bool one_copy_engine_;
};

}  // namespace takt::inline TAKT_ABI::host::detail
