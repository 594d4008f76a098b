// SPDX-License-Identifier: Apache-2.0
#include "described_file.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include <takt/core/checked.hpp>

namespace takt::program {

auto described_file::judge(const question& q) -> const report::verdict_summary& {
  if (const auto subject = decides_alone(); !subject.empty() && (q.given_method || q.given_search)) {
    throw input_error{q.given_method ? "--analysis" : "--search",
                      fmt::format("says nothing about {}, whose rule decides the test", subject),
                      "no such option for this file"};
  }
  judged_ = assess(q);
  return judged_;
}

auto described_file::observe(duration /*length*/, std::uint64_t /*seed*/, trace* /*kept*/) const -> sighting {
  throw std::logic_error{"this kind of file is not run"};
}

auto described_file::at_factor(permille /*factor*/, const question& /*q*/) const -> factor_answer {
  throw std::logic_error{"this kind of file is not scaled"};
}

auto described_file::is_monotone(const question& /*q*/) const -> bool { return false; }

auto answer_of(verdict_status status) noexcept -> factor_answer {
  switch (status) {
    case verdict_status::schedulable: return factor_answer::proven;
    case verdict_status::unschedulable: return factor_answer::must_miss;
    case verdict_status::not_proven:
    case verdict_status::invalid_model:
    case verdict_status::overflow: break;
  }
  return factor_answer::not_proven;
}

auto scale_time(ticks time, permille factor, bool up, ticks& out) -> bool {
  ticks product = 0;
  if (!checked_multiply(time, factor, product)) { return false; }
  out = up ? ceil_divide<ticks>(product, 1000) : floor_divide<ticks>(product, 1000);
  return true;
}

}  // namespace takt::program
