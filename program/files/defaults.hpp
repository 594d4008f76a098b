// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload_file.hpp"

namespace takt::program {

/// What becomes of a key that a file leaves out.
enum class when_missing : std::uint8_t {
  refused,   ///< by the reader, or by every rule that needs it
  worst,     ///< the worst that it could say is assumed
  assumed,   ///< something is assumed that may be better than what is true
  chosen,    ///< by the program, which prints it
  claimed,   ///< the file says it itself by leaving out the key
  harmless,  ///< no verdict depends on it
};

/// One key of the format. `taken` continues "where it is not said, it": "is 0".
struct default_row {
  std::string_view object;
  std::string_view key;
  when_missing effect = when_missing::refused;
  std::string_view taken;
};

/// Of every key of every object, object by object.
[[nodiscard]] auto defaults() -> std::span<const default_row>;

/// The table of the documentation.
[[nodiscard]] auto defaults_page() -> std::string;

/// The keys that a file leaves out and of which something is assumed or chosen, each once. Pre: it was read.
[[nodiscard]] auto unsaid_keys(const json_value& document, const workload_file& file) -> std::vector<unsaid_key>;

/// "Where it is not said, ...": one sentence, with the key in quotes.
[[nodiscard]] auto assumption_of(const unsaid_key& key) -> std::string;

}  // namespace takt::program
