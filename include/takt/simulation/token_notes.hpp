// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Holds what is known of tokens while a run goes on: holds that are over, and what sections wait for or hold. Tokens
/// of a pool are alike; a job that gets one has the lowest that is free.
class token_notes {
 public:
  template <class Table>
  explicit token_notes(const Table& table) {
    for (const visit_section& s : table.sections) {
      open_.push_back({.task = s.task, .pool = static_cast<std::int32_t>(s.tokens), .token = none});
    }
  }

  [[nodiscard]] auto task_of(std::uint32_t section) const -> std::uint32_t { return open_[section].task; }
  void note(std::uint32_t section, std::uint64_t job, host::token_event what, ticks now) {
    token_hold& x = open_[section];
    switch (what) {
      case host::token_event::asked:
        x.job = job;
        x.asked = now;
        return;
      case host::token_event::got:
        x.start = now;
        x.token = free_of(x.pool);
        held_.insert({x.pool, x.token});
        return;
      case host::token_event::gave_back:
        x.end = now;
        held_.erase({x.pool, x.token});
        over_.push_back(x);
        x.token = none;
        return;
    }
  }
  /// Calls f for each hold; those that go on end at `end`.
  template <class F>
  void each(ticks end, const F& f) const {
    for (const token_hold& x : over_) { f(x); }
    for (token_hold x : open_) {
      if (x.token == none) { continue; }
      x.end = end;
      f(x);
    }
  }

 private:
  static constexpr std::int32_t none = -1;

  [[nodiscard]] auto free_of(std::int32_t pool) const -> std::int32_t {
    std::int32_t token = 0;
    while (held_.contains({pool, token})) { ++token; }
    return token;
  }

  std::vector<token_hold> open_;  ///< by section
  std::vector<token_hold> over_;
  std::set<std::pair<std::int32_t, std::int32_t>> held_;  ///< pool and token
};

}  // namespace takt::inline TAKT_ABI::simulation
