// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/allocate_chains.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Describes a platform of chains whose rules are types and whose sizes are values. Pre: every size is above 0.
template <RuleTag CpuRule, RuleTag CopyRule, RuleTag GpuRule>
struct sized_platform {
  using cpu_rule = CpuRule;
  using copy_rule = CopyRule;
  using gpu_rule = GpuRule;

  platform_record sizes;

  [[nodiscard]] constexpr auto record() const -> platform_record { return sizes; }
  [[nodiscard]] constexpr auto validate() const -> model_error { return {}; }
};

}  // namespace detail

namespace rtgpu_boards {

using cpus = fixed_priority_rule<by_relative_deadline>;
using copies = nonpreemptive_rule<cpus>;

/// The platform of Zou et al. 2021, and the same with one rule exchanged, as each baseline needs it.
template <bool Shared>
using published = detail::sized_platform<cpus, copies, federated_rule<Shared>>;
template <bool Shared>
using one_at_a_time = detail::sized_platform<cpus, copies, serialized_rule<federated_rule<Shared>>>;
template <bool Shared>
using spinning = detail::sized_platform<busy_waiting_rule<cpus>, copies, federated_rule<Shared>>;
template <bool Shared>
using whole_gpu = detail::sized_platform<cpus, copies, serialized_rule<detail::whole_gpu_rule>>;

/// Calls `f` with the platform whose SMs are handed out as the record says. Pre: it has a GPU.
template <template <bool> class Board, class F>
[[nodiscard]] constexpr auto with(const platform_record& sizes, const F& f) {
  TAKT_EXPECTS(!sizes.gpus.empty());
  return sizes.gpus[0].shared ? f(Board<true>{sizes}) : f(Board<false>{sizes});
}

}  // namespace rtgpu_boards

namespace detail {

/// Is a test of chains, as the search for a plan that passes it: depth first, so that a plan is found whenever there is
/// one. Gives up after `effort` task analyses, which the plan says. Pre: the table is in deadline-monotonic order.
template <class Table>
struct rtgpu_test {
  std::string_view name;
  auto (*find)(const Table& table, const platform_record& sizes, std::uint64_t effort) -> allocation<Table::max_tasks>;
};

template <template <bool> class Board, class Table, const auto&... Variant>
[[nodiscard]] constexpr auto find_rtgpu_plan(const Table& table, const platform_record& sizes, std::uint64_t effort)
    -> allocation<Table::max_tasks> {
  return rtgpu_boards::with<Board>(sizes, [&](const auto& board) {
    auto a = analysis::detail::make_analysis<analysis::method_of<std::remove_cvref_t<decltype(board)>, chain_methods>>(
        board, table, Variant...);
    return a.fits(table, sizes) ? allocation<Table::max_tasks>{} : search_plan(a, exact_search, effort);
  });
}

}  // namespace detail

/// Lists the tests that Zou et al. 2021 compare in section 6, and takt's own second.
template <class Table>
inline constexpr std::array<detail::rtgpu_test<Table>, 5> rtgpu_tests{{
    {"rtgpu", detail::find_rtgpu_plan<rtgpu_boards::published, Table, analysis::rtgpu_published>},
    {"takt", detail::find_rtgpu_plan<rtgpu_boards::published, Table, analysis::rtgpu_best>},
    {"self_suspension", detail::find_rtgpu_plan<rtgpu_boards::one_at_a_time, Table>},
    {"busy_waiting", detail::find_rtgpu_plan<rtgpu_boards::spinning, Table>},
    {"enhanced_mpcp", detail::find_rtgpu_plan<rtgpu_boards::whole_gpu, Table>},
}};

}  // namespace takt::inline TAKT_ABI
