// SPDX-License-Identifier: Apache-2.0
#include "applications.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace takt::shares_example {
namespace {

constexpr ticks longest = 3'600'000;

[[nodiscard]] auto milliseconds(std::string_view text, const std::string& whole) -> ticks {
  ticks value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > longest) {
    throw std::invalid_argument(whole + ": times are whole milliseconds from 1 to 3600000");
  }
  return value * 1'000'000;
}

}  // namespace

application_set::application_set(const std::vector<std::string>& descriptions) {
  for (const auto& one : descriptions) { add(one); }
  if (table_.size() == 0) { throw std::invalid_argument("there is no application"); }
  if (validate(table_)) { throw std::invalid_argument("two applications have the same name"); }
}

void application_set::add(const std::string& description) {
  const auto first = description.find(':');
  const auto second = first == std::string::npos ? first : description.find(':', first + 1);
  if (first == 0 || second == std::string::npos) {
    throw std::invalid_argument(description + ": an application is NAME:WORK:PERIOD");
  }
  const std::string_view text{description};
  const ticks work = milliseconds(text.substr(first + 1, second - first - 1), description);
  const ticks period = milliseconds(text.substr(second + 1), description);
  names_.push_back(description.substr(0, first));
  const auto rank = static_cast<std::int32_t>(max_applications - table_.size());
  if (!table_.add({.name = names_.back(),
                   .period = period,
                   .deadline = period,
                   .priority = rank,
                   .alone = wcet_row::scaling(work),
                   .request = {},
                   .memory = memory_units{1}})) {
    throw std::invalid_argument("at most " + std::to_string(max_applications) + " applications");
  }
}

auto application_set::index_of(const std::string& name) const -> std::size_t {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) { throw std::invalid_argument(name + ": no application of this name"); }
  return static_cast<std::size_t>(found - names_.begin());
}

auto application_set::registration(std::size_t i) const -> runtime::share_registration {
  const share_task& t = table_.tasks[i];
  return {.application = static_cast<std::uint16_t>(i),
          .priority = t.priority,
          .deadline = t.deadline,
          .period = t.period,
          .memory_units = static_cast<std::uint32_t>(t.memory.count())};
}

auto default_applications() -> std::vector<std::string> {
  return {"camera:8:40", "lidar:12:60", "planner:20:120", "map:30:200", "display:10:100"};
}

}  // namespace takt::shares_example
