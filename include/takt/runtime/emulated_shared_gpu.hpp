// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/servers/policy_server.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/shares/share_policy.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A kernel that takes `length` with all of a GPU, as a part of the time of a whole job of its application.
struct sized_kernel {
  explicit sized_kernel(ticks time, ticks number) noexcept
      : length{std::max<ticks>(0, time)}, application{static_cast<std::size_t>(std::max<ticks>(0, number))} {}

  ticks length;
  std::size_t application;
};

namespace detail {

/// Replaces the policy of shares, since shares are decided elsewhere. Pre: what is told outlives it.
template <std::size_t MaxTasks>
struct external_shares {
  const std::array<share, MaxTasks>* told = nullptr;

  [[nodiscard]] static constexpr auto error() noexcept -> model_error { return {}; }
  static constexpr void release(std::size_t /*task*/, ticks /*release*/, ticks /*deadline*/) noexcept {}
  static constexpr void complete(std::size_t /*task*/) noexcept {}
  static constexpr void abort(std::size_t /*task*/) noexcept {}
  [[nodiscard]] static constexpr auto decide(ticks /*now*/) noexcept -> share_step { return {}; }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share { return (*told)[task]; }
};

}  // namespace detail

/// Is a GPU made of one host thread. Its kernels take as long as their shares and those of others make them: it is the
/// server of the simulator by the clock, with shares as it is told. It runs one kernel of each application at a time.
template <std::size_t MaxTasks>
class emulated_shared_gpu {
 public:
  using kernel = sized_kernel;
  static constexpr std::size_t most_kernels = 256;

  explicit emulated_shared_gpu(const application_set<MaxTasks>& applications) : applications_{applications} {}
  emulated_shared_gpu(const emulated_shared_gpu&) = delete;
  auto operator=(const emulated_shared_gpu&) -> emulated_shared_gpu& = delete;
  ~emulated_shared_gpu() { close(); }

  [[nodiscard]] static auto serves(const stream_layout& streams) noexcept -> bool { return streams.levels == 1; }
  [[nodiscard]] auto open(const accelerator_setup& setup) -> bool {
    if (setup.kernels > most_kernels) { return false; }
    setup_ = setup;
    closing_ = false;
    stranger_.reset();
    launches_.assign(setup.kernels, launch{});
    told_.fill(no_share);
    server_ = {applications_, detail::external_shares<MaxTasks>{&told_}};
    service_ = thread{[this] { serve(); }};
    return service_.started();
  }
  void close() {
    change(no_kernel, [this] { closing_ = true; });
    service_.join();
  }

  void load(kernel_id k, const sized_kernel& body, std::uint64_t /*job*/) {
    change(k, [&] {
      server_.drop(static_cast<client>(k), since_, null_sink);
      at(k) = {.application = body.application};
      if (body.application >= applications_.size()) {
        stranger_ = body.application;
        at(k).is_done = true;
        return;
      }
      server_.arrive({.who = static_cast<client>(k),
                      .length = std::max<ticks>(body.length, 1),
                      .wcet = applications_.tasks[body.application].alone.at(full_share),
                      .view = {{static_cast<ticks>(body.application), 0, 0, 0}}});
    });
  }
  void submit(kernel_id k, const kernel_placement& /*where*/) {
    change(k, [&] {
      at(k).launched = true;
      at(k).leaving = false;
    });
  }
  void request_yield(kernel_id k) {
    change(k, [&] { at(k).leaving = at(k).launched; });
  }
  void resize(kernel_id k, std::int32_t percent) {
    change(k, [&] { at(k).held = share::bounded(percent); });
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return service_.started() && schedule(service_.native_handle(), priority) == 0;
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated shared GPU"; }
  /// Returns whether the GPU was given a kernel of an application that it does not know.
  [[nodiscard]] auto failed() const -> bool {
    const std::lock_guard lock{mutex_};
    return stranger_.has_value();
  }
  /// Pre: failed.
  [[nodiscard]] auto fault_sentence() const -> std::string {
    const std::lock_guard lock{mutex_};
    TAKT_EXPECTS(stranger_.has_value());
    return "application " + std::to_string(*stranger_) + " is not one of the " + std::to_string(applications_.size()) +
           " that the device knows";
  }

 private:
  struct launch {
    std::size_t application = 0;
    share held{};
    bool launched = false;
    bool leaving = false;
    bool is_done = false;
  };
  static constexpr slice_sink null_sink{};

  [[nodiscard]] auto at(kernel_id k) -> launch& { return launches_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] static auto has_ended(const launch& l) -> bool { return l.launched && (l.leaving || l.is_done); }

  /// Records that something happens to a kernel, or to none (`no_kernel`).
  template <class F>
  void change(kernel_id k, F what) {
    const std::lock_guard lock{mutex_};
    advance(now());
    what();
    if (k != no_kernel && at(k).application < MaxTasks) {
      told_[at(k).application] = at(k).launched && !at(k).leaving ? at(k).held : no_share;
    }
    server_.reconsider();
    server_.decide(since_, null_sink);
    changed_.notify_all();
  }
  /// Passes time: what ends until then does so at its own instant.
  void advance(ticks time) {
    for (ticks next = server_.next(); next <= time; next = server_.next()) {
      since_ = next;
      const client ended = server_.fire(next, null_sink);
      if (ended != no_client) { launches_[ended].is_done = true; }
      server_.decide(next, null_sink);
    }
    since_ = std::max(since_, time);
  }
  void serve() {
    std::unique_lock lock{mutex_};
    while (!closing_) {
      advance(now());
      const auto ended = std::ranges::find_if(launches_, has_ended);
      if (ended == launches_.end()) {
        const ticks next = server_.next();
        changed_.wait_until(lock, next, [this, next] {
          return closing_ || server_.next() != next || std::ranges::any_of(launches_, has_ended);
        });
        continue;
      }
      const launch_end how = ended->is_done ? launch_end::complete : launch_end::yielded;
      ended->launched = ended->leaving = false;
      const auto k = static_cast<kernel_id>(ended - launches_.begin());
      lock.unlock();
      setup_.ended(k, how);
      lock.lock();
    }
  }

  application_set<MaxTasks> applications_;
  std::array<share, MaxTasks> told_{};
  policy_server<most_kernels, MaxTasks, detail::external_shares<MaxTasks>> server_{};
  accelerator_setup setup_{};
  mutable inheriting_mutex mutex_;
  condition changed_;
  std::vector<launch> launches_;
  std::optional<std::size_t> stranger_;
  ticks since_ = 0;  ///< until then all that was done has been counted
  bool closing_ = true;
  thread service_;
};

}  // namespace takt::inline TAKT_ABI::runtime
