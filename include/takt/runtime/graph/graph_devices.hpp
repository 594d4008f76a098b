// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/stream_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/run_end.hpp>

namespace takt::runtime {

/// A task of a run: an instance of a node, on a pool.
struct node_lane {
  visit_position node{};  ///< described, and the segment in its chain
  graph_job job{};
  std::uint32_t pool = nowhere;
};

namespace detail {

/// Kernels in a queue that the device keeps.
template <BlockQueueDevice D>
struct queued_kernels {
  using work = typename D::kernel;
  static constexpr bool on_gpu = true;
  [[nodiscard]] static auto timed(const errand& e) -> work { return work{e.length}; }
  static void give(typename D::stream& s, std::int32_t /*unit*/, const work& w, completion done) { s.launch(w, done); }
};

/// Each instance of a node has a stream of its own.
template <class D, class Kind>
class graph_streams final : public pool_device {
 public:
  using work = typename Kind::work;
  using maker = std::function<work(const graph_job&, ticks length)>;
  using works = std::map<visit_position, maker>;

  /// `lanes`: by task. Pre: the device outlives it.
  graph_streams(D& device, works bound, std::uint32_t pool, std::vector<node_lane> lanes)
      : device_{&device}, works_{std::move(bound)}, lanes_{std::move(lanes)} {
    for (std::uint32_t t = 0; t < lanes_.size(); ++t) {
      if (lanes_[t].pool == pool && works_.contains(lanes_[t].node)) { bound_.emplace_back(t, 0U); }
    }
  }

  [[nodiscard]] auto bound() const -> std::vector<visit_position> override { return bound_; }
  [[nodiscard]] auto decides_by_itself(const pool_to_serve& /*p*/) const -> bool override { return Kind::on_gpu; }
  [[nodiscard]] auto tells_units() const -> bool override { return !Kind::on_gpu || tells_pieces; }
  [[nodiscard]] auto serves(const pool_to_serve& p) const -> bool override {
    return (Kind::on_gpu ? p.is_gpu : p.is_copy_engines) && device_->serves(p.board);
  }
  [[nodiscard]] auto open(const pool_to_serve& p) -> bool override {
    patience_ = p.patience;
    for (const pool_lane& l : p.lanes) {
      tasks_.push_back(l.task);
      streams_.push_back(device_->open(Kind::on_gpu ? l.range : sm_range{}));
    }
    return device_->ready();
  }
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> override {
    const node_lane& node = lanes_[tasks_[lane]];
    const auto own = works_.find(node.node);
    return std::make_unique<stream_lane>(streams_[lane], node.job, own == works_.end() ? nullptr : &own->second,
                                         patience_, std::move(reports));
  }
  void close() override {}
  [[nodiscard]] auto serve_at(int priority) -> bool override { return device_->serve_at(priority); }
  [[nodiscard]] auto name() const -> std::string override { return std::string{device_->name()}; }
  [[nodiscard]] auto failure() const -> std::string override { return failure_of(*device_); }
  [[nodiscard]] auto findings() const -> machine_findings override { return findings_of(*device_); }

 private:
  static constexpr bool tells_pieces = requires(const typename D::stream& s) { std::vector<time_piece>{s.served()}; };

  class stream_lane final : public visit_worker {
   public:
    stream_lane(typename D::stream& stream, const graph_job& node, const maker* make, ticks patience,
                worker_reports reports)
        : stream_{&stream},
          node_{node},
          make_{make},
          patience_{patience},
          operation_{std::make_shared<stream_operation<D, Kind>>(std::move(reports))} {}

    void assign(const errand& e) override {
      if (make_ == nullptr) { return operation_->prepare(e, Kind::timed(e)); }
      graph_job job = node_;
      job.number = static_cast<std::int64_t>(e.job);
      job.copy = job.number % job.copies;
      operation_->prepare(e, (*make_)(job, e.length));
    }
    void start(const held_unit& where) override { operation_->begin(*stream_, where.unit, operation_); }
    /// What has begun it ends.
    void stop() override {}
    [[nodiscard]] auto pieces() const -> std::vector<time_piece> override {
      if constexpr (tells_pieces) {
        return stream_->served();
      } else {
        return {};
      }
    }
    void close() override { operation_->leave(patience_); }

   private:
    typename D::stream* stream_;
    graph_job node_;
    const maker* make_;
    ticks patience_;
    std::shared_ptr<stream_operation<D, Kind>> operation_;
  };

  D* device_;
  works works_;
  std::vector<node_lane> lanes_;
  std::vector<visit_position> bound_;
  std::vector<std::uint32_t> tasks_;  ///< by lane of the pool
  ticks patience_ = 0;
  std::vector<typename D::stream> streams_;
};

}  // namespace detail

/// Which devices serve which pools in a run of graphs, by the positions of the pools, and what work of the user's the
/// jobs of nodes are there, by described node and segment: nodes without any take their time on the device. For one
/// run. Pre: the devices outlive it, and serve nobody else meanwhile; makers do not throw.
class graph_devices {
 public:
  template <class Work>
  using makers = std::map<visit_position, std::function<Work(const graph_job&)>>;

  /// Kernels, each instance of a node on a stream of its own. What belongs to the queue is the device's, the guards are
  /// the run's.
  template <BlockQueueDevice D>
  auto kernels(std::uint32_t pool, D& device, makers<typename D::kernel> bound = {}) -> graph_devices& {
    return add<D, detail::queued_kernels<D>>(pool, device, std::move(bound));
  }
  /// Copies on the engine that the rule's server gives them.
  template <Device D>
  auto copies(std::uint32_t pool, D& device, makers<typename D::copy> bound = {}) -> graph_devices& {
    return add<D, copies_of_streams<D>>(pool, device, std::move(bound));
  }
  /// For a run of these lanes. False where some work is of no node on its pool.
  [[nodiscard]] auto bind(const std::vector<node_lane>& lanes, board_devices& out) const -> bool {
    bool fits = true;
    for (const auto& [pool, d] : devices_) {
      fits = fits && std::ranges::all_of(d.bound, [&, at = pool](const visit_position& node) {
               return std::ranges::any_of(lanes, [&](const node_lane& l) { return l.pool == at && l.node == node; });
             });
      out.serve(pool, d.make(pool, lanes));
    }
    return fits;
  }

 private:
  struct device_of_pool {
    std::vector<visit_position> bound;
    std::function<std::unique_ptr<pool_device>(std::uint32_t pool, const std::vector<node_lane>& lanes)> make;
  };

  template <class D, class Kind>
  auto add(std::uint32_t pool, D& device, makers<typename Kind::work> bound) -> graph_devices& {
    using streams = detail::graph_streams<D, Kind>;
    device_of_pool own;
    typename streams::works works;
    for (auto& [at, make] : bound) {
      own.bound.push_back(at);
      works[at] = [make = std::move(make)](const graph_job& job, ticks /*length*/) { return make(job); };
    }
    own.make = [&device, works = std::move(works)](std::uint32_t at, const std::vector<node_lane>& lanes) {
      return std::make_unique<streams>(device, works, at, lanes);
    };
    devices_[pool] = std::move(own);
    return *this;
  }

  std::map<std::uint32_t, device_of_pool> devices_;
};

}  // namespace takt::runtime
