// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>

#include "amalthea_body.hpp"
#include "located_xml.hpp"

namespace takt::program {

/// Names that an attribute refers to, without kinds, schemes and escapes.
[[nodiscard]] auto references(std::string_view value) -> std::vector<std::string>;
/// Of an attribute, or of elements of its name that refer to another file.
[[nodiscard]] auto all_references(const xml_element& of, const char* name) -> std::vector<std::string>;
/// Of an attribute that has to refer to one thing. Throws `input_error`.
[[nodiscard]] auto reference(const xml_element& of, const char* attribute) -> std::string;

[[nodiscard]] auto name_of(const xml_element& e) -> std::string;

/// Puts a value under the name of its element. Throws `input_error` where another one has it.
template <class T>
void add_named(std::map<std::string, T>& to, const xml_element& e, T value) {
  if (to.emplace(name_of(e), std::move(value)).second) { return; }
  throw e.error("has the name of another one", "a name of its own");
}

/// That an attribute names what is not there.
[[nodiscard]] auto dangling(const xml_element& at, std::string_view attribute, std::string_view name) -> input_error;

/// Whether a scheduling parameter, of the schemas that name it by a key or a definition, is a priority.
[[nodiscard]] auto is_priority(const xml_element& parameter) -> bool;

/// Throws `input_error` where the attribute is no number, or not in the range.
[[nodiscard]] auto real(const xml_element& of, const char* attribute, double least, double most) -> double;

/// Of elements with a `value`, 0 if there is none, and a `unit`. Throw `input_error` where a unit is missing or
/// unknown.
[[nodiscard]] auto time_of(const xml_element& e) -> ticks;
[[nodiscard]] auto hertz_of(const xml_element& e) -> double;
[[nodiscard]] auto bytes_of(const xml_element& e) -> std::int64_t;
[[nodiscard]] auto bytes_per_second_of(const xml_element& e) -> double;

inline constexpr double most_cycles = 1e15;

/// Cycles as a constant, as bounds, or as a histogram. Throws `input_error`.
[[nodiscard]] auto cycles_of(const xml_element& e) -> cycle_range;

/// A time as a text, such as "7200µs" of a parameter. Throws with `where`.
[[nodiscard]] auto time_in(const xml_element& where, std::string_view text) -> ticks;

}  // namespace takt::program
