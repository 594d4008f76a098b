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

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// A visit of a job, as the number of a job on a device. Jobs count modulo 2^40. Pre: below 2^24 visits.
struct launch_number {
  std::uint32_t visit = 0;
  std::uint64_t job = 0;

  [[nodiscard]] static constexpr auto of(std::uint64_t packed) noexcept -> launch_number {
    return {static_cast<std::uint32_t>(packed >> bits), packed & jobs};
  }
  [[nodiscard]] constexpr auto packed() const noexcept -> std::uint64_t {
    TAKT_EXPECTS(visit < std::uint32_t{1} << (64U - bits));
    return std::uint64_t{visit} << bits | (job & jobs);
  }

 private:
  static constexpr unsigned bits = 40;
  static constexpr std::uint64_t jobs = (std::uint64_t{1} << bits) - 1;
};

/// Carries out launches of one lane on an accelerator. One that was told to leave and then to go on is launched again
/// as soon as it has yielded. One below others stays launched: the device goes on with it by itself.
template <AcceleratorDevice D>
class launch_worker final : public visit_worker {
 public:
  using kernels = std::map<visit_position, typename D::kernel>;

  /// Pre: `of` is open on so many levels.
  launch_worker(D& device, const pool_to_serve& of, std::int32_t levels, std::size_t lane, const kernels& bound,
                worker_reports reports)
      : device_{&device},
        kernel_{static_cast<kernel_id>(lane)},
        lane_{of.lanes[lane]},
        levels_{levels},
        traits_{of.traits},
        bound_{&bound},
        reports_{std::move(reports)} {}

  void assign(const dispatched_visit& e) override {
    const std::lock_guard lock{mutex_};
    visit_ = e.visit;
    is_complete_ = false;
    const auto own = bound_->find({lane_.task, e.visit - lane_.first_visit});
    const ticks wave = traits_.stops_kernels ? kernel_needs_of(e.view).cost : 0;
    const ticks beside = SizingDevice<D> ? e.view.at[0] : wave;
    if (own == bound_->end()) { timed_.emplace(e.length, beside); }
    device_->load(kernel_, own == bound_->end() ? *timed_ : own->second, launch_number{e.visit, e.job}.packed());
  }
  void start(const held_unit& where) override {
    const std::lock_guard lock{mutex_};
    where_ = {.core = traits_.distinguishes_cores ? where.unit : unassigned_core,
              .level = std::min(where.level, levels_ - 1)};
    shall_run_ = true;
    if constexpr (SizingDevice<D>) {
      where_ = {};
      device_->resize(kernel_, where.unit);
    }
    if (!is_launched_ && !is_complete_) { launch(); }
  }
  void stop() override {
    const std::lock_guard lock{mutex_};
    shall_run_ = false;
    if (is_launched_) { device_->request_yield(kernel_); }
  }
  void close() override {}

  /// Handles the end of a launch, of which a notice came at that instant.
  void notify(launch_end how, ticks time) {
    {
      const std::lock_guard lock{mutex_};
      is_launched_ = false;
      is_complete_ = how == launch_end::complete;
      if (!is_complete_ && shall_run_) { return launch(); }
    }
    how == launch_end::complete ? reports_.done(visit_, time) : reports_.paused(visit_);
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
  unit_traits traits_;
  const kernels* bound_;
  worker_reports reports_;
  inheriting_mutex mutex_;
  std::optional<typename D::kernel> timed_;
  std::uint32_t visit_ = 0;
  kernel_placement where_{};
  bool shall_run_ = false;
  bool is_launched_ = false;
  bool is_complete_ = false;  ///< all of the visit has run, and its host may not have heard of that
};

}  // namespace detail

/// An accelerator that carries out what the server of a GPU's rule decides on the host. It launches a kernel that has
/// its unit. It asks one that loses its unit to yield, or to go on with another share. Every rule that serves bodies
/// can be served so but SMs and percents of a task's own. Where the rule starts kernels above others, the ones below
/// stay if the device has as many levels of streams, one per core and level. Else they are asked to yield, too.
template <AcceleratorDevice D>
class decided_device final : public typed_device<D, std::map<visit_position, typename D::kernel>> {
 public:
  using kernels = std::map<visit_position, typename D::kernel>;

