// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>

namespace takt::simulation {

/// Keeps the response time of every completed job.
class response_log {
 public:
  explicit response_log(std::size_t tasks) : tasks_(tasks) {}

  void record(const slice& /*s*/) const noexcept {}
  void record(const mark& m) {
    if (m.what == mark_kind::release) { tasks_[m.task].releases.push_back(m.time); }
    if (m.what == mark_kind::completion) {
      log& t = tasks_[m.task];
      t.responses.push_back(m.time - t.releases[t.responses.size()]);
    }
  }

  /// In the order of the jobs.
  [[nodiscard]] auto responses(std::size_t task) const -> std::span<const ticks> { return tasks_[task].responses; }
  /// The least time within which so many hundredths of the jobs responded; `no_instant` if none completed.
  /// Pre: 0 < percent <= 100.
  [[nodiscard]] auto percentile(std::size_t task, std::int64_t percent) const -> ticks {
    std::vector<ticks> sorted = tasks_[task].responses;
    if (sorted.empty()) { return no_instant; }
    const auto jobs = static_cast<std::int64_t>(sorted.size());
    const auto at = sorted.begin() + (jobs * percent + 99) / 100 - 1;
    std::ranges::nth_element(sorted, at);
    return *at;
  }

 private:
  struct log {
    std::vector<ticks> releases;
    std::vector<ticks> responses;
  };

  std::vector<log> tasks_;
};

static_assert(TraceRecorder<response_log>);

}  // namespace takt::simulation
