// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace takt::program {

inline constexpr std::size_t max_file_bytes = std::size_t{4} << 20;

/// The bytes of a file or pipe. Throws `input_error` when it cannot be read or is larger than the limit. On a terminal,
/// a pipe that nobody has opened for writing yet is named while it is waited for.
[[nodiscard]] auto read_text_file(const std::string& path, std::size_t most_bytes = max_file_bytes,
                                  std::string_view what = "task-set file") -> std::string;

/// Whether something of this name is there, be it a file or not.
[[nodiscard]] auto is_there(const std::string& path) -> bool;

/// Whether both names are of one file, or would be.
[[nodiscard]] auto is_same_file(const std::string& a, const std::string& b) -> bool;

/// Throws `environment_error` where `write_file` would fail from the start. Changes nothing.
void try_file(const std::string& path);

/// Lets `write` fill a file. It is written beside, brought to the disk and renamed, with the mode and the owner of the
/// old one, also where the name is a link to it: whatever happens, there is the old file or all of the new one. What is
/// no regular file is written as it is, and so is a file whose folder takes no new one or whose owner cannot be kept.
/// Throws `environment_error`.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// The same for who writes to a descriptor.
void write_descriptor(const std::string& path, const std::function<void(int descriptor)>& write);

}  // namespace takt::program
