// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/core/number.hpp>
#include <takt/model/chain_stage.hpp>
#include <takt/report/json.hpp>
#include <takt/report/table.hpp>
#include <takt/simulation/observed_chain.hpp>

namespace takt::inline TAKT_ABI::report {

/// Says whether a task's jobs wait for those of the task before it in a chain, as its bound assumes, or why not.
struct chain_wait {
  std::string consumer;
  std::string producer;
  wait_obstacle obstacle = wait_obstacle::none;
};

/// Holds what is known of a cause-effect chain, as plain values.
struct chain_summary {
  std::string name;
  std::vector<std::string> tasks;
  std::vector<communication> semantics;  ///< of each task
  std::vector<chain_wait> waits{};       ///< of neighbours that read at starts and give at ends
  chain_latency bound{};
  std::string why;        ///< there is no bound: one sentence
  std::string condition;  ///< the bound holds only if this does, which is not proven: one sentence
  std::optional<observed_latency> seen{};
  std::optional<ticks> reaction_limit{};
  std::optional<ticks> age_limit{};

  [[nodiscard]] auto bounded() const noexcept -> bool { return why.empty() && bound.bounded(); }
  [[nodiscard]] auto limited() const noexcept -> bool { return reaction_limit || age_limit; }
  /// Returns whether it is the age that is to be short: only that has a limit.
  [[nodiscard]] auto counts_age() const noexcept -> bool { return age_limit && !reaction_limit; }
  /// Returns whether all limits are proven.
  [[nodiscard]] auto meets() const noexcept -> bool {
    return bounded() && condition.empty() && (!reaction_limit || bound.reaction <= *reaction_limit) &&
           (!age_limit || bound.age <= *age_limit);
  }
  /// Returns whether a run went beyond a limit.
  [[nodiscard]] auto misses() const noexcept -> bool {
    return seen && ((reaction_limit && seen->reaction > *reaction_limit) || (age_limit && seen->age > *age_limit));
  }
  /// Returns whether a run went beyond what is proven.
  [[nodiscard]] auto contradicted() const noexcept -> bool {
    return bounded() && condition.empty() && seen &&
           (seen->reaction > bound.reaction || seen->age > bound.age || seen->age_at_output > bound.age_at_output ||
            seen->first_read_to_output > bound.first_read_to_output);
  }
};

/// Describes a latency of a chain: its name in files and tables, where its values are, and what it is.
struct chain_figure {
  std::string_view key;
  std::string_view head;
  ticks chain_latency::* bound;
  ticks observed_latency::* seen;
  std::string_view definition;
};

inline constexpr std::array<chain_figure, 4> chain_figures{
    chain_figure{"first_read_to_output", "first to output", &chain_latency::first_read_to_output,
                 &observed_latency::first_read_to_output,
                 "from a read of the first task to the first output that has its data or newer"},
    chain_figure{"reaction", "reaction", &chain_latency::reaction, &observed_latency::reaction,
                 "from any change, the worst just after a read, to the first output that knows of it"},
    chain_figure{"age_at_output", "age at output", &chain_latency::age_at_output, &observed_latency::age_at_output,
                 "from the read of the data in an output to that output"},
    chain_figure{"age", "age", &chain_latency::age, &observed_latency::age,
                 "from the read of the data in an output until the next output replaces it"}};

/// Returns "x starts when y has ended": what the bound of a chain counts on; empty where on nothing.
[[nodiscard]] inline auto wait_words(const chain_summary& c) -> std::string {
  std::vector<std::string> all;
  for (const chain_wait& w : c.waits) {
    if (w.obstacle == wait_obstacle::none) { all.push_back(w.consumer + " starts when " + w.producer + " has ended"); }
  }
  return all.empty() ? "" : joined(all);
}

namespace detail {

/// Returns the word for all tasks of a chain, or "mixed".
[[nodiscard]] inline auto semantics_word(const chain_summary& c) -> std::string_view {
  const bool one = std::ranges::all_of(c.semantics, [&](communication s) { return s == c.semantics[0]; });
  if (!one) { return "mixed"; }
  return c.semantics.empty() ? "" : name_of(c.semantics[0]);
}

}  // namespace detail

/// Bounds in milliseconds with what a run has shown behind them, limits, and the answer.
[[nodiscard]] inline auto chain_table(const std::vector<chain_summary>& chains) -> table {
  table out{.heads = {"chain", "semantics"}};
  for (const chain_figure& f : chain_figures) {
    out.heads.push_back(std::string{f.head} + " ms");
    out.heads.emplace_back("seen ms");
  }
  out.heads.emplace_back("limits ms");
  out.heads.emplace_back("meets");
  for (const chain_summary& c : chains) {
    std::vector<std::string> row{c.name, std::string{detail::semantics_word(c)}};
    for (const chain_figure& f : chain_figures) {
      row.push_back(c.bounded() ? in_milliseconds(c.bound.*f.bound) : "-");
      row.push_back(c.seen ? in_milliseconds((*c.seen).*f.seen) : "-");
    }
    std::vector<std::string> limits;
    if (c.reaction_limit) { limits.push_back("reaction " + in_milliseconds(*c.reaction_limit)); }
    if (c.age_limit) { limits.push_back("age " + in_milliseconds(*c.age_limit)); }
    row.push_back(limits.empty() ? "-" : joined(limits));
    row.emplace_back(c.misses() ? "no" : !c.meets() ? "not proven" : c.limited() ? "yes" : "bounded");
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Writes one `takt-chains/1` object on a line. Times are nanoseconds; what is not known is null.
inline void write_chains_json(std::ostream& out, const std::vector<chain_summary>& chains,
                              const std::vector<std::string>& assumptions) {
  json_writer json{out};
  json.begin_object().member("format", "takt-chains/1").key("chains").begin_array();
  for (const chain_summary& c : chains) {
    json.begin_object().member("name", c.name).member("semantics", detail::semantics_word(c));
    json.key("semantics_of_tasks").begin_array();
    for (const communication s : c.semantics) { json.value(name_of(s)); }
    json.end_array().key("tasks").begin_array();
    for (const std::string& t : c.tasks) { json.value(t); }
    json.end_array().key("waits").begin_array();
    for (const chain_wait& w : c.waits) {
      const bool used = w.obstacle == wait_obstacle::none;
      json.begin_object().member("consumer", w.consumer).member("producer", w.producer).member("used", used);
      if (!used) { json.member("because", name_of(w.obstacle)); }
      json.end_object();
    }
    json.end_array();
    const auto time = [&](std::string_view key, std::optional<ticks> t) {
      if (t) {
        json.member(key, *t);
      } else {
        json.member(key, nullptr);
      }
    };
    for (const chain_figure& f : chain_figures) {
      json.key(f.key).begin_object();
      time("bound", c.bounded() ? std::optional{c.bound.*f.bound} : std::nullopt);
      time("seen", c.seen ? std::optional{(*c.seen).*f.seen} : std::nullopt);
      json.member("definition", f.definition).end_object();
    }
    json.member("exact", c.bounded() && c.bound.exact).key("limit").begin_object();
    time("reaction", c.reaction_limit);
    time("age", c.age_limit);
    json.end_object().member("meets", c.meets());
    if (!c.why.empty()) { json.member("why", c.why); }
    if (!c.condition.empty()) { json.member("condition", c.condition); }
    json.end_object();
  }
  json.end_array().key("assumptions").begin_array();
  for (const std::string& a : assumptions) { json.value(a); }
  json.end_array().end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::report
