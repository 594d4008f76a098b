// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/block_queue_server.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/servers/unit_server.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// There is room for so many blocks on an SM, on average over the SMs.
inline constexpr std::size_t simulated_blocks_per_sm = 64;

[[nodiscard]] inline auto can_run(const gpu_shape& gpu, const queued_kernel& k) -> bool {
  return k.blocks > 0 && k.block.threads > 0 && k.block.shared_memory >= 0 && k.block.registers >= 0 &&
         gpu.each.fits(gpu.each.held_by(k.block));
}
/// Bounds resident blocks; what starts together on one SM counts once. Pre: blocks hold at least so many threads.
[[nodiscard]] inline auto resident_blocks(const gpu_shape& gpu, std::int64_t least_threads) -> std::size_t {
  TAKT_EXPECTS(least_threads >= 1);
  const std::int64_t on_each = std::min(gpu.each.blocks, gpu.each.threads / least_threads);
  return static_cast<std::size_t>(on_each) * static_cast<std::size_t>(gpu.sms);
}

/// Holds what a step needs of its station.
struct step_needs {
  priority_point point{};
  queued_kernel kernel{};
};

/// Where steps of graphs run: clusters of CPUs, copy engines that serve one queue, and a GPU, in this order. What is
/// said of clients stands in a list that outlives all of it.
template <std::size_t MaxSms, std::size_t MaxBlocks>
class graph_stations {
 public:
  static constexpr std::size_t max_stations = max_clusters + 2;

  /// Pre: at most `max_clusters` clusters.
  graph_stations(const std::vector<std::int32_t>& clusters, std::int32_t copy_engines, const gpu_shape& gpu,
                 bool preemptive, const std::vector<step_needs>& needs)
      : units_{clusters}, gpu_{gpu}, preemptive_{preemptive}, needs_{&needs} {
    TAKT_EXPECTS(clusters.size() <= max_clusters);
    units_.push_back(copy_engines);
    units_.push_back(gpu.sms);
  }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return units_.size(); }
  [[nodiscard]] auto units(std::size_t s) const noexcept -> std::int32_t { return units_[s]; }
  [[nodiscard]] auto copies() const noexcept -> std::uint32_t { return static_cast<std::uint32_t>(size() - 2); }
  [[nodiscard]] auto kernels() const noexcept -> std::uint32_t { return static_cast<std::uint32_t>(size() - 1); }
  [[nodiscard]] auto point(std::size_t /*s*/, const job_timing& t, ticks /*release*/, priority_point& out) const
      -> bool {
    out = (*needs_)[static_cast<std::size_t>(t.task)].point;
    return true;
  }

  template <std::size_t Clients>
  class servers_type {
   public:
    explicit servers_type(const graph_stations& from) : needs_{from.needs_} {
      preemptive_.reserve(from.preemptive_ ? from.copies() : 0);
      others_.reserve(from.preemptive_ ? 1 : from.copies() + 1);
      for (std::uint32_t s = 0; s < from.copies() && from.preemptive_; ++s) {
        preemptive_.emplace_back(from.units_[s]);
      }
      for (auto s = static_cast<std::uint32_t>(preemptive_.size()); s <= from.copies(); ++s) {
        others_.emplace_back(from.units_[s]);
      }
      gpu_ = std::make_unique<gpu_type>(from.gpu_);
    }
    void arrive(std::size_t s, const visit_request& v) {
      if (s == preemptive_.size() + others_.size()) {
        static_cast<void>(gpu_->enqueue(v.who, (*needs_)[v.who].kernel, v.length));
      } else {
        with(*this, s, [&](auto& server) { server.arrive(v); });
      }
    }
    void decide(std::size_t s, ticks now, const slice_sink& sink) {
      with(*this, s, [&](auto& server) { server.decide(now, sink); });
    }
    [[nodiscard]] auto next(std::size_t s) const -> ticks {
      return with(*this, s, [](const auto& server) { return server.next(); });
    }
    auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client {
      return with(*this, s, [&](auto& server) { return server.fire(now, sink); });
    }
    /// Pre: a cluster, or the copy engines.
    void holders(std::size_t s, const holder_sink& to) const {
      TAKT_EXPECTS(s < preemptive_.size() + others_.size());
      s < preemptive_.size() ? preemptive_[s].holders(to) : others_[s - preemptive_.size()].holders(to);
    }

   private:
    using gpu_type = block_queue_server<Clients, MaxSms, MaxBlocks, Clients>;

    template <class Self, class F>
    static auto with(Self& self, std::size_t s, const F& f) {
      if (s < self.preemptive_.size()) { return f(self.preemptive_[s]); }
      const std::size_t other = s - self.preemptive_.size();
      return other < self.others_.size() ? f(self.others_[other]) : f(*self.gpu_);
    }

    std::vector<unit_server<true, Clients>> preemptive_;
    std::vector<unit_server<false, Clients>> others_;
    std::unique_ptr<gpu_type> gpu_;
    const std::vector<step_needs>* needs_;
  };
  template <std::size_t Clients>
  [[nodiscard]] auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

  // No step is in a section, keeps its processor or is held back by a plan.
  [[nodiscard]] static constexpr auto token_pools() noexcept -> std::size_t { return 0; }
  [[nodiscard]] static constexpr auto inherits(std::size_t /*s*/) noexcept -> bool { return false; }
  [[nodiscard]] static constexpr auto starts_early(std::size_t /*s*/) noexcept -> bool { return false; }

 private:
  std::vector<std::int32_t> units_;
  gpu_shape gpu_;
  bool preemptive_;
  const std::vector<step_needs>* needs_;
};

}  // namespace takt::inline TAKT_ABI::simulation
