// SPDX-License-Identifier: Apache-2.0
#include "amalthea_audit.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "../json_value.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::size_t longest_name = 60;
constexpr string_view unknown_why = "it is unknown what it does";

/// Classes whose own properties tools give a meaning that no metamodel has.
constexpr string_view with_meaning[] = {"Process", "Runnable", "CallGraphItem", "Scheduler", "Stimulus", "Semaphore"};

class auditor {
 public:
  void visit(const xml_element& e, string_view type) {
    class_facts& of = facts_of(type);
    for (const pugi::xml_attribute& a : e.node().attributes()) {
      const string_view name = a.name();
      if (name.starts_with("xm") || name.starts_with("xsi:") || name == "href") { continue; }
      const metamodel_feature* const feature = feature_of(of, type, name);
      if (feature == nullptr) {
        count(fmt::format("unknown: {}.{}", type, one_line(name, longest_name)), treatment::left_out, unknown_why, e);
      } else if (feature->how != treatment::read) {
        add(e, *feature);
      } else {
        look_at_value(e, *feature, a.value());
      }
    }
    for (const xml_element& child : e.children()) { visit_child(child, of, type); }
  }

  [[nodiscard]] auto found() && -> std::vector<audited_kind> {
    std::vector<audited_kind> out;
    for (auto& [name, kind] : kinds_) { out.push_back(std::move(kind)); }
    std::ranges::stable_sort(out, {}, &audited_kind::first_line);
    return out;
  }

 private:
  struct class_facts {
    std::unordered_map<string_view, const metamodel_feature*> features;
    bool properties_count = false;
  };

  [[nodiscard]] auto facts_of(string_view type) -> class_facts& {
    const auto known = classes_.find(std::string{type});
    if (known != classes_.end()) { return known->second; }
    class_facts& out = classes_[std::string{type}];
    out.properties_count = std::ranges::any_of(with_meaning, [&](string_view s) { return is_kind_of(type, s); });
    return out;
  }
  /// Names point into the file, which outlives this.
  [[nodiscard]] static auto feature_of(class_facts& of, string_view type, string_view name)
      -> const metamodel_feature* {
    const auto known = of.features.find(name);
    if (known != of.features.end()) { return known->second; }
    const auto* const out = metamodel_feature_of(type, name);
    of.features.emplace(name, out);
    return out;
  }

  void visit_child(const xml_element& child, class_facts& of, string_view type) {
    const string_view tag = child.tag();
    const metamodel_feature* const feature = feature_of(of, type, tag);
    if (feature == nullptr) {
      count(fmt::format("unknown: {}.{}", type, one_line(tag, longest_name)), treatment::left_out, unknown_why, child);
      return;
    }
    if (tag == "customProperties") {
      look_at_property(child, of, type);
      return;
    }
    if (feature->how != treatment::read) {
      add(child, *feature);
      return;
    }
    if (feature->what != feature_kind::contained) { return; }
    const string_view said = child.type();
    const string_view name = said.empty() ? feature->type : said;
    const auto* const found = metamodel_class_named(name);
    if (found == nullptr || found->how == treatment::kind_of) {
      // A value whose class is left out is read where its place says enough.
      const bool plain = found != nullptr && said.empty() && child.node().first_child().empty();
      if (plain) { return; }
      count(fmt::format("unknown: {}", one_line(name, longest_name)), treatment::left_out, unknown_why, child);
      return;
    }
    switch (found->how) {
      case treatment::refused: throw child.error(std::string{found->why}, "another kind of element");
      case treatment::left_out:
      case treatment::harmless: count(std::string{name}, found->how, found->why, child); break;
      case treatment::read: visit(child, found->name); break;
      case treatment::kind_of: break;
    }
  }

  void look_at_property(const xml_element& property, const class_facts& of, string_view type) {
    const string_view key = property.attribute("key");
    const bool counts = of.properties_count && key != "priority";
    count(fmt::format("customProperties \"{}\" of {}", one_line(key, longest_name), type),
          counts ? treatment::left_out : treatment::harmless,
          counts ? "a tool may give such a property any meaning" : "", property);
  }

  void look_at_value(const xml_element& e, const metamodel_feature& feature, string_view value) {
    for (const harmless_values& v : metamodel_values()) {
      if (v.owner != feature.owner || v.name != feature.name) { continue; }
      const std::string padded = fmt::format(" {} ", v.values);
      if (padded.find(fmt::format(" {} ", value)) != std::string::npos) { return; }
      count(fmt::format("{}.{}={}", v.owner, v.name, one_line(value, longest_name)), treatment::left_out, v.why, e);
    }
  }

  void add(const xml_element& e, const metamodel_feature& feature) {
    if (feature.how == treatment::refused) { throw e.error(std::string{feature.why}, "no such element"); }
    count(fmt::format("{}.{}", feature.owner, feature.name), feature.how, feature.why, e);
  }
  void count(std::string name, treatment how, string_view why, const xml_element& e) {
    audited_kind& kind = kinds_[name];
    const std::size_t line = e.line();
    if (kind.count == 0) {
      kind = {.name = std::move(name), .how = how, .count = 0, .first_line = line, .why = std::string{why}};
    }
    kind.first_line = std::min(kind.first_line, line);
    ++kind.count;
  }

  std::map<std::string, class_facts, std::less<>> classes_;
  std::map<std::string, audited_kind, std::less<>> kinds_;
};

}  // namespace

auto audit(const xml_element& root) -> std::vector<audited_kind> {
  auditor out;
  out.visit(root, "Amalthea");
  return std::move(out).found();
}

}  // namespace takt::program
