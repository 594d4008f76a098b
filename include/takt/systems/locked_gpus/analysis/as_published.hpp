// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/systems/locked_gpus/analysis/options.hpp>

/// Formulas as Elliott 2015 prints them. docs/errata.md says which of them are too small and shows a run.
namespace takt::inline TAKT_ABI::analysis::gpusync::as_published {

/// Equation 4.41.
struct direct_blocking : sound_rules {
  static constexpr bool printed_direct_blocking = true;
};
/// Equations 4.17 to 4.19.
struct dual_bound : sound_rules {
  static constexpr bool printed_dual_bound = true;
};
/// Has equation 4.5 with the interrupts of the holder's operations, but without what its own requests cost it. The caps
/// of section 4.3.4.2 hold where tokens are unlimited too. Interrupts are of as many jobs as a GPU has tokens, however
/// few use it.
struct free_requests : sound_rules {
  static constexpr bool printed_requests = true;
  static constexpr bool printed_unlimited = true;
  static constexpr bool printed_interrupts = true;
};
/// Has all of them together, but for equations 4.27 and 4.28, whose exchanged right sides give no bound.
struct rules : sound_rules {
  static constexpr bool printed_direct_blocking = true;
  static constexpr bool printed_dual_bound = true;
  static constexpr bool printed_engine_users = true;
  static constexpr bool printed_sections = true;
  static constexpr bool printed_requests = true;
  static constexpr bool printed_unlimited = true;
  static constexpr bool printed_callback = true;
  static constexpr bool printed_interrupts = true;
};

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::as_published
