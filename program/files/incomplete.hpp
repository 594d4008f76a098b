// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt::program {

/// A kind of element that the file does not contain although the system has it.
struct omitted_kind {
  std::string kind;        ///< as the import that left it out calls it
  std::int64_t count = 0;  ///< how many of them there are
  std::string because;     ///< why it can make the system slower

  [[nodiscard]] friend auto operator==(const omitted_kind&, const omitted_kind&) -> bool = default;
};

struct workload_file;

/// Whether the file omits a kind that its user has not acknowledged. Nothing is proven of such a file.
[[nodiscard]] auto is_incomplete(const workload_file& file) -> bool;

/// One sentence for each kind that the user has not acknowledged.
[[nodiscard]] auto open_omissions(const workload_file& file) -> std::vector<std::string>;

/// One sentence for each kind that the user has acknowledged. A verdict presumes them.
[[nodiscard]] auto acknowledged_omissions(const workload_file& file) -> std::vector<std::string>;

/// What every answer about the file repeats: its notes, what it omits, and what its user has acknowledged.
[[nodiscard]] auto words_of_file(const workload_file& file) -> std::vector<std::string>;

}  // namespace takt::program
