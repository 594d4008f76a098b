// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>

namespace takt_test {

/// A device whose launches end when the test says so, so that what a host does can be told step by step.
class manual_device {
 public:
  struct kernel {
    kernel(takt::ticks time, takt::ticks of_a_wave) noexcept : length{time}, wave{of_a_wave} {}
    takt::ticks length;
    takt::ticks wave;
  };

  explicit manual_device(std::int32_t cores = 2, std::int32_t levels = 2) noexcept : cores_{cores}, levels_{levels} {}

  [[nodiscard]] auto serves(const takt::stream_layout& s) const noexcept -> bool {
    return s.cores <= cores_ && s.levels <= levels_;
  }
  [[nodiscard]] auto open(const takt::runtime::accelerator_setup& setup) -> bool {
    setup_ = setup;
    return opens;
  }
  void close() { ++closed; }
  void load(takt::kernel_id k, const kernel& body, std::uint64_t job) {
    const std::lock_guard lock{mutex_};
    loaded_.push_back({k, body.length, job});
  }
  void submit(takt::kernel_id k, const takt::kernel_placement& where) {
    note({takt::detail::accelerator_command_kind::submit, k, where});
  }
  void request_yield(takt::kernel_id k) { note({takt::detail::accelerator_command_kind::request_yield, k, {}}); }
  [[nodiscard]] static auto serve_at(std::int32_t /*priority*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "manual"; }
  template <takt::TraceRecorder Recorder>
  auto replay(Recorder& /*recorder*/, takt::ticks /*origin*/) const -> std::uint64_t {
    return 0;
  }

  struct loaded_job {
    takt::kernel_id kernel;
    takt::ticks length;
    std::uint64_t job;
  };

  /// The next command, once there is one.
  auto next() -> takt::detail::accelerator_command {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::minutes{1}, [this] { return !commands_.empty(); })) {
      static_cast<void>(std::fputs("a test waited for a command for a minute in vain\n", stderr));
      std::abort();
    }
    const takt::detail::accelerator_command c = commands_.front();
    commands_.pop_front();
    return c;
  }
  /// Commands that nobody has asked for.
  [[nodiscard]] auto left() -> std::size_t {
    const std::lock_guard lock{mutex_};
    return commands_.size();
  }
  [[nodiscard]] auto loaded() -> std::vector<loaded_job> {
    const std::lock_guard lock{mutex_};
    return loaded_;
  }
  void end(takt::kernel_id k, takt::runtime::launch_end how = takt::runtime::launch_end::complete) const {
    setup_.ended(k, how);
  }
  [[nodiscard]] auto setup() const noexcept -> const takt::runtime::accelerator_setup& { return setup_; }

  bool opens = true;
  int closed = 0;

 private:
  void note(const takt::detail::accelerator_command& c) {
    const std::lock_guard lock{mutex_};
    commands_.push_back(c);
    changed_.notify_all();
  }

  std::int32_t cores_;
  std::int32_t levels_;
  takt::runtime::accelerator_setup setup_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<takt::detail::accelerator_command> commands_;
  std::vector<loaded_job> loaded_;
};

static_assert(takt::runtime::AcceleratorDevice<manual_device>);

struct recording {
  std::vector<takt::slice> slices;
  std::vector<takt::mark> marks;

  void record(const takt::slice& s) { slices.push_back(s); }
  void record(const takt::mark& m) { marks.push_back(m); }
  [[nodiscard]] auto count(takt::mark_kind what, std::uint32_t task) const -> std::uint64_t {
    const auto wanted = [&](const takt::mark& m) { return m.what == what && m.task == task; };
    return static_cast<std::uint64_t>(std::ranges::count_if(marks, wanted));
  }
  [[nodiscard]] auto time_of(takt::mark_kind what, std::uint32_t task, std::uint64_t job) const -> takt::ticks {
    for (const takt::mark& m : marks) {
      if (m.what == what && m.task == task && m.job == job) { return m.time; }
    }
    return -1;
  }
};

}  // namespace takt_test
