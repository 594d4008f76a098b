// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../fields.hpp"

namespace takt::program {

/// What may stand under a key that chooses.
struct choice {
  std::string_view what;
  std::array<std::string_view, 16> all;

  [[nodiscard]] constexpr auto words() const -> std::span<const std::string_view> {
    std::size_t count = 0;
    while (count < all.size() && !all[count].empty()) { ++count; }
    return std::span{all}.first(count);
  }
};

namespace choices {

inline constexpr choice sharing{"a way of sharing a GPU",
                                {"isolated", "shared", "whole", "busy-waiting", "time-sliced", "fifo-blocks", "levels",
                                 "slots", "gang", "single-stream", "tokens", "shares"}};
inline constexpr choice cpu_policy{
    "a policy of CPUs",
    {"fixed-priority", "rate-monotonic", "deadline-monotonic", "edf", "nonpreemptive-fixed-priority",
     "nonpreemptive-rate-monotonic", "nonpreemptive-deadline-monotonic", "nonpreemptive-edf", "g-fixed-priority",
     "g-rate-monotonic", "g-deadline-monotonic", "g-edf", "g-fl", "g-fifo", "gel"}};
inline constexpr choice engine_policy{"a policy of an engine",
                                      {"nonpreemptive-fixed-priority", "nonpreemptive-rate-monotonic",
                                       "nonpreemptive-deadline-monotonic", "nonpreemptive-edf", "fifo"}};
inline constexpr choice job_order{"an order of jobs",
                                  {"edf", "fixed-priority", "rate-monotonic", "deadline-monotonic"}};
inline constexpr choice protocol{"a protocol of tokens", {"k-fmlp", "r2dglp", "ck-omlp"}};
inline constexpr choice cost_model{"a model of preemption costs", {"ideal", "race", "overhead"}};
inline constexpr choice gang_order{"an order of a gang", {"backfill", "strict"}};
inline constexpr choice engine_order{"an order of engines", {"fifo", "priority"}};
inline constexpr choice migration{"a way of migration", {"none", "peer-to-peer", "system-memory"}};
inline constexpr choice uncontended{"a use of GPUs without contention", {"shared", "dedicated"}};
inline constexpr choice share_rules{"a set of rules of shares", {"robust", "text", "literal"}};
inline constexpr choice share_triggers{"a trigger of shares", {"every-change", "workload-decrease"}};
inline constexpr choice kernel_width{"a width of a kernel", {"one-core", "all-cores"}};
inline constexpr choice preemption{"where a task can be preempted", {"preemptive", "cooperative", "nonpreemptive"}};
inline constexpr choice direction{"a direction of a copy", {"to-device", "to-host"}};
inline constexpr choice chain_semantics{"the communication of a chain", {"implicit", "explicit", "let"}};
inline constexpr choice plan_guards{"what becomes of guards", {"choose", "none"}};
inline constexpr choice on_late{"what a late system does", {"catch_up", "skip_late", "newest_only"}};

inline constexpr std::array all{&sharing,         &cpu_policy,     &engine_policy, &job_order,  &protocol,
                                &cost_model,      &gang_order,     &engine_order,  &migration,  &uncontended,
                                &share_rules,     &share_triggers, &kernel_width,  &preemption, &direction,
                                &chain_semantics, &plan_guards,    &on_late};

/// All words of a choice, as messages list them.
[[nodiscard]] auto listed(const choice& of) -> std::string;

}  // namespace choices

/// One of the words of a choice. Throws at any other, and says where a word of another choice belongs.
[[nodiscard]] auto read_word(const json_value& v, const choice& of) -> std::string_view;

/// What messages call an object of the format, and its keys.
struct object_keys {
  std::string_view what;
  std::vector<std::string_view> keys;
};

/// All objects of the format.
[[nodiscard]] auto all_objects() -> std::vector<object_keys>;

/// Throws where the value is no object, or has a key that is none of these, and names the nearest of all keys of the
/// format.
void require_keys(const json_value& v, const object_keys& of);

/// The position of a name. Throws where there is none: "... is no `thing` of ..., the nearest is ...".
[[nodiscard]] auto position_of(const json_value& v, std::string_view thing, std::span<const std::string_view> names,
                               std::string_view allowed) -> std::size_t;

}  // namespace takt::program
