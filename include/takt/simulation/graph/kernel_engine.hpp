// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/block_placement.hpp>
#include <takt/rules/block_queue.hpp>

namespace takt::simulation {

/// A GPU as its block queue sees it.
struct gpu_shape {
  std::int32_t sms = 1;
  sm_capacity each{};
  block_placement placement = block_placement::even;
  std::int64_t grids = 0;  ///< kernels with blocks on SMs at once; 0: any number
};

/// Blocks of a kernel that started on an SM at one instant.
template <ExactNumber Number>
struct block_group {
  std::int32_t kernel = no_queued_kernel;
  std::int32_t sm = 0;
  std::int64_t count = 0;
  Number start{};
  Number end{};
};

/// Virtual time over a block queue. All blocks of a kernel are equally long.
template <ExactNumber Number, std::size_t MaxKernels, std::size_t MaxSms>
class kernel_engine {
 public:
  using queue_type = block_queue<MaxKernels, MaxSms>;

  /// Pre: 1 <= sms <= MaxSms.
  explicit kernel_engine(const gpu_shape& shape)
      : queue_{std::make_unique<queue_type>(shape.sms, shape.each, shape.placement, shape.grids)}, loads_(MaxKernels) {
    const auto blocks = static_cast<std::size_t>(std::min(shape.each.threads, shape.each.blocks));
    groups_.reserve(std::min(MaxKernels, blocks) * static_cast<std::size_t>(shape.sms));
  }

  /// False, and no change, when the queue refuses the kernel. `tag` is told when it finishes. Pre: length > 0.
  [[nodiscard]] auto enqueue(const queued_kernel& k, const Number& length, std::uint64_t tag) -> bool {
    const std::int32_t number = queue_->enqueue(k);
    if (number == no_queued_kernel) { return false; }
    loads_[index(number)] = {length, tag};
    return true;
  }

  /// Whether no further kernel has room, whatever it is.
  [[nodiscard]] auto is_full() const noexcept -> bool { return queue_->unfinished() == MaxKernels; }

  /// False when no block runs.
  [[nodiscard]] auto next_end(Number& out) const -> bool {
    if (groups_.empty()) { return false; }
    out = groups_.front().end;
    return true;
  }
  /// Ends the blocks that are due, and calls `finished(tag)` for each kernel that thereby finishes.
  template <class Finished>
  void complete_due(const Number& now, const Finished& finished) {
    while (!groups_.empty() && !(now < groups_.front().end)) {
      std::ranges::pop_heap(groups_, later);
      const block_group<Number> g = groups_.back();
      groups_.pop_back();
      if (queue_->complete(g.kernel, g.sm, g.count)) { finished(loads_[index(g.kernel)].tag); }
    }
  }
  /// Starts blocks as long as one can, and calls `started(tag, group)` for those of one kernel on one SM. False when an
  /// end does not fit.
  template <class Started>
  [[nodiscard]] auto dispatch(const Number& now, const Started& started) -> bool {
    std::int32_t kernel = no_queued_kernel;
    for (;;) {
      const block_start s = queue_->dispatch();
      if (s.kernel != kernel && kernel != no_queued_kernel && !start(kernel, now, started)) { return false; }
      kernel = s.kernel;
      if (kernel == no_queued_kernel) { return true; }
      ++starting_[index(s.sm)];
    }
  }

  [[nodiscard]] auto queue() const -> const queue_type& { return *queue_; }
  [[nodiscard]] auto groups() const -> std::span<const block_group<Number>> { return groups_; }
  [[nodiscard]] auto length(std::int32_t kernel) const -> const Number& { return loads_[index(kernel)].length; }
  [[nodiscard]] auto tag(std::int32_t kernel) const -> std::uint64_t { return loads_[index(kernel)].tag; }

  /// Unfinished work of what is in the queue or runs, in thread time, or with another weight of a block's footprint.
  /// Pre: it fits.
  template <class Weight>
  [[nodiscard]] auto backlog(const Number& now, const Weight& weight) const -> Number {
    Number sum(0);
    for (const auto& g : groups_) {
      sum = sum + (g.end - now) * Number(weight(queue_->kernel(g.kernel).block)) * Number(g.count);
    }
    for (std::size_t i = 0; i < queue_->waiting(); ++i) {
      const std::int32_t k = queue_->waiting(i);
      sum = sum + length(k) * Number(weight(queue_->kernel(k).block)) * Number(queue_->unplaced(k));
    }
    return sum;
  }
  [[nodiscard]] auto backlog(const Number& now) const -> Number {
    return backlog(now, [](const block_footprint& b) { return b.threads; });
  }

 private:
  struct load {
    Number length{};
    std::uint64_t tag = 0;
  };

  [[nodiscard]] static constexpr auto index(std::int32_t i) noexcept -> std::size_t {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] static auto later(const block_group<Number>& a, const block_group<Number>& b) -> bool {
    return b.end < a.end;
  }

  template <class Started>
  [[nodiscard]] auto start(std::int32_t kernel, const Number& now, const Started& started) -> bool {
    Number end{};
    if (!add_exactly(now, loads_[index(kernel)].length, end)) { return false; }
    for (std::int32_t sm = 0; sm < queue_->sms(); ++sm) {
      std::int64_t& count = starting_[index(sm)];
      if (count == 0) { continue; }
      groups_.push_back({kernel, sm, count, now, end});
      count = 0;
      started(loads_[index(kernel)].tag, groups_.back());
      std::ranges::push_heap(groups_, later);
    }
    return true;
  }

  std::unique_ptr<queue_type> queue_;
  std::vector<load> loads_;                      ///< by number of the kernel
  std::vector<block_group<Number>> groups_;      ///< a heap, the earliest end first
  std::array<std::int64_t, MaxSms> starting_{};  ///< blocks that the kernel in hand starts now
};

}  // namespace takt::simulation
