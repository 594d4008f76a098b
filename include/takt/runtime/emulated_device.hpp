// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/serial_unit.hpp>
#include <takt/runtime/worker_team.hpp>

namespace takt::runtime {

/// A kernel for the emulated device: a callable over logical block indices, or a length of time.
class emulated_kernel {
 public:
  explicit emulated_kernel(ticks length = 0) : length_{length} {}
  /// Pre: `block` does not throw, and can be called for different indices at once.
  emulated_kernel(std::int64_t blocks, std::function<void(std::int64_t)> block)
      : blocks_{blocks}, block_{std::move(block)} {}

  void perform(worker_team& workers, ticks begin) const {
    if (block_) { return workers.run(blocks_, block_); }
    sleep_until(later(begin, length_));
  }

 private:
  ticks length_ = 0;
  std::int64_t blocks_ = 0;
  std::function<void(std::int64_t)> block_;
};

/// A copy for the emulated device: bytes to move, or a length of time.
class emulated_copy {
 public:
  explicit emulated_copy(ticks length = 0) : length_{length} {}
  emulated_copy(void* to, const void* from, std::size_t bytes) : to_{to}, from_{from}, bytes_{bytes} {}

  void perform(ticks begin) const {
    if (bytes_ > 0) { std::memcpy(to_, from_, bytes_); }
    sleep_until(later(begin, length_));
  }

 private:
  ticks length_ = 0;
  void* to_ = nullptr;
  const void* from_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A GPU made of host threads, so that everything runs with none.
///
/// Each copy engine is a thread. Each SM range is a thread that takes the kernels, and a team of workers for those that
/// compute: one per virtual SM up to `max_workers`, more virtual SMs than that being served in turn by the same
/// workers, which the tickets of `worker_team` make invisible but for the speed. Ranges never lend workers to each
/// other. Timed operations sleep: they occupy their unit and no core of the host. Computing kernels and moved bytes do
/// take host cores, as they must.
class emulated_device {
 public:
  using kernel = emulated_kernel;
  using copy = emulated_copy;
  class stream;

  explicit emulated_device(const platform_record& platform, std::size_t max_workers = default_workers())
      : platform_{platform}, max_workers_{max_workers} {
    for (std::int32_t e = 0; e < platform.copy_engines; ++e) {
      engines_.push_back(std::make_unique<engine>([](const copy& c, ticks begin) { c.perform(begin); }));
    }
  }

  [[nodiscard]] auto serves(const platform_record& wanted) const noexcept -> bool {
    if (wanted.copy_engines > platform_.copy_engines || wanted.gpus.size() > platform_.gpus.size()) { return false; }
    for (std::size_t g = 0; g < wanted.gpus.size(); ++g) {
      const gpu_record& own = platform_.gpus[g];
      const gpu_record& other = wanted.gpus[g];
      if (other.sms > own.sms || other.virtual_per_sm != own.virtual_per_sm || other.shared != own.shared ||
          other.speed != own.speed) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] auto open(const sm_range& range) -> stream;

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    bool granted = true;
    for (const auto& e : engines_) { granted = e->serve_at(priority) && granted; }
    for (const auto& p : partitions_) { granted = p->unit.serve_at(priority) && granted; }
    return granted;
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated"; }
  /// False when the system had too few threads to give.
  [[nodiscard]] auto ready() const noexcept -> bool {
    return std::ranges::all_of(engines_, [](const auto& e) { return e->started(); }) &&
           std::ranges::all_of(partitions_, [](const auto& p) { return p->unit.started(); });
  }
  /// Workers behind a range: 0 before it was opened.
  [[nodiscard]] auto workers(const sm_range& range) const noexcept -> std::size_t {
    const auto found = find(range);
    return found == partitions_.end() ? 0 : (*found)->workers.size();
  }

  [[nodiscard]] static auto default_workers() noexcept -> std::size_t {
    return std::max<std::size_t>(2, std::thread::hardware_concurrency());
  }

 private:
  using engine = serial_unit<copy>;

  struct partition {
    partition(const sm_range& r, std::size_t threads)
        : range{r}, workers{threads}, unit{[this](const kernel& k, ticks begin) { k.perform(workers, begin); }} {}

    sm_range range;
    worker_team workers;
    serial_unit<kernel> unit;
  };

  [[nodiscard]] auto find(const sm_range& r) const noexcept -> std::vector<std::unique_ptr<partition>>::const_iterator {
    return std::ranges::find_if(partitions_, [&r](const auto& p) {
      return p->range.gpu == r.gpu && p->range.first == r.first && p->range.count == r.count;
    });
  }

  platform_record platform_;
  std::size_t max_workers_;
  std::vector<std::unique_ptr<engine>> engines_;
  std::vector<std::unique_ptr<partition>> partitions_;
};

class emulated_device::stream {
 public:
  stream(emulated_device& device, partition* p) noexcept : device_{&device}, partition_{p} {}

  /// Pre: the range is not empty.
  void launch(const emulated_kernel& k, completion done) { partition_->unit.submit(k, done); }
  /// Pre: the platform has the engine.
  void copy(std::int32_t engine, const emulated_copy& c, completion done) {
    device_->engines_[static_cast<std::size_t>(engine)]->submit(c, done);
  }

 private:
  emulated_device* device_;
  partition* partition_;
};

inline auto emulated_device::open(const sm_range& range) -> stream {
  if (range.count <= 0) { return {*this, nullptr}; }
  if (const auto known = find(range); known != partitions_.end()) { return {*this, known->get()}; }
  const gpu_record& gpu = platform_.gpus[static_cast<std::size_t>(range.gpu)];
  const auto virtual_sms = static_cast<std::size_t>(gpu.virtual_sms(range.count));
  partitions_.push_back(std::make_unique<partition>(range, std::min(virtual_sms, max_workers_)));
  return {*this, partitions_.back().get()};
}

static_assert(Device<emulated_device>);

}  // namespace takt::runtime
