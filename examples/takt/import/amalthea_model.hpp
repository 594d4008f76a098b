// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <takt/core/number.hpp>

#include "located_xml.hpp"

namespace takt::program {

/// Cycles of a processing unit.
struct cycle_range {
  double lower = 0;
  double upper = 0;
};

struct amalthea_unit {
  std::string name;
  std::string kind;  ///< the name of its definition
  bool is_gpu = false;
  double hertz = 0;
  double read_cycles = 0;       ///< to the memory, by access
  double write_cycles = 0;      ///< the same
  double bytes_per_second = 0;  ///< to the memory; 0: not said
  std::int32_t sms = 0;         ///< of a GPU; 0: not said
  xml_element at;
};

struct label_access {
  std::string label;
  bool writes = false;
};

/// Cycles of one item of a runnable: those of a kind of unit, or where it has none for that kind, those of any.
struct amalthea_ticks {
  std::optional<cycle_range> on_any;
  std::map<std::string, cycle_range> by_kind;

  /// Null where a unit of that kind cannot run it.
  [[nodiscard]] auto on(const std::string& kind) const -> const cycle_range* {
    const auto own = by_kind.find(kind);
    if (own != by_kind.end()) { return &own->second; }
    return on_any ? &*on_any : nullptr;
  }
};

struct amalthea_runnable {
  std::vector<amalthea_ticks> ticks;
  std::vector<label_access> accesses;
  std::vector<std::string> calls;  ///< other runnables
  xml_element at;
};

/// What a task does next.
struct amalthea_step {
  enum class kind : std::uint8_t {
    runnable,  ///< calls the runnable `name`
    trigger,   ///< of the inter-process stimulus `name`
    wait,      ///< for the event `name`
    set,       ///< of the event `name`
  };

  kind what = kind::runnable;
  std::string name;
  bool busy = false;  ///< waits actively
  xml_element at;

  [[nodiscard]] auto runs() const -> bool { return what == kind::runnable; }
  [[nodiscard]] auto triggers() const -> bool { return what == kind::trigger; }
};

struct amalthea_stimulus {
  enum class kind : std::uint8_t { periodic, sporadic, inter_process };

  kind what = kind::periodic;
  ticks period = 0;  ///< of a sporadic one the shortest time between two
  ticks offset = 0;
  ticks jitter = 0;
};

struct amalthea_task {
  std::string name;
  std::vector<std::string> stimuli;
  std::vector<amalthea_step> steps;
  std::vector<std::string> units;        ///< where it may run; empty: not said
  std::optional<std::int64_t> priority;  ///< greater is more urgent
  ticks slice = 0;                       ///< of time on a GPU; 0: not said
  ticks deadline = 0;                    ///< 0: not said
  xml_element at;
  std::optional<xml_element> allocation{};
};

/// An event chain, as the tasks that its events are about, in the order of the events and each once in a row.
struct amalthea_chain {
  std::string name;
  std::vector<std::string> tasks;
  ticks reaction = 0;  ///< the limit; 0: none
  ticks age = 0;
};

/// What a model says of what takt can use, by names. References to what is not there are faults.
struct amalthea_model {
  int major = 0;  ///< of the schema
  std::vector<amalthea_unit> units;
  std::int64_t line_bytes = 0;  ///< of a cache line; 0: not said
  std::map<std::string, std::int64_t> label_bytes;
  std::map<std::string, amalthea_runnable> runnables;
  std::map<std::string, amalthea_stimulus> stimuli;
  std::vector<amalthea_task> tasks;
  std::vector<amalthea_chain> chains;
  std::string cpu_policy = "fixed-priority";
  std::map<std::string, std::vector<std::string>> schedulers;  ///< and the units that they are responsible for
  std::vector<std::string> notes;
};

/// Reads schemas 0.7 to 3.x as far as they agree. Throws `input_error` with line and element.
[[nodiscard]] auto read_amalthea(const xml_file& file) -> amalthea_model;

}  // namespace takt::program
