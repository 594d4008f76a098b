// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "study.hpp"

namespace takt::program::sweep {

/// Gets the number and the counts of a unit.
using unit_receiver = std::function<void(std::size_t, std::span<const std::int64_t>)>;

/// Which part of a sweep is this process's own: part `index` of `count`, counted from 1.
struct shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// What a sweep has found so far, in a folder: one file per shard to which finished units are appended, a line each.
/// Every line carries a checksum, so a process may be killed at any moment: a torn last line counts as not written.
/// Journals of several machines may be put into one folder.
class journal {
 public:
  /// Opens this shard's file and reads every journal of the study in the folder; `receive` gets each finished unit.
  /// Throws `input_error` when a journal belongs to other parameters, and `environment_error` when the folder cannot be
  /// used or another process appends to the same file.
  journal(const std::string& folder, std::string_view study, const shard& part, const std::string& fingerprint,
          std::size_t columns, const unit_receiver& receive);
  journal(const journal&) = delete;
  auto operator=(const journal&) -> journal& = delete;
  ~journal();

  /// Throws `environment_error`.
  void append(std::size_t index, std::span<const std::int64_t> counts);

 private:
  void write_line(const std::string& text);

  std::string path_;
  int file_ = -1;
};

}  // namespace takt::program::sweep
