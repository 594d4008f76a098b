// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/compositions.hpp>

#include "../file_platform.hpp"
#include "../question.hpp"

namespace takt::program {

/// Whether an analysis is about the rules that a file describes; baselines are about others on the same pools.
[[nodiscard]] constexpr auto keeps_rules(analysis_method m) noexcept -> bool {
  return m == analysis_method::rtgpu || m == analysis_method::rtgpu_sharper || m == analysis_method::rtgpu_best;
}

/// Calls `f` with the platform under the rules that the analysis is about. A protocol of tokens leaves no choice.
template <TokenGpuPlatform P, class F>
auto with_rules(const P& platform, analysis_method /*m*/, F f) {
  return f(platform);
}
template <class P, class F>
auto with_rules(const P& platform, analysis_method m, F f) -> decltype(f(platform)) {
  switch (m) {
    case analysis_method::rtgpu:
    case analysis_method::rtgpu_sharper:
    case analysis_method::rtgpu_best: break;
    case analysis_method::self_suspension: return f(one_at_a_time(platform));
    case analysis_method::busy_waiting: return f(spinning(platform));
    case analysis_method::enhanced_mpcp: return f(one_at_a_time_on_all_sms(platform));
  }
  return f(platform);
}

}  // namespace takt::program
