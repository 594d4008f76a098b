// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/rules/dedicated_sms.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Says what keeps kernels of different tasks on different SMs.
enum class partition_backend : std::uint8_t {
  green_contexts,    ///< the driver: a stream's kernels see their own SMs only
  pinned_blocks,     ///< the kernels: blocks that land elsewhere leave at once
  priority_streams,  ///< nothing: the device may run anything anywhere, streams of higher priority first
  caller_streams,    ///< the caller, who has made a stream for each range
};

/// Says where a kernel is to be launched. With `pinned_blocks` the kernel itself has to stay on the range.
struct launch_site {
  std::int32_t device = 0;
  context_handle context{};
  stream_handle stream{};
  sm_range range{};
  partition_backend backend = partition_backend::priority_streams;
};

/// Holds what the program can offer to partitioning.
struct partition_wish {
  bool green_contexts = true;
  bool kernels_stay_on_range = false;  ///< every kernel pins its blocks by itself
  bool virtual_sms = false;            ///< ranges count virtual SMs, of which several share a physical one
  bool isolation_is_a_must = true;     ///< never fall back on streams alone
  bool limited_by_mps = false;         ///< CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is set
  bool primary_context = true;         ///< the streams are of the primary context, as green contexts are
  bool ignore_coscheduling = false;    ///< smaller groups of SMs, at the price of large clusters
};

struct backend_choice {
  bool possible = false;
  partition_backend backend = partition_backend::priority_streams;
  sm_split split{};    ///< how green contexts come
  std::string reason;  ///< why not something better, or why not at all
};

namespace detail {

inline constexpr const char* exceeded_under_mps =
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE lets green contexts use more SMs than their own";

/// Returns why a GPU cannot be split into green contexts of so many SMs; empty if it can.
[[nodiscard]] inline auto why_not_split(const machine_facts& machine, std::int32_t device,
                                        std::span<const std::int32_t> sms, bool ignore_coscheduling) -> std::string {
  constexpr std::int32_t first_with_green_streams = 12'050;
  if (machine.driver_version < first_with_green_streams) {
    return "streams of green contexts need a driver for CUDA 12.5, installed is one for " +
           std::to_string(machine.driver_version / 1'000) + "." + std::to_string(machine.driver_version % 1'000 / 10);
  }
  const gpu_facts& gpu = machine.gpus[static_cast<std::size_t>(device)];
  const split_facts& split = gpu.split(ignore_coscheduling);
  if (gpu.partitions != result::success || split.unit <= 0) {
    return "the driver does not split the SMs of this device (error " +
           std::to_string(static_cast<std::int32_t>(gpu.partitions)) + ")";
  }
  std::int64_t groups = 0;
  for (const std::int32_t n : sms) {
    if (n <= 0 || n % split.unit != 0) {
      return "a range of " + std::to_string(n) + " SMs is no multiple of " + std::to_string(split.unit);
    }
    groups += n / split.unit;
  }
  if (groups <= split.groups) { return {}; }
  return "the ranges need " + std::to_string(groups) + " groups of " + std::to_string(split.unit) +
         " SMs, and the driver makes " + std::to_string(split.groups);
}

}  // namespace detail

/// Returns the strongest way to keep these ranges of one GPU apart that machine and program allow.
[[nodiscard]] inline auto choose_backend(const machine_facts& machine, std::int32_t device,
                                         std::span<const sm_range> ranges, const partition_wish& wish = {})
    -> backend_choice {
  backend_choice out;
  out.split = {.unit = machine.gpus[static_cast<std::size_t>(device)].split(wish.ignore_coscheduling).unit,
               .ignore_coscheduling = wish.ignore_coscheduling};
  std::vector<std::int32_t> sms;
  for (const sm_range& r : ranges) { sms.push_back(r.count); }
  out.reason = !wish.green_contexts    ? "green contexts are not wanted"
               : wish.virtual_sms      ? "green contexts come in physical SMs, not in virtual ones"
               : !wish.primary_context ? "green contexts belong to the primary context, and the caller's is another"
               : wish.limited_by_mps   ? detail::exceeded_under_mps
                                       : detail::why_not_split(machine, device, sms, wish.ignore_coscheduling);
  if (out.reason.empty()) {
    out.possible = true;
    out.backend = partition_backend::green_contexts;
    return out;
  }
  if (wish.kernels_stay_on_range) {
    out.possible = true;
    out.backend = partition_backend::pinned_blocks;
    return out;
  }
  out.reason += "; kernels do not stay on their range by themselves";
  out.possible = !wish.isolation_is_a_must;
  return out;
}

/// Holds SMs of one split: kernels of its streams run on these and no others. The driver chooses which ones.
template <CudaDriver D>
class sm_part {
 public:
  sm_part() noexcept = default;
  sm_part(const context_ref<D>& place, std::int32_t sms) noexcept : place_{place}, sms_{sms} {}

  [[nodiscard]] auto sms() const noexcept -> std::int32_t { return sms_; }
  /// Returns a place for what makes its own streams: `launch_driver`, `job_streams`, `thread_stream`. Error, here and
  /// below: `cuda_error`, `no_sms_left` where there are none.
  [[nodiscard]] auto place() const -> const context_ref<D>& {
    if (sms_ == 0) { place_.check(result::no_sms_left, "place"); }
    return place_;
  }
  /// Makes a stream. The smaller the priority, the sooner its kernels. Cost: makes it.
  [[nodiscard]] auto stream(std::int32_t priority = 0) const -> cuda::stream<D> {
    return cuda::stream<D>{place(), priority};
  }

