// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/study.hpp>

namespace takt::test {

/// Draws a number for each set; it is low more often the higher the level. Two configurations, 25 sets at 3 levels.
[[nodiscard]] inline auto small_study() -> studies::study {
  using namespace studies;
  return {"small",
          "numbers",
          {"Numbers", "load", "load (share)", "accepted (%)", {"rule"}, {"low", "drawn"}, measure::sets},
          {{"seed", "1", "of everything"}, {"sets", "25", "per point", 1, 1000}, {"levels", "0.5,1,1.5", "of load"}},
          [](const settings& s, experiment& e) {
            for (const char* rule : {"fifo", "edf"}) {
              e.add_series(rule);
              e.add_panel(rule);
              e.draw(0, "low", 1, stroke::dashed);
            }
            e.count = set_by_set([seed = s.seed()](const unit& u, std::int64_t i, row counts) {
              random_stream random{seed + u.number(i) + u.series};
              counts[0] += random.below(2000) < u.level ? 1 : 0;
              ++counts[1];
            });
            e.remarks = [](const tally& t) { return std::vector{"units: " + std::to_string(t.units())}; };
          }};
}

[[nodiscard]] inline auto csv_of(const studies::result& r) -> std::string {
  std::ostringstream out;
  studies::write_csv(out, r);
  return out.str();
}

[[nodiscard]] inline auto bytes_of(const std::filesystem::path& path) -> std::string {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A folder of its own, empty, that goes at the end.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& name)
      : path_{std::filesystem::temp_directory_path() / ("takt-study-" + name)} {
    std::filesystem::remove_all(path_);
  }
  scratch_folder(const scratch_folder&) = delete;
  auto operator=(const scratch_folder&) -> scratch_folder& = delete;
  ~scratch_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] auto name() const -> std::string { return path_.string(); }
  [[nodiscard]] auto file(const std::string& name) const -> std::filesystem::path { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace takt::test
