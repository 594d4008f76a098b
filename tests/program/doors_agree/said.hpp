// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace takt_tests {

/// An answer of one door, in the words of `takt analyze --json`.
struct said {
  std::string refused{};  ///< why there is no verdict; then the rest is empty
  std::string status{};
  std::string method{};
  nlohmann::json plan{};
  nlohmann::json bounds = nlohmann::json::object();  ///< by the names of tasks, null where there is none
  nlohmann::json terms{};                            ///< of the bounds, by the names of tasks; null: the door says none
};

/// Returns the terms of the bounds in rows as `takt analyze --json` prints them.
[[nodiscard]] inline auto terms_of(const nlohmann::json& tasks) -> nlohmann::json {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& t : tasks) { out[t.at("name").get<std::string>()] = t.at("terms"); }
  return out;
}

/// Returns in what two answers differ; empty where they agree.
[[nodiscard]] inline auto difference(const said& a, const said& b) -> std::string {
  std::string out;
  const auto compare = [&out](const char* what, const std::string& x, const std::string& y) {
    if (x != y) { out += std::string{what} + ": " + x + " and " + y + "; "; }
  };
  compare("refused", a.refused.empty() ? "no" : "yes", b.refused.empty() ? "no" : "yes");
  compare("status", a.status, b.status);
  compare("method", a.method, b.method);
  compare("plan", a.plan.dump(), b.plan.dump());
  compare("bounds", a.bounds.dump(), b.bounds.dump());
  if (!a.terms.is_null() && !b.terms.is_null()) { compare("terms", a.terms.dump(), b.terms.dump()); }
  return out;
}

}  // namespace takt_tests
