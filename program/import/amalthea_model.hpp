// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <takt/core/number.hpp>

#include "../files/incomplete.hpp"
#include "amalthea_body.hpp"
#include "located_xml.hpp"

namespace takt::program {

struct amalthea_unit {
  std::string name;
  std::string kind;  ///< the name of its definition
  bool is_gpu = false;
  double hertz = 0;
  double read_cycles = 0;                    ///< to the memory, by access
  double write_cycles = 0;                   ///< the same
  bool access_is_known = false;              ///< how long each of its accesses takes
  double bytes_per_second = 0;               ///< to the memory; 0: not said
  std::int32_t sms = 0;                      ///< of a GPU; 0: not said
  std::map<std::string, double> features{};  ///< by category
  xml_element at;
};

struct amalthea_runnable {
  amalthea_body body;
  xml_element at;
};

struct amalthea_stimulus {
  enum class kind : std::uint8_t {
    periodic,
    sporadic,
    inter_process,  ///< released by triggers in other tasks
    event,          ///< released by events in other tasks
    unknown,        ///< nothing is said that could be used
  };

  kind what = kind::periodic;
  ticks period = 0;  ///< of a sporadic one the shortest time between two
  ticks jitter = 0;
  std::vector<ticks> offsets{0};      ///< of each release in a period
  std::vector<std::string> events{};  ///< that release it

  [[nodiscard]] auto by_time() const -> bool { return what == kind::periodic || what == kind::sporadic; }
};

/// What an event is about: whether it is a custom one, or the begin or end of a runnable, or an access to a label.
struct amalthea_event {
  enum class kind : std::uint8_t { custom, runnable, label, other };

  kind what = kind::other;
  std::string entity{};
  std::string type{};  ///< "start", "write"; empty: all
};

struct amalthea_semaphore {
  std::int64_t most = 0;
  bool has_ceiling = false;
  std::optional<bool> spins{};  ///< nothing: not said
};

/// An operating system, and what it takes time for.
struct amalthea_system {
  std::string name;
  /// Of a call the ticks; of one that may be one of several, each of theirs. What takes no time is not there.
  std::map<std::string, std::vector<amalthea_ticks>, std::less<>> calls{};
};

enum class amalthea_preemption : std::uint8_t { preemptive, cooperative, nonpreemptive, unsaid };

/// A task, or an interrupt service routine.
struct amalthea_task {
  std::string name;
  bool is_isr = false;
  amalthea_preemption preemption = amalthea_preemption::unsaid;
  int category = 0;  ///< of an interrupt service routine; 0: not said
  std::vector<std::string> stimuli;
  amalthea_body body;
  std::vector<std::string> units;        ///< where it may run; empty: not said
  std::optional<std::int64_t> priority;  ///< greater is more urgent
  ticks slice = 0;                       ///< of time on a GPU; 0: not said
  ticks deadline = 0;                    ///< 0: not said
  std::optional<std::size_t> system{};   ///< the operating system of its scheduler; nothing: not said
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
  std::int64_t line_bytes = 0;                      ///< of a cache line; 0: not said
  std::map<std::string, std::int64_t> label_bytes;  ///< -1: not said
  std::map<std::string, amalthea_runnable> runnables;
  std::map<std::string, amalthea_stimulus> stimuli;
  std::map<std::string, amalthea_event> events;
  std::map<std::string, amalthea_semaphore> semaphores;
  std::vector<amalthea_system> systems;
  std::vector<amalthea_task> tasks;
  std::vector<amalthea_chain> chains;
  std::string cpu_policy = "fixed-priority";
  std::map<std::string, std::vector<std::string>> schedulers;  ///< and the units that they are responsible for
  std::vector<omitted_kind> incomplete;
  std::vector<std::string> notes;

  /// Counts more of a kind that is left out although it can make the system slower.
  void omit(const std::string& kind, const std::string& because, std::int64_t count = 1);
  void note(std::string text);
  /// Null where no task has the name.
  [[nodiscard]] auto task_named(const std::string& name) const -> const amalthea_task*;
};

/// The files of one model, of the schemas 0.7 to 3.x as far as they agree. Throws `input_error` with line and element.
[[nodiscard]] auto read_amalthea(const std::vector<const xml_file*>& files) -> amalthea_model;

}  // namespace takt::program
