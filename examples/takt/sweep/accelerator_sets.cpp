// SPDX-License-Identifier: Apache-2.0
#include "accelerator_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "../failure.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::int64_t most_sets = 1'000'000;

}  // namespace

auto accelerator_parameters(std::vector<parameter> own) -> std::vector<parameter> {
  std::vector<parameter> out{
      {"seed", "1", "of everything that is drawn"},
      {"sets", "100", "task sets per configuration and level"},
  };
  std::ranges::move(own, std::back_inserter(out));
  return out;
}

void apply_accelerator(const settings& s, experiment& e) {
  e.sets = s.number("sets", 1, most_sets);
  e.levels = s.levels("levels");
  if (const std::int64_t tasks = s.number("tasks", 1, 10); e.levels.front() < tasks || e.levels.back() > 1000) {
    throw input_error{"levels", "a utilization is out of range", "at least 0.001 per task and at most 1"};
  }
  e.level_name = "utilization";
  e.share_title = "accepted task sets (%)";
}

auto period_list(const settings& s, std::string_view name) -> generation::period_choices {
  generation::period_choices out;
  for (const std::int64_t units : s.numbers(name, 1, 1'000'000)) {
    if (!out.push_back(units * time_unit)) {
      throw input_error{std::string{name}, "is too long",
                        fmt::format("at most {} periods", generation::max_period_choices)};
    }
  }
  return out;
}

void draw(const generation::accelerator_set_options& o, std::uint64_t seed, std::uint64_t number, kernel_table& out) {
  if (generation::generate(o, seed, number, out) != model_fault::none) {
    throw environment_error{"a task set of this study cannot be drawn: this is a fault of takt, please report it"};
  }
}

auto set_number(std::int64_t level, std::int64_t index) -> std::uint64_t {
  return static_cast<std::uint64_t>(level * most_sets + index);
}

}  // namespace takt::program::sweep
