// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>

#include "located_xml.hpp"

namespace takt::program {

/// Names that an attribute refers to, without kinds, schemes and escapes.
[[nodiscard]] auto references(std::string_view value) -> std::vector<std::string>;
/// Of an attribute that has to refer to one thing. Throws `input_error`.
[[nodiscard]] auto reference(const xml_element& of, const char* attribute) -> std::string;

/// Throws `input_error` where the attribute is no number, or not in the range.
[[nodiscard]] auto real(const xml_element& of, const char* attribute, double least, double most) -> double;

/// Of elements with a `value` and a `unit`. Throw `input_error` where one is missing or unknown.
[[nodiscard]] auto time_of(const xml_element& e) -> ticks;
[[nodiscard]] auto hertz_of(const xml_element& e) -> double;
[[nodiscard]] auto bytes_of(const xml_element& e) -> std::int64_t;
[[nodiscard]] auto bytes_per_second_of(const xml_element& e) -> double;

/// A time as a text, such as "7200µs" of a parameter. Throws with `where`.
[[nodiscard]] auto time_in(const xml_element& where, std::string_view text) -> ticks;

}  // namespace takt::program
