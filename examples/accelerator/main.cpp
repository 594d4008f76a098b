// SPDX-License-Identifier: Apache-2.0
//
// takt_accelerator [FOLDER]: an accelerator of two SMs whose kernels need one of them or both, after the examples of
// Zahaf and Lipari 2020. Prints the worst responses of Example 1 in two slots of fixed length and event by event, and
// draws into FOLDER what the examples and Figures 2 to 5 show: both schedules, where the jobs of a kernel find slot
// time, what is kept of that, and demand against supply for two sets on which two tests disagree.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "bounds.hpp"
#include "chunks.hpp"
#include "schedules.hpp"

namespace {

[[nodiscard]] auto write(const std::filesystem::path& file, const std::ostringstream& picture) -> bool {
  std::ofstream out{file, std::ios::binary};
  out << picture.str();
  if (!out.flush()) {
    std::cerr << file.string() << ": cannot be written\n";
    return false;
  }
  return true;
}

}  // namespace

auto main(int argc, char** argv) -> int {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  std::ostringstream schedules;
  std::ostringstream chunks;
  std::ostringstream longest;
  std::ostringstream bounds;
  if (!takt::pictures::draw_schedules(std::cout, schedules)) { return 1; }
  takt::pictures::draw_chunks(chunks);
  takt::pictures::draw_longest_chunks(longest);
  takt::pictures::draw_bounds(bounds);
  const bool written =
      write(folder / "accelerator_example2.svg", schedules) && write(folder / "accelerator_example3.svg", chunks) &&
      write(folder / "accelerator_example4.svg", longest) && write(folder / "accelerator_theorem5.svg", bounds);
  return written ? 0 : 1;
}
