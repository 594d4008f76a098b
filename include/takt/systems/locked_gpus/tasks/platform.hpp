// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/overheads.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Stops compilation where a configuration is wrong.
template <model_fault Fault>
struct gpusync_configuration_check {
  static constexpr bool passed = Fault == model_fault::none;
  static_assert(Fault != model_fault::processors_out_of_range,
                "takt: the number of CPUs, GPUs or nodes is out of range; 1 to 64 CPUs and 1 to 32 GPUs. "
                "See docs/errors.md#E70");
  static_assert(Fault != model_fault::cluster_does_not_divide,
                "takt: clusters do not divide the CPUs or GPUs; all clusters of a kind have one size. "
                "See docs/errors.md#E71");
  static constexpr bool gpus_fit = Fault != model_fault::tokens_out_of_range &&
                                   Fault != model_fault::copy_engines_out_of_range &&
                                   Fault != model_fault::chunk_not_positive;
  static_assert(gpus_fit,
                "takt: a GPU's tokens, copy engines or chunks are out of range; 1 to 64, 0 to 2, 1 byte. "
                "See docs/errors.md#E72");
  static_assert(Fault != model_fault::association_out_of_range,
                "takt: the association names a cluster that the platform lacks; use its clusters. "
                "See docs/errors.md#E73");
  static_assert(Fault != model_fault::r2dglp_across_clusters,
                "takt: the R2DGLP knows one CPU cluster, and a GPU cluster serves several; use the CK-OMLP. "
                "See docs/errors.md#E74");
  static_assert(Fault != model_fault::unlimited_across_clusters,
                "takt: tokens without a limit, and a GPU cluster serves several CPU clusters; limit the tokens. "
                "See docs/errors.md#E75");
  static_assert(Fault != model_fault::choice_out_of_range,
                "takt: a choice is none of those that its type names; use one of the enumerators. "
                "See docs/errors.md#E79");
};

}  // namespace detail

/// Holds CPUs and locked GPUs, of a configuration that is known at compile time. A wrong one stops compilation; that is
/// what the last parameter is for.
template <gpusync_configuration Configuration, detail::TransferCosts Costs = linear_transfer_costs<ticks>,
          bool Checked = detail::gpusync_configuration_check<fault_of(Configuration)>::passed>
struct gpusync_platform {
  using number = typename Costs::number;

  Costs costs{};
  gpusync_overheads<number> overheads{};

  [[nodiscard]] static constexpr auto configuration() noexcept -> const gpusync_configuration& { return kept; }

 private:
  static constexpr gpusync_configuration kept = Configuration;
};

/// Holds CPUs and locked GPUs, of a configuration that is a value.
template <detail::TransferCosts Costs = linear_transfer_costs<ticks>>
struct gpusync_board {
  using number = typename Costs::number;

  gpusync_configuration shape{};
  Costs costs{};
  gpusync_overheads<number> overheads{};

  [[nodiscard]] constexpr auto configuration() const noexcept -> const gpusync_configuration& { return shape; }
};

template <class P>
concept GpusyncPlatform = requires(const P& p) {
  typename P::number;
  { p.configuration() } -> std::convertible_to<const gpusync_configuration&>;
  { p.overheads } -> std::convertible_to<gpusync_overheads<typename P::number>>;
  requires detail::TransferCosts<std::remove_cvref_t<decltype(p.costs)>>;
};

}  // namespace takt::inline TAKT_ABI
