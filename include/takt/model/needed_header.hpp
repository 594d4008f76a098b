// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Names headers without which some questions have no answer.
enum class needed_header : std::uint8_t { kernels, tokens, shares, graphs, known_methods, chain_plans };

/// Is specialized as true by the headers that a door includes for what is asked under its name.
template <needed_header H>
inline constexpr bool is_included = false;

/// Says so at a question about a type, which is answered where the question is asked.
template <needed_header H, class Asked>
inline constexpr bool is_included_for = is_included<H>;

/// Stops compilation where a header is missing, with a sentence that names it. A question then has no answer, rather
/// than one that depends on what a file happens to include.
template <needed_header H, bool Included>
struct header_is_included;

template <bool Included>
struct header_is_included<needed_header::kernels, Included> {
  static constexpr bool passed = Included;
  static_assert(
      Included,
      "takt: this question is about an accelerator, or about kernels under levels(...), slots(...), gang(...) "
      "or time slices; include <takt/kernels.hpp>. See docs/errors.md#E127");
};
template <bool Included>
struct header_is_included<needed_header::tokens, Included> {
  static constexpr bool passed = Included;
  static_assert(Included,
                "takt: this question is about tokens under fifo_order, k_fmlp_order, r2dglp_order or ck_omlp_order; "
                "include <takt/tokens.hpp>. See docs/errors.md#E127");
};
template <bool Included>
struct header_is_included<needed_header::shares, Included> {
  static constexpr bool passed = Included;
  static_assert(Included,
                "takt: this question is about a GPU that is granted by shares; include <takt/shares.hpp>. "
                "See docs/errors.md#E127");
};
template <bool Included>
struct header_is_included<needed_header::graphs, Included> {
  static constexpr bool passed = Included;
  static_assert(Included,
                "takt: this question is about a GPU whose blocks have one queue; include <takt/graphs.hpp>. "
                "See docs/errors.md#E127");
};
template <bool Included>
struct header_is_included<needed_header::known_methods, Included> {
  static constexpr bool passed = Included;
  static_assert(Included,
                "takt: this question asks a method that knows boards as a whole; include "
                "<takt/analysis/judge_known.hpp>. See docs/errors.md#E127");
};
template <bool Included>
struct header_is_included<needed_header::chain_plans, Included> {
  static constexpr bool passed = Included;
  static_assert(Included,
                "takt: this question looks for a plan by a method of chains; include "
                "<takt/allocation/allocate_chains.hpp>. See docs/errors.md#E127");
};

/// Says that nothing else is needed.
struct no_header_needed {
  static constexpr bool passed = true;
};

/// Tells whether the checks of boards with such a resource are missing. A resource whose boards have checks of their
/// own says by `board_header` where, and that header specializes this.
template <class Resource>
inline constexpr bool lacks_board_checks = requires { Resource::board_header; };

/// Stops compilation where they are missing.
template <class Resource>
struct board_checks : no_header_needed {};
template <class Resource>
  requires lacks_board_checks<Resource>
struct board_checks<Resource> : header_is_included<Resource::board_header, false> {};

}  // namespace takt::inline TAKT_ABI::detail
