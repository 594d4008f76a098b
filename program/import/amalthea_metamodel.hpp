// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace takt::program {

/// What an import makes of a class, an attribute, an element or a reference of the AMALTHEA metamodel.
enum class treatment : std::uint8_t {
  read,      ///< the file has it
  harmless,  ///< it cannot make the system slower; an import counts it
  left_out,  ///< it can make the system slower; the file lists it under "incomplete"
  refused,   ///< a model with it is not imported
  kind_of,   ///< of a class: it is abstract, and only its subclasses stand in models
};

enum class feature_kind : std::uint8_t { attribute, contained, reference };

struct metamodel_class {
  std::string_view name;
  std::string_view supers;  ///< separated by spaces
  treatment how;
  std::string_view why;       ///< it can make the system slower
  std::string_view versions;  ///< empty: it is in 0.9.5
};

struct metamodel_feature {
  std::string_view owner;
  std::string_view name;
  feature_kind what;
  std::string_view type;  ///< the class of a contained element that names none
  treatment how;
  std::string_view why;       ///< it can make the system slower
  std::string_view versions;  ///< empty: it is in 0.9.5
};

/// Values of an attribute, or of ticks, that is read which cannot make the system slower. Every other value is left
/// out.
struct harmless_values {
  std::string_view owner;
  std::string_view name;
  std::string_view values;  ///< separated by spaces
  std::string_view why;     ///< another one can make the system slower
};

/// All that an import knows, sorted by class and name.
[[nodiscard]] auto metamodel_classes() -> std::span<const metamodel_class>;
[[nodiscard]] auto metamodel_features() -> std::span<const metamodel_feature>;
[[nodiscard]] auto metamodel_values() -> std::span<const harmless_values>;

/// Null where there is none.
[[nodiscard]] auto metamodel_class_named(std::string_view name) -> const metamodel_class*;
/// Of the class or one it inherits from; null where there is none.
[[nodiscard]] auto metamodel_feature_of(std::string_view owner, std::string_view name) -> const metamodel_feature*;
/// Whether a class is another one or inherits from it.
[[nodiscard]] auto is_kind_of(std::string_view name, std::string_view super) -> bool;

}  // namespace takt::program
