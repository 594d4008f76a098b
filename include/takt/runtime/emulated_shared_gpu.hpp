// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/job_progress.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// A kernel that takes `length` with all of a GPU, as a part of the time of a whole job of its application.
struct sized_kernel {
  explicit sized_kernel(ticks time, ticks number) noexcept
      : length{std::max<ticks>(0, time)}, application{static_cast<std::size_t>(std::max<ticks>(0, number))} {}

  ticks length;
  std::size_t application;
};

/// A GPU made of one host thread, whose kernels take as long as their shares and those of others make them: by the rows
/// and the contention of a table. What a kernel has done counts at the instants at which shares change.
template <std::size_t MaxTasks>
class emulated_shared_gpu {
 public:
  using kernel = sized_kernel;

  explicit emulated_shared_gpu(const application_set<MaxTasks>& applications)
      : applications_{applications}, truth_{applications_} {}
  emulated_shared_gpu(const emulated_shared_gpu&) = delete;
  auto operator=(const emulated_shared_gpu&) -> emulated_shared_gpu& = delete;
  ~emulated_shared_gpu() { close(); }

  [[nodiscard]] static auto serves(const stream_layout& streams) noexcept -> bool { return streams.levels == 1; }
  [[nodiscard]] auto open(const accelerator_setup& setup) -> bool {
    setup_ = setup;
    closing_ = false;
    launches_.assign(setup.kernels, launch{});
    since_ = now();
    service_ = thread{[this] { serve(); }};
    return service_.started();
  }
  void close() {
    change([this] { closing_ = true; });
    service_.join();
  }

  void load(kernel_id k, const sized_kernel& body, std::uint64_t /*job*/) {
    change([&] {
      at(k).body = &body;
      at(k).left = fixed_progress::start(std::max<ticks>(body.length, 1));
    });
  }
  void submit(kernel_id k, const kernel_placement& /*where*/) {
    change([&] {
      at(k).launched = true;
      at(k).leaving = false;
    });
  }
  void request_yield(kernel_id k) {
    change([&] { at(k).leaving = at(k).launched; });
  }
  void resize(kernel_id k, std::int32_t percent) {
    change([&] { at(k).held = share::bounded(percent); });
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return service_.started() && schedule(service_.native_handle(), priority) == 0;
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated shared GPU"; }

 private:
  struct launch {
    const sized_kernel* body = nullptr;
    fixed_progress left{};
    share held{};
    ticks whole = unbounded_time;  ///< time of all of it as things are
    bool launched = false;
    bool leaving = false;
  };

  [[nodiscard]] auto at(kernel_id k) -> launch& { return launches_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] static auto proceeds(const launch& l) -> bool { return l.launched && l.held && !l.left.finished(); }
  [[nodiscard]] static auto has_ended(const launch& l) -> bool {
    return l.launched && (l.leaving || l.left.finished());
  }

  template <class F>
  void change(F what) {
    const std::lock_guard lock{mutex_};
    advance(now());
    what();
    weigh();
    changed_.notify_all();
  }
  void weigh() {
    for (launch& l : launches_) {
      if (proceeds(l)) { l.whole = whole(l); }
    }
  }
  [[nodiscard]] auto whole(const launch& l) const -> ticks {
    inline_vector<co_runner, MaxTasks> load;
    for (const launch& other : launches_) {
      if (&other == &l || !proceeds(other)) { continue; }
      static_cast<void>(load.push_back({static_cast<std::uint32_t>(other.body->application), other.held}));
    }
    const ticks most = truth_.predict(l.body->application, l.held, {load.data(), load.size()});
    if (most == unbounded_time) { return most; }
    const ticks alone = applications_.tasks[l.body->application].alone.at(full_share);
    return std::max<ticks>(1, takt::detail::scaled_up(most, l.body->length, alone));
  }
  [[nodiscard]] auto next_end() const -> ticks {
    ticks least = no_event;
    for (const launch& l : launches_) {
      if (!proceeds(l) || l.whole == unbounded_time) { continue; }
      least = std::min(least, later(since_, l.left.time_left(l.whole)));
    }
    return least;
  }
  /// What has been done until then counts, end by end.
  void advance(ticks time) {
    while (since_ < time) {
      const ticks to = std::min(time, next_end());
      for (launch& l : launches_) {
        if (proceeds(l)) { l.left.advance(to - since_, l.whole); }
      }
      since_ = to;
      weigh();
    }
  }
  void serve() {
    std::unique_lock lock{mutex_};
    while (!closing_) {
      advance(now());
      const auto ended = std::ranges::find_if(launches_, has_ended);
      if (ended == launches_.end()) {
        const ticks next = next_end();
        changed_.wait_until(lock, next, [this, next] {
          return closing_ || next_end() != next || std::ranges::any_of(launches_, has_ended);
        });
        continue;
      }
      const launch_end how = ended->left.finished() ? launch_end::complete : launch_end::yielded;
      ended->launched = ended->leaving = false;
      weigh();
      const auto k = static_cast<kernel_id>(ended - launches_.begin());
      lock.unlock();
      setup_.ended(k, how);
      lock.lock();
    }
  }

  application_set<MaxTasks> applications_;
  contention_predictor<MaxTasks> truth_;
  accelerator_setup setup_{};
  inheriting_mutex mutex_;
  timed_condition changed_;
  std::vector<launch> launches_;
  ticks since_ = 0;  ///< until then all that was done has been counted
  bool closing_ = true;
  thread service_;
};

}  // namespace takt::runtime
