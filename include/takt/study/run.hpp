// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <takt/study/count_units.hpp>
#include <takt/study/journal.hpp>
#include <takt/study/progress.hpp>
#include <takt/study/shard.hpp>
#include <takt/study/study.hpp>

namespace takt::studies {

struct run_options {
  unsigned jobs = 0;            ///< threads; 0: one per hardware thread
  shard part{};                 ///< the counts are complete once all parts are
  std::string folder{};         ///< of journals: what is found is kept there, and what is there is not done again
  bool shows_progress = false;  ///< on standard error
  const std::atomic<bool>* stop = nullptr;  ///< see `interruption`; no further unit is begun
};

/// What a study found, with everything that it takes to repeat it. Its files depend on the study and its settings
/// alone.
struct result {
  std::string_view name;  ///< of the study
  settings used;
  experiment designed;
  tally counts;
};

/// Counts the sets of a study on threads. Throws `refusal`, `failure`, and what the study throws.
[[nodiscard]] inline auto run(const study& what, settings used, const run_options& o = {}) -> result {
  experiment designed = what.design(used);
  tally sized{designed.size()};
  result out{what.name, std::move(used), std::move(designed), std::move(sized)};
  tally& counts = out.counts;
  std::optional<journal> kept;
  if (!o.folder.empty()) {
    kept.emplace(o.folder, out.name, o.part, out.used.fingerprint(), counts.columns(),
                 [&counts](std::size_t index, std::span<const std::int64_t> found) {
                   if (index < counts.units()) { counts.add(index, found); }
                 });
  }
  std::optional<progress_bar> bar;
  if (o.shows_progress) { bar.emplace(out.name, counts); }
  const std::atomic<bool> never{false};
  count_units(counts, units_to_do(counts, o.part),
              o.jobs > 0 ? o.jobs : std::max(1U, std::thread::hardware_concurrency()),
              o.stop == nullptr ? never : *o.stop, out.designed.count,
              [&](std::size_t index, std::span<const std::int64_t> found) {
                if (kept) { kept->append(index, found); }
                counts.add(index, found);
                if (bar) { bar->show(); }
              });
  if (bar) { bar->finish(); }
  return out;
}

}  // namespace takt::studies
