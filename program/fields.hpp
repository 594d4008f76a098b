// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/report/nearest.hpp>

#include "json_value.hpp"

namespace takt::program {

using report::nearest;

/// The member of an object. Throws `input_error` when there is none.
[[nodiscard]] auto require(const json_value& object, std::string_view key, std::string_view allowed)
    -> const json_value&;
/// Throws: the value is of a kind that cannot stand here.
[[noreturn]] void refuse_kind(const json_value& v, std::string_view allowed);

/// Readers of one value each, of text with control characters as JSON spells them. They throw `input_error`.
[[nodiscard]] auto read_text(const json_value& v, std::string_view allowed) -> std::string;
/// "name" of an object, with at least one character.
[[nodiscard]] auto read_name(const json_value& object, std::string_view allowed) -> std::string;
[[nodiscard]] auto read_integer(const json_value& v, std::int64_t least, std::int64_t most) -> std::int64_t;
[[nodiscard]] auto read_count(const json_value& v, std::int32_t most) -> std::int32_t;
[[nodiscard]] auto read_boolean(const json_value& v) -> bool;
/// Whole nanoseconds, or decimal text with a unit that comes to a whole number of them. May be negative.
[[nodiscard]] auto read_time(const json_value& v) -> ticks;
/// The same, but at least so long.
[[nodiscard]] auto read_time_from(const json_value& v, ticks least) -> ticks;
/// [lower, upper], or T for [0, T], neither negative nor reversed.
[[nodiscard]] auto read_span(const json_value& v) -> interval<ticks>;
/// "9/5", 2, 1.8 or "1.8" as an exact fraction with a positive denominator.
[[nodiscard]] auto read_ratio(const json_value& v) -> std::pair<std::int64_t, std::int64_t>;
/// The items of an array that has at least one.
[[nodiscard]] auto require_array(const json_value& v, std::string_view allowed) -> const std::vector<json_value>&;
/// At least one and at most so many things.
[[nodiscard]] auto require_list(const json_value& v, std::string_view things, std::size_t most)
    -> const std::vector<json_value>&;

}  // namespace takt::program
