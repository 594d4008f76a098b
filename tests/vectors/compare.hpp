// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "exact_number.hpp"

namespace takt_vectors {

using json = nlohmann::json;

/// The exact value of an integer or of a string "p" or "p/q"; nothing for anything else.
[[nodiscard]] auto exact_value(const json& value) -> std::optional<exact>;

/// A number in the spelling of the vector files.
[[nodiscard]] auto to_json(const exact& value) -> json;
[[nodiscard]] auto to_json(takt::ticks value) -> json;

/// The first place where `actual` differs from `expected`, as a JSON path with both values, or nothing. Keys that
/// `expected` lacks are not compared, nor are `ignored` paths (dotted, `*` for any element of a list or object). A key
/// that `actual` lacks reads as null.
[[nodiscard]] auto first_difference(const json& expected, const json& actual, const std::vector<std::string>& ignored)
    -> std::optional<std::string>;

}  // namespace takt_vectors
