// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/stream_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is a task of a run: an instance of a node, on a pool.
struct node_lane {
  visit_position node{};  ///< described, and the segment in its chain
  graph_job job{};
  std::uint32_t pool = no_index;
};

/// Says which devices serve which pools in a run of graphs, by the positions of the pools. It also holds the user's
/// work for the jobs of nodes there, by run-time node and segment: nodes without any take their time on the device.
/// For one run. Pre: the devices outlive it, and serve nobody else meanwhile; makers do not throw.
class graph_devices {
 public:
  template <class Work>
  using makers = std::map<visit_position, std::function<Work(const graph_job&)>>;

  /// Serves kernels, each instance of a node on a stream of its own. The device does what belongs to the queue, and the
  /// run keeps the guards.
  template <BlockQueueDevice D>
  auto kernels(std::uint32_t pool, D& device, makers<typename D::kernel> bound = {}) -> graph_devices& {
    return add<kernels_of_streams<D>>(pool, device, std::move(bound));
  }
  /// Serves copies on the engine that the rule's server gives them.
  template <Device D>
  auto copies(std::uint32_t pool, D& device, makers<typename D::copy> bound = {}) -> graph_devices& {
    return add<copies_of_streams<D>>(pool, device, std::move(bound));
  }
  /// Binds the work for a run of these lanes. Returns false where some work is of no node on its pool.
  [[nodiscard]] auto bind(const std::vector<node_lane>& lanes, board_devices& out) const -> bool {
    bool fits = true;
    for (const auto& [pool, d] : devices_) {
      fits = fits && std::ranges::all_of(d.bound, [&, at = pool](const visit_position& node) {
               return std::ranges::any_of(lanes, [&](const node_lane& l) { return l.pool == at && l.node == node; });
             });
      d.serve(pool, lanes, out);
    }
    return fits;
  }
  /// Adds streams of a device for what these lanes do on a pool.
  template <class Kind, StreamDevice D>
  static void serve(std::uint32_t pool, D& device, const makers<typename Kind::work>& bound,
                    const std::vector<node_lane>& lanes, board_devices& out) {
    using work = typename Kind::work;
    typename stream_device<D, Kind>::works works;
    for (std::uint32_t t = 0; t < lanes.size(); ++t) {
      const auto own = bound.find(lanes[t].node);
      if (lanes[t].pool != pool || own == bound.end()) { continue; }
      works[{t, 0}] = [make = own->second, job = lanes[t].job](const dispatched_visit& e,
                                                               std::optional<work>& room) -> const work& {
        graph_job one = job;
        one.number = static_cast<std::int64_t>(e.job);
        one.copy = one.number % one.copies;
        return room.emplace(make(one));
      };
    }
    out.streams<Kind>(pool, device, std::move(works));
  }

 private:
  struct device_of_pool {
    std::vector<visit_position> bound;
    std::function<void(std::uint32_t pool, const std::vector<node_lane>& lanes, board_devices& out)> serve;
  };

  template <class Kind, StreamDevice D>
  auto add(std::uint32_t pool, D& device, makers<typename Kind::work> bound) -> graph_devices& {
    device_of_pool& own = devices_[pool];
    own.bound.clear();
    for (const auto& [at, make] : bound) { own.bound.push_back(at); }
    own.serve = [&device, bound = std::move(bound)](std::uint32_t at, const std::vector<node_lane>& lanes,
                                                    board_devices& out) { serve<Kind>(at, device, bound, lanes, out); };
    return *this;
  }

  std::map<std::uint32_t, device_of_pool> devices_;
};

}  // namespace takt::inline TAKT_ABI::runtime
