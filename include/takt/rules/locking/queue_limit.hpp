// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

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

struct queue_limit_check {
  model_fault fault = model_fault::none;
  std::int32_t least = 0;  ///< the least limit with a bound, unless a size is out of range

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != model_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const queue_limit_check&, const queue_limit_check&) noexcept
      -> bool = default;
};

/// Returns what is wrong with the options of a lock that has room for `capacity` replicas. Among c requests of the most
/// important jobs, any that waits outside needs a donee of its own inside, hence k queues must have c places.
[[nodiscard]] constexpr auto validate(const r2dglp_options& o, std::size_t capacity) noexcept -> queue_limit_check {
  if (o.replicas < 1 || static_cast<std::size_t>(o.replicas) > capacity || o.cluster < 1 || o.queue_limit < 0) {
    return {model_fault::lock_size_out_of_range, 0};
  }
  const std::int32_t least = ceil_divide(o.cluster, o.replicas);
  const bool bounded = o.queue_limit == 0 || o.queue_limit >= least;
  return {bounded ? model_fault::none : model_fault::queue_limit_without_bound, least};
}

}  // namespace takt::inline TAKT_ABI
