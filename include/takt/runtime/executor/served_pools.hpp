// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/rules/unit_traits.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Returns the GPUs and copy engines of a board of pools, for devices that are to serve it.
template <class Board>
[[nodiscard]] auto record_of(const Board& board) -> platform_record {
  platform_record out;
  board.each([&](const auto& p) {
    using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
    if (facts::is_processors(p)) { out.cores += facts::units(p); }
    if (facts::runs_kernels(p)) {
      gpu_record gpu = facts::gpu(p);
      if (takt::detail::traits_of_pool(p).queues_blocks) { gpu.sms = takt::detail::traits_of_pool(p).blocks.sms; }
      out.gpus.unchecked_push_back(gpu);  // Bound: boards have at most max_gpus.
    }
    if (detail::has_copy_engines(p)) { out.copy_engines = std::max(out.copy_engines, facts::units(p)); }
  });
  return out;
}

}  // namespace detail

/// Holds the pools of a board that devices serve in a run.
class served_pools {
 public:
  /// Pre: the devices outlive it.
  template <class Board, std::size_t N, std::size_t W>
  served_pools(const Board& board, const plan<N, W>& p, const board_devices& devices, ticks patience)
      : devices_{&devices} {
    const platform_record record = detail::record_of(board);
    std::size_t gpus = 0;
    board.each([&](const auto& pool) {
      using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(pool)>>;
      pool_to_serve out{.board = record, .patience = patience};
      out.is_gpu = facts::runs_kernels(pool);
      out.gpu = out.is_gpu ? gpus++ : 0;
      out.is_copy_engines = detail::has_copy_engines(pool);
      out.hands_out_sms = facts::hands_sms(pool);
      out.hands_out_percents = facts::hands_percents(pool);
      out.traits = takt::detail::traits_of_pool(pool);
      pools_.push_back(std::move(out));
      ranges_.push_back(ranges_of(pools_.back(), p));
    });
    pools_.emplace_back();
    ranges_.emplace_back();
  }

  [[nodiscard]] auto any() const noexcept -> bool { return !devices_->all().empty(); }
  [[nodiscard]] auto is_served(std::uint32_t pool) const -> bool { return devices_->all().contains(pool); }
  [[nodiscard]] auto decides_by_itself(std::uint32_t pool) const -> bool {
    const auto found = devices_->all().find(pool);
    return found != devices_->all().end() && found->second->decides_by_itself(pools_[pool]);
  }
  [[nodiscard]] auto stops_kernels(std::uint32_t pool) const -> bool { return pools_[pool].traits.stops_kernels; }

  /// Returns what a lane is on a pool.
  [[nodiscard]] auto lane_on(lane out, std::uint32_t pool) const -> lane {
    out.sizes_units = pools_[pool].traits.sizes_shares;
    if (const auto found = devices_->all().find(pool); found != devices_->all().end()) {
      out.decides_by_itself = found->second->decides_by_itself(pools_[pool]);
      out.has_levels = found->second->levels(pools_[pool]) > 1;
      out.reports_later = found->second->replays();
    }
    return out;
  }
  /// Returns the SMs on which a task's kernels are: its own, or all of them in its turn or where nothing else is known;
  /// else none.
  [[nodiscard]] auto sms_of(std::uint32_t pool, std::uint32_t task) const -> sm_range {
    if (task < ranges_[pool].size()) { return ranges_[pool][task]; }
    const auto found = devices_->all().find(pool);
    const bool on_all =
        pools_[pool].traits.takes_turns || (found != devices_->all().end() && !found->second->reports_units());
    return pools_[pool].is_gpu && on_all ? whole(pools_[pool]) : sm_range{};
  }
  /// Calls f for each position of the user's own work.
  template <class F>
  void each_bound(const F& f) const {
    for (const auto& [pool, device] : devices_->all()) {
      for (const visit_position& at : device->bound()) { f(at); }
    }
  }

