// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>

namespace takt {

/// `limit` is the length at which a first-in-first-out queue of an `r2dglp` is full, 0 for the least sound one.
struct r2dglp_options {
  std::int32_t replicas = 1;
  std::int32_t cluster = 1;  ///< CPUs of the cluster; of all clusters that share the lock under priority donation
  std::int32_t queue_limit = 0;
};

/// The rules of Elliott 2015, section 2.1.7.2, as takt repairs them; `as_published` has the printed ones.
struct r2dglp_rules {
  static constexpr bool printed_r1a = false;      ///< a queue takes one request more than its limit
  static constexpr bool printed_r1c = false;      ///< the number of donors decides, not who is pushed out of the best
  static constexpr bool printed_r5 = false;       ///< no donor and no other queue's request fills a freed place
  static constexpr bool donees_rise = false;      ///< a donee that has become one of the best keeps its donor
  static constexpr bool any_queue_limit = false;  ///< a limit without a bound is taken as it is
};

enum class queue_limit_fault : std::uint8_t {
  none,
  size_out_of_range,    ///< replicas or CPUs below 1, more replicas than the lock has room for, a negative limit
  limit_without_bound,  ///< below `least`: a donor may find nobody to donate to
};

struct queue_limit_check {
  queue_limit_fault fault = queue_limit_fault::none;
  std::int32_t least = 0;  ///< the least limit with a bound, unless a size is out of range

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != queue_limit_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const queue_limit_check&, const queue_limit_check&) noexcept
      -> bool = default;
};

/// What is wrong with the options of a lock that has room for `capacity` replicas. Among c requests of the most
/// important jobs, any that waits outside needs a donee of its own inside, hence k queues must have c places.
[[nodiscard]] constexpr auto validate(const r2dglp_options& o, std::size_t capacity) noexcept -> queue_limit_check {
  if (o.replicas < 1 || static_cast<std::size_t>(o.replicas) > capacity || o.cluster < 1 || o.queue_limit < 0) {
    return {queue_limit_fault::size_out_of_range, 0};
  }
  const std::int32_t least = ceil_divide(o.cluster, o.replicas);
  const bool bounded = o.queue_limit == 0 || o.queue_limit >= least;
  return {bounded ? queue_limit_fault::none : queue_limit_fault::limit_without_bound, least};
}

namespace detail {

/// Not constexpr on purpose, as `stop_compilation` of the model.
inline void stop_queue_limit(const char* /*sentence*/) noexcept {}

// clang-format off: the compiler shows the line of the call, so each sentence stays on it.
constexpr void refuse(const queue_limit_check& check) noexcept {
  switch (check.fault) {
    case queue_limit_fault::none: return;
    case queue_limit_fault::size_out_of_range:
      return stop_queue_limit("takt: the size of a lock is out of range; at least 1 CPU and 1 replica, and no more replicas than it has room for. See docs/errors.md#E35");
    case queue_limit_fault::limit_without_bound:
      return stop_queue_limit("takt: a queue limit below ceil(cluster / replicas) has no bound; raise it, or use 0 for the least sound one. See docs/errors.md#E35");
  }
}
// clang-format on

}  // namespace detail

}  // namespace takt
