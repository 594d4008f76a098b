// SPDX-License-Identifier: Apache-2.0
#include "rtgpu_sets.hpp"

#include <algorithm>
#include <iterator>

#include <takt/rules/priority_order.hpp>

#include "../failure.hpp"

namespace takt::program::sweep {

namespace {

constexpr std::int64_t most_sets = 1'000'000;

}  // namespace

auto rtgpu_setting::platform() const -> platform_record {
  platform_record out = generation::platform_of(options);
  out.gpus[0].shared = shared;
  return out;
}

void draw(const rtgpu_setting& setting, std::uint64_t seed, std::int64_t level, std::int64_t index, study_table& out) {
  generation::rtgpu_options o = setting.options;
  o.utilization_permille = static_cast<std::int32_t>(level);
  const auto number = static_cast<std::uint64_t>(level * most_sets + index);
  if (generation::generate(o, seed, number, out) != model_fault::none) {
    throw environment_error{"a task set of this study cannot be drawn: this is a fault of takt, please report it"};
  }
  prioritize(out, by_relative_deadline{});
}

auto rtgpu_parameters(std::vector<parameter> own) -> std::vector<parameter> {
  std::vector<parameter> out{
      {"seed", "1", "of everything that is drawn"},
      {"sets", "100", "task sets per configuration and level"},
      {"levels", "0.2..3.0/0.2", "utilization of one core, one copy engine and one SM together"},
      {"interleave", "1.7", "how much a kernel is stretched on a shared SM; not printed in the paper"},
      {"virtual-per-sm", "2", "virtual SMs per physical SM"},
      {"overhead", "10", "percent of a kernel that more SMs do not shorten; not printed in the paper"},
      {"lower", "100", "shortest in percent of longest segment times; not printed in the paper"},
      {"effort", "20000", "task analyses after which the search for a plan is undecided"},
  };
  for (parameter& p : own) {
    const auto same = std::ranges::find(out, p.name, &parameter::name);
    if (same == out.end()) {
      out.push_back(std::move(p));
    } else {
      same->value = std::move(p.value);
    }
  }
  return out;
}

auto rtgpu_setting_of(const settings& s) -> rtgpu_setting {
  rtgpu_setting out;
  const auto [numerator, denominator] = s.ratio("interleave");
  if (numerator < denominator || numerator > 100 * denominator || denominator > 1'000'000) {
    throw input_error{"interleave", "the ratio is out of range", "a ratio from 1 to 100 such as \"1.7\" or \"17/10\""};
  }
  out.options.interleave_numerator = numerator;
  out.options.interleave_denominator = denominator;
  out.options.virtual_per_sm = static_cast<std::int32_t>(s.number("virtual-per-sm", 1, 64));
  out.options.overhead_percent = static_cast<std::int32_t>(s.number("overhead", 0, 100));
  out.options.lower_percent = static_cast<std::int32_t>(s.number("lower", 0, 100));
  return out;
}

void apply_common(const settings& s, experiment& e) {
  e.sets = s.number("sets", 1, most_sets);
  e.levels = s.levels("levels");
  e.level_name = "utilization";
  e.level_title = "utilization of one core + one copy engine + one SM";
  e.share_title = "accepted task sets (%)";
}

auto with_copies(rtgpu_setting setting, const std::string& copies) -> rtgpu_setting {
  setting.options.copies = copies == one_copy ? generation::copies_per_kernel::one : generation::copies_per_kernel::two;
  return setting;
}

}  // namespace takt::program::sweep
