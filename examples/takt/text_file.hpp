// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace takt::program {

inline constexpr std::size_t max_file_bytes = std::size_t{4} << 20;

/// The bytes of a file or pipe. Throws `input_error` when it cannot be read or is larger than the limit.
[[nodiscard]] auto read_text_file(const std::string& path, std::size_t most_bytes = max_file_bytes,
                                  std::string_view what = "task-set file") -> std::string;

/// Whether something of this name is there, be it a file or not.
[[nodiscard]] auto is_there(const std::string& path) -> bool;

/// Lets `write` fill a file. Throws `environment_error`.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace takt::program
