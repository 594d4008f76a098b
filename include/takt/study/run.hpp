// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>

#include <takt/study/count_units.hpp>
#include <takt/study/session.hpp>
#include <takt/study/study.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Counts the sets of a study on threads. Throws `refusal`, `failure`, and what the study throws.
[[nodiscard]] inline auto run(const study& what, settings used, const run_options& o = {}) -> result {
  const unsigned jobs = o.jobs > 0 ? o.jobs : std::max(1U, std::thread::hardware_concurrency());
  session s{what, std::move(used), o, jobs};
  detail::count_units(
      s.counts(), static_cast<unsigned>(std::min<std::size_t>(jobs, s.left())), s.designed().count,
      [&s] { return s.next(); },
      [&s](std::size_t index, std::span<const std::int64_t> found) { s.finished(index, found); });
  return s.take_result();
}

}  // namespace takt::inline TAKT_ABI::studies
