// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/pool_device.hpp>

namespace takt::runtime {

/// The streams of a device, for all pools of a board that it serves. A task whose visits follow each other has one
/// stream for its kernels, where these have SMs or a stream of their own, and its copies; every other lane has its
/// own, but for kernels that use the same SMs one after the other.
template <StreamDevice D>
class task_streams {
 public:
  /// Pre: the device outlives it.
  explicit task_streams(D& device) : device_{&device} {}

  /// `is_own`: no other task uses the lane's SMs. `is_beside`: its kernels are there beside those of others. Pre: a
  /// task's kernels come before its copies.
  [[nodiscard]] auto for_kernels(const pool_lane& l, bool is_own, bool is_beside) -> typename D::stream& {
    for (const auto& o : opened_) {
      const sm_range& r = o->range;
      const bool same = r.gpu == l.range.gpu && r.first == l.range.first && r.count == l.range.count;
      if (same && !is_beside) { return o->stream; }
    }
    return open(l.range, l.in_order && (is_own || is_beside) ? l.task : nobody);
  }
  [[nodiscard]] auto for_copies(const pool_lane& l) -> typename D::stream& {
    for (const auto& o : opened_) {
      if (l.in_order && o->task == l.task) { return o->stream; }
    }
    return open({}, l.in_order ? l.task : nobody);
  }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  struct opened {
    sm_range range{};
    std::uint32_t task = nobody;
    typename D::stream stream;
  };

  [[nodiscard]] auto open(const sm_range& r, std::uint32_t task) -> typename D::stream& {
    opened_.push_back(std::unique_ptr<opened>{new opened{r, task, device_->open(r)}});
    return opened_.back()->stream;
  }

  D* device_;
  std::vector<std::unique_ptr<opened>> opened_;
};

}  // namespace takt::runtime
