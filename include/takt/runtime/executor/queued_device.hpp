// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/servers/block_visit.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/block_device.hpp>
#include <takt/runtime/executor/launch_ledger.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// A block queue on the host, by the state machine of its rule, in front of a device that runs blocks where it is told
/// to. Since blocks end one by one, and whoever knows of that decides, it takes visits as they come. A kernel without
/// work of the user's takes its length as `block_queue_server` says.
template <BlockDevice D>
class queued_device final : public pool_device {
 public:
  using kernels = std::map<visit_position, typename D::kernel>;
  static constexpr std::size_t most_lanes = 256;

  /// Pre: the device outlives it.
  queued_device(D& device, kernels bound) : device_{&device}, bound_{std::move(bound)} {}
  ~queued_device() override { close(); }

  [[nodiscard]] auto bound() const -> std::vector<visit_position> override {
    std::vector<visit_position> out;
    for (const auto& [at, what] : bound_) { out.push_back(at); }
    return out;
  }
  [[nodiscard]] auto decides_by_itself() const -> bool override { return true; }
  [[nodiscard]] auto serves(const pool_to_serve& p) const -> bool override {
    return p.is_gpu && p.habits.queues_blocks && device_->serves(p.habits.blocks);
  }
  [[nodiscard]] auto open(const pool_to_serve& p) -> bool override {
    if (p.lanes.size() > most_lanes) { return false; }
    gpu_ = p.habits.blocks;
    queue_ = std::make_unique<queue>(
        gpu_.sms, sm_capacity{.threads = gpu_.threads_per_sm,
                              .blocks = gpu_.block_slots > 0 ? gpu_.block_slots : sm_capacity::unlimited});
    for (const pool_lane& l : p.lanes) { lanes_.push_back({.of = l}); }
    of_number_.assign(most_lanes, 0);
    ended_.reserve(blocks_at_once);
    done_.reserve(p.lanes.size());
    ledger_.reserve(p.trace_capacity);
    is_open_ = was_open_ = true;
    const auto post = [](void* self, kernel_id k, std::int32_t sm) { static_cast<queued_device*>(self)->post(k, sm); };
    if (!device_->open({gpu_, p.lanes.size(), p.trace_capacity, {post, this}})) { return false; }
    listener_ = thread{[this] { listen(); }};
    return listener_.started();
  }
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> override {
    lanes_[lane].reports = std::move(reports);
    return std::make_unique<queued_worker>(*this, lane);
  }
  void close() override {
    if (!std::exchange(is_open_, false)) { return; }
    device_->close();
    {
      const std::lock_guard lock{inbox_};
      closing_ = true;
      posted_.notify_all();
    }
    listener_.join();
  }
  [[nodiscard]] auto replays() const -> bool override { return true; }
  auto replay(const piece_sink& to) const -> std::uint64_t override {
    return was_open_ ? ledger_.replay(*device_, to) : 0;
  }
  [[nodiscard]] auto serve_at(int priority) -> bool override {
    const bool listens = schedule(listener_.native_handle(), priority) == 0;
    return device_->serve_at(priority) && listens;
  }
  [[nodiscard]] auto name() const -> std::string override { return std::string{device_->name()}; }
  [[nodiscard]] auto failure() const -> std::string override { return failure_of(*device_); }
  [[nodiscard]] auto findings() const -> machine_findings override { return findings_of(*device_); }

 private:
  using queue = block_queue<most_lanes, most_block_sms, 1>;
  /// The longest sleep, since clocks do not take the last instant there is.
  static constexpr ticks nap = 1'000'000'000;
  /// Notices that are under way before room is made for more.
  static constexpr std::size_t blocks_at_once = 4096;

  struct lane_state {
    pool_lane of{};
    worker_reports reports{};
    errand what{};
    std::int32_t number = no_queued_kernel;
    ticks serial = 0;  ///< time of the kernel apart from its blocks
    ticks opens = no_event;
    std::optional<typename D::kernel> timed{};
  };
  struct block_end {
    kernel_id kernel = no_kernel;
    std::int32_t sm = 0;
    ticks time = 0;
  };

  struct kernel_end {
    const lane_state* lane = nullptr;
    ticks time = 0;
  };