  /// `token`: of the device, for whoever keeps tokens and each pool that it is to serve. Pre: the device outlives it.
  decided_device(D& device, std::shared_ptr<void> token, kernels bound)
      : typed_device<D, kernels>{device, std::move(bound)}, token_{std::move(token)} {}
  ~decided_device() override { close(); }

  [[nodiscard]] auto serves(const pool_to_serve& p) const -> bool override {
    const bool is_whole = token_.use_count() <= 2 && p.is_gpu && !p.hands_out_sms && !p.hands_out_percents;
    return is_whole && p.traits.sizes_shares == SizingDevice<D> && !p.traits.queues_blocks &&
           device_->serves(streams(p, 1));
  }
  [[nodiscard]] auto levels(const pool_to_serve& p) const -> std::int32_t override {
    return device_->serves(streams(p, p.traits.levels)) ? p.traits.levels : 1;
  }
  [[nodiscard]] auto open(const pool_to_serve& p) -> bool override {
    pool_ = p;
    workers_.assign(p.lanes.size(), nullptr);
    notices_.reserve(p.lanes.size());
    const auto post = [](void* self, kernel_id k, launch_end how) { static_cast<decided_device*>(self)->post(k, how); };
    is_open_ = was_open_ = true;
    if (!device_->open({.streams = streams(p, levels(p)),
                        .kernels = p.lanes.size(),
                        .trace_capacity = p.trace_capacity,
                        .ended = {post, this}})) {
      return false;
    }
    listener_ = thread{[this] { listen(); }};
    return listener_.started();
  }
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> override {
    auto made =
        std::make_unique<detail::launch_worker<D>>(*device_, pool_, levels(pool_), lane, *works_, std::move(reports));
    workers_[lane] = made.get();
    return made;
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
  [[nodiscard]] auto replays() const -> bool override { return ReplayingDevice<D>; }
  auto replay(const piece_sink& to) const -> std::uint64_t override {
    if constexpr (ReplayingDevice<D>) {
      if (was_open_) {
        const reader heard{&to};
        return device_->replay(heard, 0);
      }
    }
    return 0;
  }
  [[nodiscard]] auto serve_at(int priority) -> bool override {
    const bool listens = schedule(listener_.native_handle(), priority) == 0;
    return device_->serve_at(priority) && listens;
  }

 private:
  [[nodiscard]] static auto streams(const pool_to_serve& p, std::int32_t levels) -> stream_layout {
    const std::int32_t sms = p.board.gpus[p.gpu].sms;
    return {.cores = std::max<std::int32_t>(1, sms), .levels = levels};
  }
  /// Notices wait for no call of the device: the thread of the listener acts on them.
  void post(kernel_id k, launch_end how) {
    const std::lock_guard lock{inbox_};
    notices_.push_back({k, how, now()});
    posted_.notify_all();
  }
  void listen() {
    std::vector<notice> heard;
    heard.reserve(workers_.size());
    std::unique_lock lock{inbox_};
    while (!closing_) {
      posted_.wait(lock, [this] { return closing_ || !notices_.empty(); });
      heard.swap(notices_);
      lock.unlock();
      for (const notice& n : heard) { workers_[static_cast<std::size_t>(n.kernel)]->notify(n.how, n.time); }
      heard.clear();
      lock.lock();
    }
  }

  struct reader {
    const piece_sink* to;

    void record(const slice& s) const {
      const detail::launch_number n = detail::launch_number::of(s.job);
      (*to)(n.visit, n.job, s.where, s.start, s.end);
    }
    static void record(const mark& /*m*/) {}
  };
  struct notice {
    kernel_id kernel = no_kernel;
    launch_end how = launch_end::complete;
    ticks time = 0;
  };

  using typed_device<D, kernels>::device_;
  using typed_device<D, kernels>::works_;

  std::shared_ptr<void> token_;
  pool_to_serve pool_{};
  inheriting_mutex inbox_;
  condition posted_;
  std::vector<notice> notices_;  ///< at most one of each kernel
  std::vector<detail::launch_worker<D>*> workers_;
  thread listener_;
  bool closing_ = false;
  bool is_open_ = false;
  bool was_open_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
