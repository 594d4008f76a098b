// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>
#include <takt/rules/dedicated_sms.hpp>

namespace takt::cuda {

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