  /// `pool_of(station)`; `pieces`: of a trace that devices keep. Pre: every served pool is one of the board's.
  template <std::size_t N, std::size_t V, class PoolOf>
  void lay_out(const visit_table<N, V>& table, const lane_plan& lanes, const PoolOf& pool_of, std::size_t pieces) {
    for (pool_to_serve& p : pools_) { p.trace_capacity = pieces; }
    for (const lane& l : lanes.lanes) {
      const std::uint32_t pool = pool_of(l.station);
      TAKT_EXPECTS(pool < pools_.size());
      pool_to_serve& to = pools_[pool];
      places_.push_back({pool, static_cast<std::uint32_t>(to.lanes.size())});
      if (!is_served(pool)) { continue; }
      const auto& own = ranges_[pool];
      to.lanes.push_back({l.task, table.tasks[l.task].first_visit, l.task < own.size() ? own[l.task] : whole(to),
                          are_in_order(table, l.task)});
    }
  }
  /// Returns whether every device serves a pool that exists. Calls `f` for each position of user's work and its pool.
  template <class F>
  [[nodiscard]] auto fit(const F& f) const -> bool {
    return std::ranges::all_of(devices_->all(), [&](const auto& d) {
      return d.first + 1 < pools_.size() &&
             std::ranges::all_of(d.second->bound(), [&](const visit_position& at) { return f(at, d.first); });
    });
  }
  [[nodiscard]] auto can_be_served() const -> bool {
    return std::ranges::all_of(devices_->all(), [this](const auto& d) { return d.second->serves(pools_[d.first]); });
  }
  /// Opens GPUs first, so that the streams of their tasks are there for copies.
  [[nodiscard]] auto open() -> bool {
    const auto open_all = [this](bool gpus) {
      return std::ranges::all_of(devices_->all(), [this, gpus](const auto& d) {
        return pools_[d.first].is_gpu != gpus || d.second->open(pools_[d.first]);
      });
    };
    return open_all(true) && open_all(false);
  }
  auto replay(const piece_sink& to) const -> std::uint64_t {
    std::uint64_t lost = 0;
    for (const auto& [pool, device] : devices_->all()) { lost += device->replay(to); }
    return lost;
  }
  void close() {
    for (const auto& [pool, device] : devices_->all()) { device->close(); }
  }
  /// Returns the worker of a lane; null where no device serves it.
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> {
    const auto& [pool, number] = places_[lane];
    const auto found = devices_->all().find(pool);
    return found == devices_->all().end() ? nullptr : found->second->worker(number, std::move(reports));
  }
  [[nodiscard]] auto serve_at(int priority) -> bool {
    bool granted = true;
    for (const auto& [pool, device] : devices_->all()) { granted = device->serve_at(priority) && granted; }
    return granted;
  }
  [[nodiscard]] auto failure() const -> std::string {
    for (const auto& [pool, device] : devices_->all()) {
      if (std::string why = device->failure(); !why.empty()) { return why; }
    }
    return {};
  }
  /// Adds to `out` what did not run as planned on any of them, each sentence once.
  void take_notes(std::vector<std::string>& out) const {
    for (const auto& [pool, device] : devices_->all()) {
      for (const std::string& note : device->take_notes()) { out.push_back("device: " + note); }
    }
  }
  /// Calls f for each device with the pool that it serves.
  template <class F>
  void each(const F& f) const {
    for (const auto& [pool, device] : devices_->all()) { f(pool, *device); }
  }

 private:
  struct place {
    std::uint32_t pool = 0;
    std::uint32_t number = 0;
  };

  template <std::size_t N, std::size_t V>
  [[nodiscard]] static auto are_in_order(const visit_table<N, V>& table, std::uint32_t task) -> bool {
    bool yes = true;
    for (std::uint32_t p = 0; p < table.tasks[task].visit_count; ++p) {
      yes = yes && table.visit(task, p).ancestors == (visit_mask{1} << p) - 1;
    }
    return yes;
  }
  [[nodiscard]] static auto whole(const pool_to_serve& p) -> sm_range {
    if (!p.is_gpu) { return {}; }
    return {static_cast<std::int32_t>(p.gpu), 0, p.board.gpus[p.gpu].budget()};
  }
  /// Gives tasks SMs of their own, in ranges that follow each other.
  template <std::size_t N, std::size_t W>
  [[nodiscard]] static auto ranges_of(const pool_to_serve& pool, const plan<N, W>& p) -> std::vector<sm_range> {
    std::vector<sm_range> out;
    std::int32_t used = 0;
    for (std::size_t i = 0; pool.hands_out_sms && i < p.shares.size(); ++i) {
      const bool here = p.shares[i].gpu == static_cast<std::int32_t>(pool.gpu) && p.shares[i].sms > 0;
      out.push_back(here ? sm_range{p.shares[i].gpu, used, p.shares[i].sms} : sm_range{});
      used += here ? p.shares[i].sms : 0;
    }
    return out;
  }

  const board_devices* devices_;
  std::vector<pool_to_serve> pools_;  ///< behind them none, for visits that are of no pool
  std::vector<std::vector<sm_range>> ranges_;
  std::vector<place> places_;
};

}  // namespace takt::inline TAKT_ABI::runtime
