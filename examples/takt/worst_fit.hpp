// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace takt::program {

/// Gives each of the tasks `free`, greatest demand first, the core with the least load so far, and returns a note that
/// names the choices, `what` being the word for cores. Pre: there is a core; `free` ascends.
template <class Tasks, class Demand>
[[nodiscard]] auto place_worst_fit(Tasks& tasks, const std::vector<std::size_t>& free, std::vector<double> load,
                                   std::string_view what, const Demand& demand) -> std::string {
  std::vector<std::size_t> order = free;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return demand(a) > demand(b); });
  for (const std::size_t i : order) {
    const auto least = std::ranges::min_element(load);
    tasks[i].core = static_cast<std::int32_t>(least - load.begin());
    *least += demand(i);
  }
  std::vector<std::string> chosen;
  for (const std::size_t i : free) { chosen.push_back(fmt::format("{} on {}", tasks[i].name, tasks[i].core)); }
  return fmt::format("{} chosen by this program, the file names none: {}", what, fmt::join(chosen, ", "));
}

}  // namespace takt::program
