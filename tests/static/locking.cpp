// The locking protocols decide in constant expressions, on every toolchain.
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/r2dglp.hpp>

#include <type_traits>

namespace {

using takt::no_request;
using takt::request_id;

constexpr auto important(request_id r) -> takt::lock_request { return {.priority = {.point = r, .tie = r}}; }

/// The order in which requests issued in a row are served; 10 a + b for a before b.
template <takt::LockingProtocol P, class... Requests>
constexpr auto order_of(P lock, Requests... r) -> int {
  request_id holder = no_request;
  for (const request_id i : {r...}) {
    const request_id granted = lock.issue(i, important(i));
    if (granted != no_request) { holder = granted; }
  }
  int out = 0;
  while (holder != no_request) {
    out = out * 10 + holder;
    holder = lock.release(holder);
  }
  return out;
}

static_assert(order_of(takt::fifo_mutex<4>{}, 3, 0, 2, 1) == 3021);
static_assert(order_of(takt::ck_omlp<1, 4>{}, 3, 0, 2, 1) == 3021);
// Two places inside: 3 and 0; 2 is pushed out of the best by 1, which donates to 3 and steps inside after it.
static_assert(order_of(takt::r2dglp<1, 4>{takt::r2dglp_options{.replicas = 1, .cluster = 2}}, 3, 0, 2, 1) == 3012);
static_assert(order_of(takt::r2dglp<1, 4>{}, 3, 0, 2, 1) == 3012);
static_assert(order_of(takt::r2dglp<1, 4>{takt::r2dglp_options{.queue_limit = 4}}, 3, 0, 2, 1) == 3021);

static_assert(validate(takt::r2dglp_options{.replicas = 2, .cluster = 7}, 2).least == 4);
static_assert(validate(takt::r2dglp_options{.replicas = 2, .cluster = 7, .queue_limit = 3}, 2).fault ==
              takt::model_fault::queue_limit_without_bound);

constexpr auto donation() -> bool {
  takt::priority_donation<3> cluster{1};
  cluster.released(2, {.point = 2, .tie = 2});
  cluster.issued(2);
  const bool begins = cluster.released(0, {.point = 0, .tie = 0}) == 2 && cluster.is_donor(0);
  return begins && cluster.request_completed(2) == 0 && !cluster.is_donor(0) && cluster.may_issue(0);
}
static_assert(donation());

static_assert(std::is_trivially_copyable_v<takt::r2dglp<4, 64>>);
static_assert(std::is_trivially_copyable_v<takt::ck_omlp<4, 64>>);
static_assert(std::is_trivially_copyable_v<takt::priority_donation<64>>);

}  // namespace
