// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/trace.hpp>

namespace takt::program {

/// Adds up responses, and keeps the rest of what it hears if it is asked to.
class response_recorder {
 public:
  response_recorder(std::size_t tasks, trace* kept) : kept_{kept}, tasks_(tasks) {}

  void record(const slice& s) const {
    if (kept_ != nullptr) { kept_->record(s); }
  }
  void record(const mark& m) {
    if (kept_ != nullptr) { kept_->record(m); }
    if (m.what == mark_kind::release) { tasks_[m.task].released.push_back(m); }
    if (m.what == mark_kind::completion) {
      task& t = tasks_[m.task];
      while (t.released.front().job != m.job) { t.released.pop_front(); }
      t.sum += static_cast<double>(m.time - t.released.front().time);
    }
  }

  [[nodiscard]] auto mean_response(std::size_t i, std::int64_t jobs) const -> ticks {
    return jobs == 0 ? 0 : static_cast<ticks>(tasks_[i].sum / static_cast<double>(jobs));
  }

 private:
  struct task {
    std::deque<mark> released;  ///< of jobs that have not completed, but for the last
    double sum = 0;
  };

  trace* kept_;
  std::vector<task> tasks_;
};

}  // namespace takt::program
