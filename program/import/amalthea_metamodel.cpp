// SPDX-License-Identifier: Apache-2.0
#include "amalthea_metamodel.hpp"

#include <algorithm>
#include <array>

namespace takt::program {

namespace {

using std::string_view;

constexpr string_view no_caller = "nothing in a model says who makes the call";
constexpr string_view copies = "data that stays the same is copied, which takes time";

constexpr auto values = std::to_array<harmless_values>({
    {"Label", "dataStability", "_undefined_ noProtection handledByModelElements", copies},
    {"LabelAccess", "dataStability", "_undefined_ inherited noProtection handledByModelElements", copies},
    {"LabelAccess", "implementation", "_undefined_ explicit", copies},
    {"OsAPIOverhead", "apiIocRead", "0", no_caller},
    {"OsAPIOverhead", "apiIocWrite", "0", no_caller},
    {"OsAPIOverhead", "apiResumeOsInterrupts", "0", no_caller},
    {"OsAPIOverhead", "apiSendMessage", "0", no_caller},
    {"OsAPIOverhead", "apiSuspendOsInterrupts", "0", no_caller},
    {"OsDataConsistency", "mode", "_undefined_ noProtection handledByModelElements", copies},
});

/// Calls f with each word until it returns true; whether it did.
template <class F>
[[nodiscard]] auto any_word(string_view words, const F& f) -> bool {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (f(words.substr(0, end))) { return true; }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

auto metamodel_values() -> std::span<const harmless_values> { return values; }

auto metamodel_class_named(string_view name) -> const metamodel_class* {
  const auto all = metamodel_classes();
  const auto found = std::ranges::lower_bound(all, name, {}, &metamodel_class::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

auto metamodel_feature_of(string_view owner, string_view name) -> const metamodel_feature* {
  const auto all = metamodel_features();
  const auto own = std::ranges::equal_range(all, owner, {}, &metamodel_feature::owner);
  const auto found = std::ranges::lower_bound(own, name, {}, &metamodel_feature::name);
  if (found != own.end() && found->name == name) { return &*found; }
  const auto* const of = metamodel_class_named(owner);
  const metamodel_feature* out = nullptr;
  if (of == nullptr) { return out; }
  (void)any_word(of->supers, [&](string_view super) {
    out = metamodel_feature_of(super, name);
    return out != nullptr;
  });
  return out;
}

auto is_kind_of(string_view name, string_view super) -> bool {
  if (name == super) { return true; }
  const auto* const of = metamodel_class_named(name);
  return of != nullptr && any_word(of->supers, [&](string_view s) { return is_kind_of(s, super); });
}

}  // namespace takt::program
