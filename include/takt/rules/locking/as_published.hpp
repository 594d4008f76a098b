// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/r2dglp.hpp>

/// Rules as they are printed, or repaired in part. docs/errata.md says which of them break a bound and shows a run.
namespace takt::inline TAKT_ABI::as_published {

struct r2dglp_r1a : r2dglp_rules {
  static constexpr bool printed_r1a = true;
};
/// A request that finds no donee goes to the priority queue; the text leaves the case open.
struct r2dglp_r1c : r2dglp_rules {
  static constexpr bool printed_r1c = true;
};
struct r2dglp_r5 : r2dglp_rules {
  static constexpr bool printed_r5 = true;
};
/// A place freed by one of the best goes past the donor whose donee is one of the best now.
struct r2dglp_donees_rise : r2dglp_rules {
  static constexpr bool donees_rise = true;
};
struct r2dglp_any_queue_limit : r2dglp_rules {
  static constexpr bool any_queue_limit = true;
};

template <class Rules, std::size_t Replicas, std::size_t Requests, class Heuristic = plain_advice>
using r2dglp = takt::r2dglp<Replicas, Requests, Heuristic, Rules>;

/// Any job issues requests, however unimportant it is.
struct donation_without_gate : donation_rules {
  static constexpr bool gate = false;
};
/// A donor waits for its donee also while the donee is among the best itself.
struct donation_to_the_end : donation_rules {
  static constexpr bool end_on_rise = false;
};

template <class Rules, std::size_t Jobs>
using priority_donation = takt::priority_donation<Jobs, Rules>;

}  // namespace takt::inline TAKT_ABI::as_published
