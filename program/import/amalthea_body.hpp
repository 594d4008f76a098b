// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "located_xml.hpp"

namespace takt::program {

/// Cycles of a processing unit.
struct cycle_range {
  double lower = 0;
  double upper = 0;
};

/// Cycles of one item of a runnable: those of a kind of unit, or where it has none for that kind, those of any. Needs
/// are divided by the feature of the unit that is in their category.
struct amalthea_ticks {
  std::optional<cycle_range> on_any;
  std::map<std::string, cycle_range> by_kind;
  std::vector<std::pair<std::string, cycle_range>> needs;
};

/// What a task or a runnable does next.
struct amalthea_item {
  enum class kind : std::uint8_t {
    ticks,
    access,   ///< to the label `name`
    call,     ///< of the runnable `name`
    choice,   ///< of one of the branches
    trigger,  ///< of the inter-process stimulus `name`
    wait,     ///< for the event `name`
    set,      ///< of the event `name`
    lock,     ///< of the semaphore `name`
    unlock,
    event,  ///< triggers the custom event `name`
    other,  ///< a call of the operating system that does nothing but take time
  };

  kind what = kind::ticks;
  std::string name{};
  double times = 1;            ///< that it happens at most, of an access or a call
  bool writes = false;         ///< of an access
  bool busy = false;           ///< waits actively
  bool skipped = false;        ///< of a choice: maybe none of its branches
  std::string_view os_call{};  ///< what it asks of the operating system, as OsAPIOverhead calls it; empty: nothing
  amalthea_ticks ticks{};
  std::vector<std::vector<amalthea_item>> branches{};
  xml_element at;

  [[nodiscard]] auto takes_time() const -> bool {
    return what == kind::ticks || what == kind::access || what == kind::call || what == kind::choice;
  }
};

using amalthea_body = std::vector<amalthea_item>;

/// Calls f(item) of each item and of all branches, in their order.
template <class F>
void each_item(const amalthea_body& body, const F& f) {
  for (const amalthea_item& item : body) {
    f(item);
    for (const amalthea_body& branch : item.branches) { each_item(branch, f); }
  }
}

/// Whether f(item) holds of some item.
template <class F>
[[nodiscard]] auto any_item(const amalthea_body& body, const F& f) -> bool {
  bool out = false;
  each_item(body, [&](const amalthea_item& item) { out = out || f(item); });
  return out;
}

/// Cycles of an element, in the spelling of any schema. Throws `input_error`.
[[nodiscard]] auto read_ticks(const xml_element& of) -> amalthea_ticks;

/// The call graph of a task or a runnable, in the spelling of any schema. Items that the table of the metamodel leaves
/// out are not there. Throws `input_error`.
[[nodiscard]] auto read_body(const xml_element& of) -> amalthea_body;

}  // namespace takt::program