  /// Visits of one lane.
  class queued_worker final : public visit_worker {
   public:
    queued_worker(queued_device& of, std::size_t lane) : of_{&of}, lane_{lane} {}
    void assign(const errand& e) override { of_->lanes_[lane_].what = e; }
    void start(const held_unit& /*where*/) override { of_->enter(lane_); }
    /// Blocks stay where they are.
    void stop() override {}
    void close() override {}

   private:
    queued_device* of_;
    std::size_t lane_;
  };

  void enter(std::size_t lane) {
    const std::lock_guard lock{mutex_};
    lane_state& l = lanes_[lane];
    const block_visit k = block_visit::of(l.what.view);
    l.number = queue_->enqueue({.block = {.threads = k.threads}, .blocks = k.blocks});
    of_number_[static_cast<std::size_t>(l.number)] = lane;
    const auto own = bound_.find({l.of.task, l.what.visit - l.of.first_visit});
    l.opens = no_event;
    l.serial = 0;
    if (own == bound_.end()) {
      const std::int64_t rounds = rounds_alone(gpu_, k.blocks, k.threads);
      const ticks in_blocks = std::min(l.what.length, rounds * k.length);
      l.serial = l.what.length - in_blocks;
      l.timed.emplace(ceil_divide(in_blocks, rounds));
    }
    device_->load(static_cast<kernel_id>(lane), own == bound_.end() ? *l.timed : own->second,
                  ledger_.add(l.what.visit, l.what.job));
    start_blocks(now());
  }
  /// As many as find room, once the serial part of the head is over.
  void start_blocks(ticks time) {
    for (;;) {
      if (queue_->waiting() > 0) {
        lane_state& head = lanes_[of_number_[static_cast<std::size_t>(queue_->waiting(0))]];
        if (head.opens == no_event) { head.opens = later(time, head.serial); }
        if (head.opens > time) { return wake_at(head.opens); }
      }
      const block_start s = queue_->dispatch();
      if (s.kernel == no_queued_kernel) { return; }
      device_->start(static_cast<kernel_id>(of_number_[static_cast<std::size_t>(s.kernel)]), s.sm);
    }
  }
  void wake_at(ticks time) {
    const std::lock_guard lock{inbox_};
    opens_ = time;
    posted_.notify_all();
  }
  void post(kernel_id k, std::int32_t sm) {
    const std::lock_guard lock{inbox_};
    ended_.push_back({k, sm, now()});
    posted_.notify_all();
  }
  void listen() {
    std::vector<block_end> ends;
    ends.reserve(blocks_at_once);
    for (;;) {
      ends.clear();
      {
        std::unique_lock lock{inbox_};
        const ticks until = std::min(opens_, later(now(), nap));
        posted_.wait_until(lock, until, [this, until] { return closing_ || !ended_.empty() || opens_ < until; });
        if (closing_) { return; }
        ends.swap(ended_);
        if (opens_ <= now()) { opens_ = no_event; }
      }
      take(ends);
    }
  }
  void take(const std::vector<block_end>& ends) {
    done_.clear();
    {
      const std::lock_guard lock{mutex_};
      for (const block_end& e : ends) {
        lane_state& l = lanes_[static_cast<std::size_t>(e.kernel)];
        if (queue_->complete(l.number, e.sm)) { done_.push_back({&l, e.time}); }
      }
      start_blocks(now());
    }
    for (const kernel_end& d : done_) { d.lane->reports.done(d.lane->what.visit, d.time); }
  }

  D* device_;
  kernels bound_;
  block_gpu gpu_{};
  std::unique_ptr<queue> queue_;
  inheriting_mutex mutex_;  ///< of the queue and the lanes
  std::vector<lane_state> lanes_;
  std::vector<std::size_t> of_number_;
  launch_ledger ledger_;
  inheriting_mutex inbox_;
  timed_condition posted_;
  std::vector<block_end> ended_;
  ticks opens_ = no_event;  ///< the serial part of the head is over
  std::vector<kernel_end> done_;
  bool closing_ = false;
  bool is_open_ = false;
  bool was_open_ = false;
  thread listener_;
};

}  // namespace takt::runtime
