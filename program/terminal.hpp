// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace takt::program {

/// `automatic`: on a terminal that shows colours, unless NO_COLOR is set.
enum class colours : std::uint8_t { automatic, always, never };

/// What `show` does from now on.
void choose_colours(colours wanted);

/// Prints text on standard output. On a terminal, sentences are wrapped at its width, and verdicts have colours.
void show(std::string_view text);

template <class... Values>
void say(fmt::format_string<Values...> form, Values&&... values) {
  show(fmt::format(form, std::forward<Values>(values)...));
}

}  // namespace takt::program