 private:
  context_ref<D> place_{};
  std::int32_t sms_ = 0;
};

namespace detail {

struct green_traits {
  using handle = green_handle;
  static auto free(auto& driver, handle h) -> result { return driver.destroy_green(h); }
};
template <CudaDriver D>
class green_context : public resource<D, green_traits> {
 public:
  green_context(const context_ref<D>& c, std::span<const sm_resource> sms)
      : resource<D, green_traits>{c, "create_green",
                                  [&](D& d, green_handle& h) { return d.create_green(c.device, sms, h); }} {}
};

}  // namespace detail

/// Holds green contexts of one split, so that they are disjoint, and one of what is left. Work beside the parts belongs
/// there, as streams of the primary context run on the SMs of all parts, too. It outlives the streams of its parts.
///
///     takt::cuda::partition gpu{driver, 0, {8, 16}};
///     const auto own = gpu[1].stream();
///     kernel<<<grid, block, 0, own>>>(...);
template <CudaDriver D>
class partition {
 public:
  /// Parts of so many SMs, each a multiple of the unit of the driver, in the primary context, which is kept. Error:
  /// `std::invalid_argument` with the reason when the device cannot be split so; `cuda_error`.
  partition(D& driver, std::int32_t device, const std::vector<std::int32_t>& sms, bool ignore_coscheduling = false)
      : partition{fit(driver, device, sms, ignore_coscheduling), device_context<D>{driver, device}, sms} {}
  /// Pre: the context is the primary one; each of `sms` is a multiple of the unit, > 0, see `choose_backend`. Error:
  /// `cuda_error`; an answer of the driver with fewer or other groups is `invalid_resource_configuration`.
  partition(const context_ref<D>& c, std::span<const std::int32_t> sms, const sm_split& how) {
    D& d = *c.driver;
    sm_resource all;
    c.check(d.device_sms(c.device, all), "device_sms");
    std::size_t wanted = 0;
    for (const std::int32_t n : sms) {
      TAKT_EXPECTS(0 < n && n % how.unit == 0);
      wanted += static_cast<std::size_t>(n / how.unit);
    }
    std::vector<sm_resource> groups(wanted);
    sm_resource rest;
    std::int32_t made = 0;
    c.check(d.split_sms(all, how, groups, made, rest), "split_sms");
    // A group that was not made has no SMs.
    const bool as_asked = std::ranges::all_of(groups, [&](const sm_resource& g) { return g.sms == how.unit; });
    if (!as_asked) { c.check(result::invalid_resource_configuration, "split_sms"); }
    std::span<const sm_resource> left{groups};
    for (const std::int32_t n : sms) {
      add(c, left.first(static_cast<std::size_t>(n / how.unit)), n);
      left = left.subspan(static_cast<std::size_t>(n / how.unit));
    }
    if (rest.sms > 0) {
      add(c, {&rest, 1}, rest.sms);
    } else {
      parts_.emplace_back(c, 0);
    }
  }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return parts_.size() - 1; }
  /// Pre: i < size().
  [[nodiscard]] auto operator[](std::size_t i) const noexcept -> const sm_part<D>& {
    TAKT_EXPECTS(i < parts_.size());
    return parts_[i];
  }
  /// Returns what no part has; it has no SMs where the parts have all.
  [[nodiscard]] auto rest() const noexcept -> const sm_part<D>& { return parts_.back(); }

 private:
  partition(const sm_split& how, device_context<D> own, std::span<const std::int32_t> sms)
      : partition{own.ref(), sms, how} {
    own_.emplace(std::move(own));
  }
  [[nodiscard]] static auto fit(D& driver, std::int32_t device, std::span<const std::int32_t> sms,
                                bool ignore_coscheduling) -> sm_split {
    const machine_facts machine = query_machine(driver);
    if (device < 0 || static_cast<std::size_t>(device) >= machine.gpus.size()) {
      check(driver, result::invalid_device, "partition", {.device = device});
    }
    const std::string why = detail::process_environment("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")
                                ? detail::exceeded_under_mps
                                : detail::why_not_split(machine, device, sms, ignore_coscheduling);
    if (!why.empty()) { throw std::invalid_argument{"takt: no partition: " + why}; }
    const gpu_facts& gpu = machine.gpus[static_cast<std::size_t>(device)];
    return {.unit = gpu.split(ignore_coscheduling).unit, .ignore_coscheduling = ignore_coscheduling};
  }
  void add(const context_ref<D>& c, std::span<const sm_resource> resources, std::int32_t sms) {
    greens_.emplace_back(c, resources);
    context_ref<D> place = c;
    place.green = greens_.back().get();
    parts_.emplace_back(place, sms);
  }

  std::optional<device_context<D>> own_;
  std::vector<detail::green_context<D>> greens_;
  std::vector<sm_part<D>> parts_;  ///< the last is the rest
};

}  // namespace takt::inline TAKT_ABI::cuda
