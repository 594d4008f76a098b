// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "amalthea_model.hpp"

namespace takt::program {

/// In nanoseconds.
struct time_range {
  double lower = 0;
  double upper = 0;

  friend void operator+=(time_range& a, const time_range& b) {
    a.lower += b.lower;
    a.upper += b.upper;
  }
};

/// Of a segment, by the type of core that it may run on.
using times_by_type = std::map<std::string, time_range>;

struct label_copy {
  time_range time;
  std::int64_t bytes = 0;
};

/// How long runnables take: their cycles, those of what they call, and on a core the cycles of their label accesses.
class amalthea_times {
 public:
  /// The model has to outlive it.
  amalthea_times(const amalthea_model& model, std::int64_t line_bytes);

  /// The name of the definition, and that of the core where it is not like the others of its kind.
  [[nodiscard]] auto type_of(const amalthea_unit& u) const -> std::string;
  /// Whose calls take time from now on; null: none do.
  void charge(const amalthea_system* system) { system_ = system; }
  /// Whether an item is a call of that operating system which takes time.
  [[nodiscard]] auto is_charged(const amalthea_item& item) const -> bool { return ticks_of_call(item) != nullptr; }
  /// Adds an item of a task, and drops the types that cannot run it. Throws `input_error` where none is left.
  void add(const amalthea_item& item, times_by_type& to);
  /// Throws `input_error` where the unit cannot run it.
  [[nodiscard]] auto on(const amalthea_unit& u, const amalthea_item& item) -> time_range;
  /// The longest of the runnables that a body calls itself, by type of core.
  [[nodiscard]] auto longest_call(const amalthea_body& body) -> times_by_type;
  /// The longest that a body, or what it calls, holds a semaphore of the name; nothing where it takes it and does not
  /// give it back in the same body.
  [[nodiscard]] auto longest_section(const amalthea_body& body, const std::string& semaphore, const amalthea_unit& u)
      -> std::optional<double>;
  /// Whether it has ticks for some core, not just for any unit.
  [[nodiscard]] auto is_for_cores(const std::string& runnable) const -> bool;
  /// Whether it has label accesses and nothing else, which on a GPU is a copy.
  [[nodiscard]] auto only_copies(const std::string& runnable) const -> bool;
  /// What it writes: at its shortest at the data rate of the GPU, at its longest a read and a write for each line, and
  /// what its calls of the operating system take.
  [[nodiscard]] auto copy(const std::string& runnable, const amalthea_unit& gpu) -> label_copy;

 private:
  static constexpr std::size_t max_call_depth = 500;

  [[nodiscard]] auto times(const std::string& runnable, const amalthea_unit& u, const xml_element& at)
      -> std::optional<time_range>;
  [[nodiscard]] auto times(const amalthea_item& item, const amalthea_unit& u) -> std::optional<time_range>;
  [[nodiscard]] auto own_times(const amalthea_item& item, const amalthea_unit& u) -> std::optional<time_range>;
  [[nodiscard]] auto times(const amalthea_body& body, const amalthea_unit& u) -> std::optional<time_range>;
  [[nodiscard]] auto bytes_of(const amalthea_item& access) const -> std::int64_t;
  [[nodiscard]] auto lines_of(const amalthea_item& access) const -> double;

  using ticks_of_calls = std::vector<amalthea_ticks>;
  /// Null where it is none, or one that takes no time.
  [[nodiscard]] auto ticks_of_call(const amalthea_item& item) const -> const ticks_of_calls*;

  const amalthea_model& model_;
  const amalthea_system* system_ = nullptr;
  std::int64_t line_bytes_;
  /// By operating system, runnable and unit.
  std::map<std::tuple<const amalthea_system*, std::string, std::string>, std::optional<time_range>> known_;
  /// By operating system, and runnable, semaphore and unit.
  std::map<std::pair<const amalthea_system*, std::string>, std::optional<double>> sections_;
  std::set<std::string> within_;  ///< calls that are followed
};

}  // namespace takt::program
