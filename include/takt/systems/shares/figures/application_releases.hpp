// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Says when the jobs of applications come: periodic ones at offset + k period, sporadic ones each up to a period late.
/// Equal arguments give equal releases everywhere. Source: Yao et al. 2022, section 6.2.4, for the airborne set.
template <std::size_t MaxTasks>
class application_releases {
 public:
  /// All at once, and periodic. The table outlives the releases.
  explicit constexpr application_releases(const application_set<MaxTasks>& table) : table_{&table} {}
  /// With offsets drawn within the periods. Applications beyond the end of `kinds` are periodic.
  template <std::size_t Count = 0>
    requires(Count <= MaxTasks)
  constexpr application_releases(const application_set<MaxTasks>& table, std::uint64_t seed,
                                 const std::array<synthetic_application, Count>& kinds = {})
      : table_{&table}, seed_{seed} {
    random_stream random{seed};
    for (std::size_t i = 0; i < table.size(); ++i) { offsets_[i] = random.below(table.tasks[i].period); }
    for (std::size_t i = 0; i < Count; ++i) { sporadic_[i] = kinds[i].releases == arrival::sporadic; }
  }

  /// Pre: (number + 2) periods fit.
  [[nodiscard]] constexpr auto release(std::size_t task, std::int64_t number) const -> ticks {
    const ticks period = table_->tasks[task].period;
    TAKT_EXPECTS(0 <= number && number <= std::numeric_limits<ticks>::max() / period - 2);
    return offsets_[task] +
           (sporadic_[task] ? sporadic_release(seed_, task, number, period, period / 2) : number * period);
  }

  /// Returns those of each application that come before an instant.
  [[nodiscard]] auto before(ticks until) const -> std::vector<std::vector<ticks>> {
    std::vector<std::vector<ticks>> out(table_->size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ticks at = release(i, 0);
      for (std::int64_t n = 1; at < until; at = release(i, n++)) { out[i].push_back(at); }
    }
    return out;
  }

 private:
  const application_set<MaxTasks>* table_;
  std::array<ticks, MaxTasks> offsets_{};
  std::array<bool, MaxTasks> sporadic_{};
  std::uint64_t seed_ = 0;
};

}  // namespace takt::inline TAKT_ABI::generation
