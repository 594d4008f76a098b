// SPDX-License-Identifier: Apache-2.0
#include "amalthea_hardware.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "amalthea_values.hpp"

namespace takt::program {

namespace {

using std::string_view;

class hardware_reader {
 public:
  explicit hardware_reader(amalthea_model& to) : out_{to} {}

  void read_hardware(const xml_element& hw) {
    std::map<std::string, xml_element> kinds;
    std::map<std::string, double> clocks;
    std::map<std::string, double> features;
    for (const xml_element& d : hw.children("definitions")) {
      if (d.type() == "ProcessingUnitDefinition") { add_named(kinds, d, d); }
      if (d.type() == "CacheDefinition") {
        if (const xml_element e = d.child("lineSize")) { out_.line_bytes = std::max(out_.line_bytes, bytes_of(e)); }
      }
    }
    for (const xml_element& d : hw.children("coreTypes")) { add_named(kinds, d, d); }
    for (const xml_element& category : hw.children("featureCategories")) {
      for (const xml_element& f : category.children("features")) {
        features.emplace(fmt::format("{}/{}", name_of(category), name_of(f)), real(f, "value", 0, most_cycles));
      }
    }
    for (const xml_element& d : hw.children("domains")) {
      if (d.type() == "FrequencyDomain") {
        add_named(clocks, d, hertz_of(d.required_child("defaultValue", "a frequency")));
      }
    }
    read_structures(hw, kinds, clocks, features);
    for (const xml_element& system : hw.children("system")) {
      for (const xml_element& ecu : system.children("ecus")) {
        for (const xml_element& chip : ecu.children("microcontrollers")) { read_chip(chip, kinds); }
      }
    }
  }

 private:
  void read_structures(const xml_element& in, const std::map<std::string, xml_element>& kinds,
                       const std::map<std::string, double>& clocks, const std::map<std::string, double>& features) {
    for (const xml_element& s : in.children("structures")) { read_structures(s, kinds, clocks, features); }
    for (const xml_element& m : in.children("modules")) {
      if (m.type() != "ProcessingUnit") { continue; }
      amalthea_unit u{.name = name_of(m), .kind = reference(m, "definition"), .at = m};
      const auto kind = kinds.find(u.kind);
      if (kind == kinds.end()) { throw dangling(m, "definition", u.kind); }
      const auto clock = clocks.find(reference(m, "frequencyDomain"));
      if (clock == clocks.end()) { throw dangling(m, "frequencyDomain", m.attribute("frequencyDomain")); }
      u.hertz = clock->second;
      const string_view type = kind->second.attribute("puType");
      u.is_gpu = type == "GPU";
      for (const std::string& f : all_references(kind->second, "features")) {
        const auto found = features.find(f);
        if (found == features.end()) { throw dangling(kind->second, "features", f); }
        u.features[f.substr(0, f.find('/'))] = found->second;
        if (f.starts_with("SMs/")) { u.sms = static_cast<std::int32_t>(std::min(found->second, 1e6)); }
      }
      const auto accesses = m.children("accessElements");
      u.access_is_known = !accesses.empty();
      for (const xml_element& a : accesses) {
        u.access_is_known = u.access_is_known && a.child("readLatency") && a.child("writeLatency");
        if (const xml_element e = a.child("readLatency")) {
          u.read_cycles = std::max(u.read_cycles, cycles_of(e).upper);
        }
        if (const xml_element e = a.child("writeLatency")) {
          u.write_cycles = std::max(u.write_cycles, cycles_of(e).upper);
        }
        if (const xml_element e = a.child("dataRate")) {
          u.bytes_per_second = std::max(u.bytes_per_second, bytes_per_second_of(e));
        }
      }
      add_unit(std::move(u));
    }
  }

  /// Schema 0.7: cores of a microcontroller with a quartz.
  void read_chip(const xml_element& chip, const std::map<std::string, xml_element>& kinds) {
    std::map<std::string, double> clocks;
    for (const xml_element& q : chip.children("quartzes")) {
      add_named(clocks, q, hertz_of(q.required_child("frequency", "a frequency")));
    }
    for (const xml_element& core : chip.children("cores")) {
      amalthea_unit u{.name = name_of(core), .kind = reference(core, "coreType"), .at = core};
      const auto kind = kinds.find(u.kind);
      if (kind == kinds.end()) { throw dangling(core, "coreType", u.kind); }
      const xml_element prescaler = core.required_child("prescaler", "the clock of the core");
      const auto clock = clocks.find(reference(prescaler, "quartz"));
      if (clock == clocks.end()) { throw dangling(prescaler, "quartz", prescaler.attribute("quartz")); }
      const double ratio = prescaler.has("clockRatio") ? real(prescaler, "clockRatio", 1e-6, 1e6) : 1;
      u.hertz = clock->second * ratio;
      // Their runnables count instructions.
      constexpr const char* per_cycle = "instructionsPerCycle";
      if (kind->second.has(per_cycle)) { u.hertz *= real(kind->second, per_cycle, 1e-6, 1e6); }
      add_unit(std::move(u));
    }
  }

  void add_unit(amalthea_unit u) {
    if (u.hertz <= 0) { throw u.at.error("has no frequency above 0", "a frequency above 0"); }
    const bool twice = std::ranges::any_of(out_.units, [&](const amalthea_unit& o) { return o.name == u.name; });
    if (twice) { throw u.at.error("has the name of another one", "a name of its own"); }
    out_.units.push_back(std::move(u));
  }

  amalthea_model& out_;
};

}  // namespace

void read_hardware(const xml_element& hw, amalthea_model& to) { hardware_reader{to}.read_hardware(hw); }

}  // namespace takt::program
