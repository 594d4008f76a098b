// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace takt::program {

/// A file that a command writes beside its answer, and the option that asks for it. No path: it was not asked for.
struct side_file {
  std::string option;
  std::string path;
  bool may_be_input = false;
};

/// Looks, before the work begins, whether files can be written. Throws `environment_error`, and `input_error` where one
/// is a file that the command reads, or two are one.
void try_files(const std::vector<std::string>& inputs, const std::vector<side_file>& files);

/// Files that are written when the work is done. What fails is told behind the answer, which is not lost with them.
class written_files {
 public:
  /// `write` may throw `environment_error`. Of several calls for a file the last one counts.
  void add(const std::string& path, const std::function<void()>& write);

  [[nodiscard]] auto has_failed(const std::string& path) const -> bool { return faults_.contains(path); }
  /// A line for each.
  [[nodiscard]] auto faults() const -> std::vector<std::string>;
  /// Throws `environment_error` where some failed.
  void require_all() const;

 private:
  std::map<std::string, std::string> faults_;
};

}  // namespace takt::program
