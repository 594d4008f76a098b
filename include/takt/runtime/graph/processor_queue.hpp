// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// A job that wants a processor. The least goes first: jobs of one priority point by graph, number and node.
struct processor_claim {
  ticks point = 0;  ///< nominal release + relative priority point
  std::uint32_t graph = 0;
  std::int64_t job = 0;
  std::uint32_t node = 0;

  [[nodiscard]] friend constexpr auto operator<=>(const processor_claim&, const processor_claim&) noexcept = default;
};

/// The processors of a cluster among threads, without preemption: a processor that becomes free goes to the least claim
/// that waits. No processor is free while a claim waits.
class processor_queue {
 public:
  explicit processor_queue(std::size_t processors) : free_(processors, true) {}

  /// The processor, suspended until there is one.
  [[nodiscard]] auto enter(const processor_claim& claim) -> std::int32_t {
    std::unique_lock lock{mutex_};
    for (std::size_t p = 0; p < free_.size(); ++p) {
      if (free_[p]) {
        free_[p] = false;
        return static_cast<std::int32_t>(p);
      }
    }
    waiter own{claim};
    waiter** at = &first_;
    while (*at != nullptr && !(claim < (*at)->claim)) { at = &(*at)->next; }
    own.next = *at;
    *at = &own;
    own.woken.wait(lock, [&own] { return own.processor >= 0; });
    return own.processor;
  }
  /// Claims that wait.
  [[nodiscard]] auto waiting() -> std::size_t {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const waiter* w = first_; w != nullptr; w = w->next) { ++count; }
    return count;
  }
  void leave(std::int32_t processor) {
    const std::lock_guard lock{mutex_};
    if (first_ == nullptr) {
      free_[static_cast<std::size_t>(processor)] = true;
      return;
    }
    waiter& next = *first_;
    first_ = next.next;
    next.processor = processor;
    next.woken.notify_all();
  }

 private:
  struct waiter {
    processor_claim claim;
    waiter* next = nullptr;
    std::int32_t processor = -1;
    condition woken{};
  };

  inheriting_mutex mutex_;
  std::vector<bool> free_;
  waiter* first_ = nullptr;  ///< a list in order of the claims
};

}  // namespace takt::runtime
