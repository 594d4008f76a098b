// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/executor/launch_inbox.hpp>
#include <takt/runtime/executor/launch_ledger.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// Launches of one lane on an accelerator. One that has been told to leave and then to go on is launched again as soon
/// as it has yielded. One below others stays launched: the device goes on with it by itself.
template <AcceleratorDevice D>
class launch_worker final : public visit_worker {
 public:
  using kernels = std::map<visit_position, typename D::kernel>;

  /// Pre: `of` is open on so many levels.
  launch_worker(D& device, const pool_to_serve& of, std::int32_t levels, std::size_t lane, const kernels& bound,
                launch_ledger& ledger, worker_reports reports)
      : device_{&device},
        kernel_{static_cast<kernel_id>(lane)},
        lane_{of.lanes[lane]},
        levels_{levels},
        tells_cores_apart_{of.habits.tells_cores_apart},
        bound_{&bound},
        ledger_{&ledger},
        reports_{std::move(reports)} {}

  void assign(const errand& e) override {
    const std::lock_guard lock{mutex_};
    visit_ = e.visit;
    is_complete_ = false;
    const auto own = bound_->find({lane_.task, e.visit - lane_.first_visit});
    const ticks beside = SizingDevice<D> ? e.view.at[0] : kernel_needs_of(e.view).cost;
    if (own == bound_->end()) { timed_.emplace(e.length, beside); }
    device_->load(kernel_, own == bound_->end() ? *timed_ : own->second, ledger_->add(e.visit, e.job));
  }
  void start(const held_unit& where) override {
    const std::lock_guard lock{mutex_};
    where_ = {.core = tells_cores_apart_ ? where.unit : any_core, .level = std::min(where.level, levels_ - 1)};
    shall_run_ = true;
    if constexpr (SizingDevice<D>) {
      where_ = {};
      device_->resize(kernel_, where.unit);
    }
    // A launch that is over may still be on its way to whoever gives and takes the unit.
    if (!is_launched_ && !is_complete_) { launch(); }
  }
  void stop() override {
    const std::lock_guard lock{mutex_};
    shall_run_ = false;
    if (is_launched_) { device_->request_yield(kernel_); }
  }
  void close() override {}

  /// A launch has ended.
  void hear(const launch_notice& n) {
    {
      const std::lock_guard lock{mutex_};
      is_launched_ = false;
      is_complete_ = n.how == launch_end::complete;
      if (!is_complete_ && shall_run_) { return launch(); }
    }
    n.how == launch_end::complete ? reports_.done(visit_, n.time) : reports_.paused(visit_);
  }

 private:
  void launch() {
    is_launched_ = true;
    device_->submit(kernel_, where_);
  }

  D* device_;
  kernel_id kernel_;
  pool_lane lane_;
  std::int32_t levels_;
  bool tells_cores_apart_;
  const kernels* bound_;
  launch_ledger* ledger_;
  worker_reports reports_;
  inheriting_mutex mutex_;
  std::optional<typename D::kernel> timed_;
  std::uint32_t visit_ = 0;
  kernel_placement where_{};
  bool shall_run_ = false;
  bool is_launched_ = false;
  bool is_complete_ = false;  ///< all of the visit has run
};

/// An accelerator that carries out what the server of a GPU's rule decides on the host: it launches a kernel that has
/// its unit, and asks one to yield that loses it, or to go on with another share. Every rule that serves bodies can be
/// served so but SMs and percents of a task's own. Where the rule starts kernels above others and the device has as
/// many levels of streams, one for each core and level, the ones below stay; else they are asked to yield, too.
template <AcceleratorDevice D>
class decided_device final : public pool_device {
 public:
  using kernels = std::map<visit_position, typename D::kernel>;

  /// Pre: the device outlives it.
  decided_device(D& device, kernels bound) : device_{&device}, bound_{std::move(bound)} {}
  ~decided_device() override { close(); }

  [[nodiscard]] auto bound() const -> std::vector<visit_position> override {
    std::vector<visit_position> out;
    for (const auto& [at, what] : bound_) { out.push_back(at); }
    return out;
  }
  [[nodiscard]] auto serves(const pool_to_serve& p) const -> bool override {
    const bool is_whole = p.is_gpu && !p.hands_out_sms && !p.hands_out_percents;
    return is_whole && p.habits.sizes_shares == SizingDevice<D> && !p.habits.queues_blocks &&
           device_->serves(streams(p, 1));
  }
  [[nodiscard]] auto levels(const pool_to_serve& p) const -> std::int32_t override {
    return device_->serves(streams(p, p.habits.levels)) ? p.habits.levels : 1;
  }
  [[nodiscard]] auto open(const pool_to_serve& p) -> bool override {
    pool_ = p;
    workers_.assign(p.lanes.size(), nullptr);
    inbox_.reserve(p.lanes.size());
    ledger_.reserve(p.trace_capacity);
    const auto post = [](void* inbox, kernel_id k, launch_end how) { static_cast<launch_inbox*>(inbox)->post(k, how); };
    is_open_ = was_open_ = true;
    if (!device_->open({.streams = streams(p, levels(p)),
                        .kernels = p.lanes.size(),
                        .trace_capacity = p.trace_capacity,
                        .ended = {post, &inbox_}})) {
      return false;
    }
    listener_ = thread{[this] { listen(); }};
    return listener_.started();
  }
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> override {
    auto made =
        std::make_unique<launch_worker<D>>(*device_, pool_, levels(pool_), lane, bound_, ledger_, std::move(reports));
    workers_[lane] = made.get();
    return made;
  }
  void close() override {
    if (!std::exchange(is_open_, false)) { return; }
    device_->close();
    closing_ = true;
    inbox_.wake();
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
  [[nodiscard]] static auto streams(const pool_to_serve& p, std::int32_t levels) -> stream_layout {
    const std::int32_t sms = p.board.gpus[p.gpu].sms;
    return {.cores = std::max<std::int32_t>(1, sms), .levels = levels};
  }
  void listen() {
    std::vector<launch_notice> notices;
    while (!closing_) {
      (void)inbox_.wait_until(later(now(), nap), notices);
      for (const launch_notice& n : notices) { workers_[static_cast<std::size_t>(n.kernel)]->hear(n); }
    }
  }

  /// The longest sleep, since clocks do not take the last instant there is.
  static constexpr ticks nap = 1'000'000'000;

  D* device_;
  kernels bound_;
  pool_to_serve pool_{};
  launch_inbox inbox_;
  launch_ledger ledger_;
  std::vector<launch_worker<D>*> workers_;
  thread listener_;
  std::atomic<bool> closing_ = false;
  bool is_open_ = false;
  bool was_open_ = false;
};

}  // namespace takt::runtime
