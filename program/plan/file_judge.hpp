// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/allocation/synthesis/mapping_problem.hpp>

#include "../chain_bounds.hpp"
#include "../policies/policy_input.hpp"

namespace takt::program {

inline constexpr std::size_t max_places = 256;
inline constexpr std::size_t max_planned_cores = 64;
using file_mapping = system_mapping<max_tasks>;
using file_menu = task_menu<max_places>;

/// A document without what it has decided: cores, clusters, priorities and a plan.
[[nodiscard]] auto without_decisions(json_value document) -> json_value;

/// What a mapping makes of a file, and what is proven of it: a `MappingJudge`. What the document decides stays: cores
/// of tasks, priorities where all of them have some, and its plan. Rules are those of the list, all of
/// which keep tasks on cores.
class file_judge {
 public:
  static constexpr std::size_t max_tasks = program::max_tasks;

  /// `place_of_rules`: where the rules of processors are said. Pre: the document outlives it. Throws `input_error`.
  file_judge(const json_value& document, std::vector<rule_wishes> rules, const std::string& place_of_rules);

  [[nodiscard]] auto rules() const -> std::uint32_t { return static_cast<std::uint32_t>(rules_.size()); }
  [[nodiscard]] auto order_counts(const file_mapping& m) const -> bool;
  [[nodiscard]] auto proves(const file_mapping& m, std::int64_t permille) -> bool;
  [[nodiscard]] auto worst_chain(const file_mapping& m) -> reached_score;
  /// Pre: `menus` was called.
  [[nodiscard]] auto service(const file_mapping& m) const -> core_service;

  /// From now on chains are judged with the release offsets that are chosen for each mapping. Throws where the document
  /// has no chains.
  void choose_release_offsets(std::uint64_t seed);

  /// From now on `stop` is asked before each judgement of a mapping under a factor. Once it says so, nothing more is
  /// proven: what was proven before still counts, and `was_stopped`.
  void stop_by(std::function<bool()> stop) { stop_ = std::move(stop); }
  [[nodiscard]] auto was_stopped() const -> bool { return was_stopped_; }

  /// The places of each task that the document leaves open. Throws where there are too many.
  [[nodiscard]] auto menus() -> std::unique_ptr<inline_vector<file_menu, max_tasks>>;
  [[nodiscard]] auto core_types() const -> inline_vector<std::uint32_t, max_planned_cores>;

  /// What makes a task miss its deadline wherever it is and whatever the rules are, or all of them together where
  /// there is nothing to choose but cores that are equal. Pre: `menus` was called.
  [[nodiscard]] auto impossible() -> std::vector<report::miss_summary>;

  /// The document with a mapping in it, and with the offsets that go with it.
  [[nodiscard]] auto planned(const file_mapping& m) -> json_value;
  /// The document with a mapping in it.
  [[nodiscard]] auto with_mapping(const file_mapping& m) const -> json_value;
  [[nodiscard]] auto wishes_of(const file_mapping& m) const -> const rule_wishes& { return rules_[m.rules]; }

  /// Leaves out rules that need a fact which the file does not have, and says which and why. Throws where none is left.
  [[nodiscard]] auto drop_unjudged() -> std::vector<std::string>;

 private:
  struct mapped {
    file_mapping mapping;
    std::unique_ptr<workload_file> file;
    policy_input input;
  };

  auto prepare(const file_mapping& m) -> mapped&;
  /// Chains of a proven mapping, with the offsets that go with it. Empty where some has no bound.
  [[nodiscard]] auto chains_of(const file_mapping& m) -> std::vector<judged_chain>;
  [[nodiscard]] auto first_mapping() const -> file_mapping;
  /// Which type each core has.
  [[nodiscard]] auto core_kinds() const -> std::vector<std::uint32_t>;

  const json_value* document_;
  std::vector<rule_wishes> rules_;
  std::vector<task_options> options_;
  std::vector<core_facts> cores_;
  std::int32_t core_count_ = 0;
  bool greater_goes_first_ = false;
  bool fixes_order_ = false;                          ///< every task has its priority
  std::vector<std::optional<std::int32_t>> on_core_;  ///< of each task, where the document says it
  bool counts_responses_ = false;                     ///< what is proven depends on more than times on cores
  bool has_regions_ = false;                          ///< some CPU time cannot be preempted at any instant
  std::vector<std::vector<bool>> uses_devices_;       ///< of each task, by body
  std::unique_ptr<mapped> last_;
  std::function<bool()> stop_;
  bool was_stopped_ = false;
  std::optional<std::uint64_t> offsets_by_;  ///< the seed of their choice
};

}  // namespace takt::program
