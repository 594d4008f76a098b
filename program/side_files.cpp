// SPDX-License-Identifier: Apache-2.0
#include "side_files.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "failure.hpp"
#include "text_file.hpp"

namespace takt::program {

void try_files(const std::vector<std::string>& inputs, const std::vector<side_file>& files) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (file->path.empty()) { continue; }
    const bool is_input =
        std::ranges::any_of(inputs, [&](const std::string& in) { return is_same_file(in, file->path); });
    if (is_input && !file->may_be_input) {
      throw input_error{file->option, "names the file that is read, which would be lost", "another name"};
    }
    for (auto other = files.begin(); other != file; ++other) {
      if (!other->path.empty() && is_same_file(other->path, file->path)) {
        throw input_error{file->option, fmt::format("names the file of {}, too", other->option), "another name"};
      }
    }
    try_file(file->path);
  }
}

void written_files::add(const std::string& path, const std::function<void()>& write) {
  faults_.erase(path);
  try {
    write();
  } catch (const environment_error& e) { faults_[path] = e.what; }
}

auto written_files::faults() const -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const auto& [path, fault] : faults_) { out.push_back(fault); }
  return out;
}

void written_files::require_all() const {
  if (!faults_.empty()) { throw environment_error{fmt::format("{}", fmt::join(faults(), "; "))}; }
}

}  // namespace takt::program
