// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_scheduler.hpp>
#include <takt/systems/shares/run/messages.hpp>
#include <takt/systems/shares/run/share_client.hpp>

namespace share_test {

inline constexpr std::size_t max_tasks = 24;
using table_type = takt::application_set<max_tasks>;
using scheduler_type = takt::share_scheduler<max_tasks, takt::contention_predictor<max_tasks>>;

inline constexpr takt::ticks ms = 1'000'000;

/// Applications whose jobs take `work` alone on the whole GPU, the first one the most urgent.
inline void add(table_type& table, takt::ticks work, takt::ticks deadline, takt::ticks period, int memory = 1) {
  static constexpr const char* names[max_tasks] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
                                                   "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x"};
  const std::size_t i = table.size();
  (void)table.add({.name = names[i],
                   .period = period,
                   .deadline = deadline,
                   .priority = static_cast<std::int32_t>(max_tasks - i),
                   .alone = takt::wcet_row::scaling(work),
                   .request = {},
                   .memory = takt::memory_units{memory}});
}

inline auto scheduler_of(const table_type& table, const takt::share_rules& rules = takt::wamp2s_robust,
                         const takt::share_triggers& triggers = takt::every_change) -> scheduler_type {
  return {table, takt::contention_predictor<max_tasks>{table}, rules, triggers};
}

inline auto registration(const table_type& table, std::size_t i) -> takt::runtime::share_registration {
  const auto& t = table.tasks[i];
  return {.application = static_cast<std::uint16_t>(i),
          .priority = t.priority,
          .deadline = t.deadline,
          .period = t.period,
          .memory_units = static_cast<std::uint32_t>(t.memory.count())};
}

inline auto join_message(const table_type& table, std::size_t i) -> takt::runtime::share_message {
  const auto r = registration(table, i);
  return {.kind = takt::runtime::share_message_kind::join,
          .application = r.application,
          .memory_units = r.memory_units,
          .priority = r.priority,
          .deadline = r.deadline,
          .period = r.period};
}

/// Remembers what a manager replies.
struct letter_box {
  struct letter {
    std::size_t client = 0;
    takt::runtime::share_message message;
  };
  std::vector<letter> letters;

  void reply(std::size_t client, const takt::runtime::share_message& m) { letters.push_back({client, m}); }
  /// What has come since the last call.
  auto take() -> std::vector<letter> {
    std::vector<letter> out;
    out.swap(letters);
    return out;
  }
};

}  // namespace share_test
