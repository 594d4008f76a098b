// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/systems/accelerators/report/in_words.hpp>
#include <takt/systems/graphs/report/in_words.hpp>
#include <takt/systems/locked_gpus/report/in_words.hpp>
#include <takt/systems/rtgpu/report/in_words.hpp>
#include <takt/systems/shares/report/in_words.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Lists what systems say of policies that are known by their words at run time. Each has a `name`. Optional:
/// - `with_policy(question, f)`: calls f with a policy of its own and returns true where the question needs one;
/// - `each_analysis(f)`: calls f with the words of analyses that a question may name.
/// Beside it stand overloads of `method_words` and `run_of`, for tasks and boards as the system has them.
using systems_in_words = decltype(      // a line for each system
    methods<rtgpu_in_words>{} +         // rtgpu
    methods<accelerators_in_words>{} +  // accelerators
    methods<graphs_in_words>{} +        // graphs
    methods<shares_in_words>{} +        // shares
    methods<locked_gpus_in_words>{} +   // locked_gpus
    methods<>{});

template <class... Systems, class F>
void each_system(methods<Systems...> /*list*/, const F& f) {
  (f(Systems{}), ...);
}

}  // namespace detail

/// Returns whether a system is there, by the name of its folder.
[[nodiscard]] inline auto has_system(std::string_view name) -> bool {
  bool out = false;
  detail::each_system(detail::systems_in_words{}, [&](const auto& system) { out = out || system.name == name; });
  return out;
}

/// Calls f with the word of each published analysis that a question may ask alone.
template <class F>
void each_analysis_word(const F& f) {
  detail::each_system(detail::systems_in_words{}, [&](const auto& system) {
    if constexpr (requires { system.each_analysis(f); }) { system.each_analysis(f); }
  });
}

}  // namespace takt::inline TAKT_ABI::report
