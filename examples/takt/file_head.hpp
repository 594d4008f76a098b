// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fields.hpp"

namespace takt::program {

inline constexpr std::size_t max_tasks = 64;

/// What every kind of file begins with: checks "format" and returns "name", or nothing.
[[nodiscard]] auto read_head(const fields& top) -> std::string;

/// An array of at least one and at most so many things.
[[nodiscard]] auto require_list(const located& v, std::string_view things, std::size_t most) -> located;

/// "name" of an object, with at least one character.
[[nodiscard]] auto read_name(const fields& object, std::string_view allowed) -> std::string;

/// A member on the way from the document that `path` names ("gpus" of "platform"); null when a step is missing.
[[nodiscard]] auto look_up(const json_value& from, std::initializer_list<std::string_view> path) -> const json_value*;

/// The word under "sharing" of the first GPU; empty when there is none.
[[nodiscard]] auto sharing_of(const json_value& document) -> std::string_view;

}  // namespace takt::program
