// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/rules/dedicated_sms.hpp>

namespace takt::cuda {

/// What keeps kernels of different tasks on different SMs.
enum class partition_backend : std::uint8_t {
  green_contexts,    ///< the driver: a stream's kernels see their own SMs only
  pinned_blocks,     ///< the kernels: blocks that land elsewhere leave at once
  priority_streams,  ///< nothing: the device may run anything anywhere, streams of higher priority first
};

/// Where a kernel is to be launched. With `pinned_blocks` the kernel itself has to stay on the range.
struct launch_site {
  std::int32_t device = 0;
  context_handle context{};
  stream_handle stream{};
  sm_range range{};
  partition_backend backend = partition_backend::priority_streams;
  function_handle occupy{};  ///< see `occupy_kernel`
};

/// What the program can offer to partitioning.
struct partition_wish {
  bool green_contexts = true;
  bool kernels_stay_on_range = false;  ///< every kernel pins its blocks by itself
  bool virtual_sms = false;            ///< ranges count virtual SMs, of which several share a physical one
  bool isolation_is_a_must = true;     ///< never fall back on streams alone
  bool limited_by_mps = false;         ///< CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is set
};

struct backend_choice {
  bool possible = false;
  partition_backend backend = partition_backend::priority_streams;
  std::int32_t group = 0;  ///< SMs that green contexts come in
  std::string reason;      ///< why not something better, or why not at all
};

/// SMs that a split hands out at a time. Drivers before CUDA 13 do not say, then the documented size for the compute
/// capability.
[[nodiscard]] inline auto partition_unit(const gpu_facts& gpu) noexcept -> std::int32_t {
  if (gpu.splittable.least_partition > 0) {
    const std::int32_t step = std::max(gpu.splittable.alignment, 1);
    return (gpu.splittable.least_partition + step - 1) / step * step;
  }
  return gpu.compute_major >= 9 ? 8 : gpu.compute_major == 8 ? 4 : 2;
}

/// The strongest way to keep these ranges of one GPU apart that machine and program allow.
[[nodiscard]] inline auto choose_backend(const machine_facts& machine, std::int32_t device,
                                         std::span<const sm_range> ranges, const partition_wish& wish = {})
    -> backend_choice {
  const gpu_facts& gpu = machine.gpus[static_cast<std::size_t>(device)];
  backend_choice out;
  out.group = partition_unit(gpu);
  constexpr std::int32_t first_with_green_streams = 12'050;
  std::int64_t groups = 0;
  std::string fits;
  for (const sm_range& r : ranges) {
    groups += (r.count + out.group - 1) / out.group;
    if (r.count % out.group != 0 && fits.empty()) {
      fits = "a range of " + std::to_string(r.count) + " SMs is no multiple of " + std::to_string(out.group);
    }
  }
  if (groups * out.group > gpu.sms && fits.empty()) { fits = "the ranges need more SMs than the device can split off"; }
  const std::string why_not_green =
      !wish.green_contexts  ? "green contexts are not wanted"
      : wish.virtual_sms    ? "green contexts come in physical SMs, not in virtual ones"
      : wish.limited_by_mps ? "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE lets green contexts use more SMs than their own"
      : machine.driver_version < first_with_green_streams
          ? "streams of green contexts need a driver for CUDA 12.5, installed is one for " +
                std::to_string(machine.driver_version / 1'000) + "." +
                std::to_string(machine.driver_version % 1'000 / 10)
      : gpu.partitions != result::success ? "the driver does not split the SMs of this device (error " +
                                                std::to_string(static_cast<std::int32_t>(gpu.partitions)) + ")"
                                          : fits;
  if (why_not_green.empty()) {
    out.possible = true;
    out.backend = partition_backend::green_contexts;
    return out;
  }
  out.reason = why_not_green;
  if (wish.kernels_stay_on_range) {
    out.possible = true;
    out.backend = partition_backend::pinned_blocks;
    return out;
  }
  out.reason += "; kernels do not stay on their range by themselves";
  out.possible = !wish.isolation_is_a_must;
  return out;
}

/// Green contexts for ranges of one GPU, all from one split, so that they are disjoint. A range gets as many SMs as it
/// counts; which ones is the driver's choice. What no range has stays empty: nothing runs in the primary context.
template <CudaDriver D>
class green_partitions {
 public:
  green_partitions() noexcept = default;
  /// Pre: each count is a multiple of `group`, > 0, see `choose_backend`. Error: `cuda_error`; an answer of the driver
  /// with fewer or other groups than asked for is `invalid_resource_configuration`.
  green_partitions(const context_ref<D>& c, std::span<const sm_range> ranges, std::int32_t group)
      : context_{c}, ranges_{ranges.begin(), ranges.end()} {
    D& d = *c.driver;
    sm_resource all;
    c.check(d.device_sms(c.device, all), "device_sms");
    std::size_t wanted = 0;
    for (const sm_range& r : ranges_) { wanted += static_cast<std::size_t>(r.count / group); }
    std::vector<sm_resource> groups(wanted);
    std::int32_t made = 0;
    c.check(d.split_sms(all, group, groups, made), "split_sms");
    bool as_asked = made == static_cast<std::int32_t>(wanted);
    for (const sm_resource& g : groups) { as_asked = as_asked && g.sms == group; }
    if (!as_asked) { c.check(result::invalid_resource_configuration, "split_sms"); }
    std::span<const sm_resource> left{groups};
    greens_.reserve(ranges_.size());
    try {
      for (const sm_range& r : ranges_) {
        const auto own = left.first(static_cast<std::size_t>(r.count / group));
        left = left.subspan(own.size());
        green_handle g{};
        c.check(d.create_green(c.device, own, g), "create_green");
        greens_.push_back(g);
      }
    } catch (...) {
      clear();
      throw;
    }
  }
  green_partitions(green_partitions&& other) noexcept
      : context_{other.context_},
        ranges_{std::exchange(other.ranges_, {})},
        greens_{std::exchange(other.greens_, {})} {}
  green_partitions(const green_partitions&) = delete;
  auto operator=(const green_partitions&) -> green_partitions& = delete;
  auto operator=(green_partitions&& other) noexcept -> green_partitions& {
    std::swap(context_, other.context_);
    std::swap(ranges_, other.ranges_);
    std::swap(greens_, other.greens_);
    return *this;
  }
  ~green_partitions() { clear(); }

  /// None for a range that was not given.
  [[nodiscard]] auto find(const sm_range& r) const noexcept -> green_handle {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].first == r.first && ranges_[i].count == r.count) { return greens_[i]; }
    }
    return {};
  }

 private:
  void clear() noexcept {
    for (const green_handle g : greens_) { (void)context_.driver->destroy_green(g); }
    greens_.clear();
  }

  context_ref<D> context_{};
  std::vector<sm_range> ranges_;
  std::vector<green_handle> greens_;
};

}  // namespace takt::cuda
