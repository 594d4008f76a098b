// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace takt::program {

/// Text on standard error. What cannot be written there is left out: nobody who reads the answer waits for it.
template <class... Values>
void say_aside(fmt::format_string<Values...> form, Values&&... values) {
  const std::string text = fmt::format(form, std::forward<Values>(values)...);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

}  // namespace takt::program
