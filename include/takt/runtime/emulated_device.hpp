// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/emulated_unit.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A copy for the emulated device: bytes to move, or a length of time.
struct emulated_copy : emulated_kernel {
  explicit emulated_copy(ticks time = 0) : emulated_kernel{time} {}
  emulated_copy(void* to, const void* from, std::size_t bytes)
      : emulated_kernel{bytes > 0 ? 1 : 0, [=](std::int64_t) { std::memcpy(to, from, bytes); }} {}
};

/// A GPU made of host threads, so that everything runs with none.
///
/// Each copy engine is a thread, which does one copy after the other. Each SM range runs one kernel after the other: it
/// has a thread for each virtual SM, `max_workers` at most. Ranges never lend threads to each other. Timed operations
/// sleep: they occupy their unit and no core of the host. Computing kernels and moved bytes do take host cores, as they
/// must.
class emulated_device {
 public:
  using kernel = emulated_kernel;
  using copy = emulated_copy;
  class stream;

  explicit emulated_device(const platform_record& platform, std::size_t max_workers = default_workers())
      : platform_{platform}, max_workers_{max_workers} {
    for (std::int32_t e = 0; e < platform.copy_engines; ++e) { engines_.push_back(std::make_unique<emulated_unit>(1)); }
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
  /// Returns false when the system had too few threads to give.
  [[nodiscard]] auto ready() const noexcept -> bool {
    return std::ranges::all_of(engines_, [](const auto& e) { return e->started(); }) &&
           std::ranges::all_of(partitions_, [](const auto& p) { return p->unit.started(); });
  }
  /// Returns the number of workers behind a range: 0 before it was opened.
  [[nodiscard]] auto workers(const sm_range& range) const noexcept -> std::size_t {
    const auto found = find(range);
    return found == partitions_.end() ? 0 : (*found)->workers;
  }

  [[nodiscard]] static auto default_workers() noexcept -> std::size_t {
    return std::max<std::size_t>(2, std::thread::hardware_concurrency());
  }

 private:
  struct partition {
    partition(const sm_range& r, std::size_t threads) : range{r}, workers{threads}, unit{threads} {}

    sm_range range;
    std::size_t workers;
    emulated_unit unit;
  };

  [[nodiscard]] auto find(const sm_range& r) const noexcept -> std::vector<std::unique_ptr<partition>>::const_iterator {
    return std::ranges::find_if(partitions_, [&r](const auto& p) {
      return p->range.gpu == r.gpu && p->range.first == r.first && p->range.count == r.count;
    });
  }

  platform_record platform_;
  std::size_t max_workers_;
  std::vector<std::unique_ptr<emulated_unit>> engines_;
  std::vector<std::unique_ptr<partition>> partitions_;
};

class emulated_device::stream {
 public:
  stream(emulated_device& device, partition* p) noexcept : device_{&device}, partition_{p} {}

  /// Pre: the range is not empty.
  void launch(const emulated_kernel& k, completion done) {
    TAKT_EXPECTS(partition_ != nullptr);
    partition_->unit.submit(k, done);
  }
  /// Pre: the platform has the engine.
  void copy(std::int32_t engine, const emulated_copy& c, completion done) {
    TAKT_EXPECTS(0 <= engine && static_cast<std::size_t>(engine) < device_->engines_.size());
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
  const std::size_t workers = std::min({virtual_sms, max_workers_, emulated_unit::most_sms});
  partitions_.push_back(std::make_unique<partition>(range, std::max<std::size_t>(1, workers)));
  return {*this, partitions_.back().get()};
}

static_assert(Device<emulated_device>);

}  // namespace takt::inline TAKT_ABI::runtime
