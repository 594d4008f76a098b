// SPDX-License-Identifier: Apache-2.0
#include "described_file.hpp"

#include <ostream>
#include <stdexcept>

#include <fmt/format.h>

#include <takt/core/checked.hpp>
#include <takt/report/format_duration.hpp>

#include "failure.hpp"

namespace takt::program {

namespace {

using report::format_duration;

void write_time(report::json_writer& json, const response_bound<ticks>& bound) {
  if (bound.exists) {
    json.value(bound.value);
  } else {
    json.value(nullptr);
  }
}

}  // namespace

auto deadline_text(const judged_task& t) -> std::string { return t.limited ? in_milliseconds(t.deadline) : "-"; }

auto described_file::judge(const question& q) -> const judgement& {
  const bool test = q.method != question{}.method;
  if (!decides_alone().empty() && (test || q.search != question{}.search)) {
    throw input_error{test ? "--analysis" : "--search",
                      fmt::format("says nothing about {}, whose rule decides the test", decides_alone()),
                      "no such option for this file"};
  }
  judged_ = assess(q);
  return judged_;
}

void described_file::write_verdict(std::ostream& out) const {
  report::json_writer json{out};
  json.begin_object().member("format", "takt-verdict/1").member("analysis", judged_.analysis);
  json.member("status", name_of(judged_.status));
  write_platform(json);
  json.key("tasks").begin_array();
  for (std::size_t i = 0; i < judged_.tasks.size(); ++i) {
    const judged_task& t = judged_.tasks[i];
    json.begin_object().member("name", t.name).key("deadline");
    write_time(json, {t.deadline, t.limited});
    json.key("response_bound");
    write_time(json, t.bound);
    json.member("meets", t.meets);
    write_task_parts(json, i);
    json.end_object();
  }
  json.end_array();
  write_tests(json);
  json.key("notes").begin_array();
  for (const std::string& reason : reasons()) { json.value(reason); }
  for (const std::string& note : judged_.notes) { json.value(note); }
  json.end_array().end_object().finish();
}

auto described_file::explain_task(std::size_t i) const -> std::string {
  const judged_task& t = judged_.tasks[i];
  const std::string deadline = format_duration(t.deadline);
  if (!t.limited) {
    return t.bound.exists
               ? fmt::format("{} has no deadline: a job takes at most {}.\n", t.name, format_duration(t.bound.value))
               : fmt::format("{} has no deadline, and no bound is known.\n", t.name);
  }
  if (t.meets) {
    return t.bound.exists
               ? fmt::format("{} meets its deadline of {}: a job takes at most {}, which leaves {}.\n", t.name,
                             deadline, format_duration(t.bound.value), format_duration(t.deadline - t.bound.value))
               : fmt::format("{} meets its deadline of {}, like all that compete with it.\n", t.name, deadline);
  }
  if (t.bound.exists) {
    return fmt::format("{} is not proven to meet its deadline of {}: its bound is {}, {} above it.\n", t.name, deadline,
                       format_duration(t.bound.value), format_duration(t.bound.value - t.deadline));
  }
  return fmt::format("{} is not proven to meet its deadline of {}.\n", t.name, deadline);
}

void described_file::explain(std::ostream& out) const {
  out << (judged_.status == verdict_status::schedulable     ? "Every task is proven to meet its deadline"
          : judged_.status == verdict_status::unschedulable ? "Some legal run misses a deadline"
                                                            : "Not every task is proven to meet its deadline, nor to "
                                                              "miss it")
      << " (" << judged_.analysis << ").\n\n";
  for (const std::string& finding : judged_.findings) { out << finding << '\n'; }
  for (std::size_t i = 0; i < judged_.tasks.size(); ++i) { out << explain_task(i); }
}

auto described_file::trace_names() const -> std::vector<std::string_view> {
  std::vector<std::string_view> out;
  for (const judged_task& t : judged_.tasks) { out.emplace_back(t.name); }
  return out;
}

auto described_file::observe(duration /*length*/, std::uint64_t /*seed*/, trace* /*kept*/) const -> observation {
  throw std::logic_error{"this kind of file is not run"};
}

auto described_file::at_factor(permille /*factor*/, const question& /*q*/) const -> factor_answer {
  throw std::logic_error{"this kind of file is not scaled"};
}

auto described_file::is_monotone(const question& /*q*/) const -> bool { return false; }

auto described_file::proven_bound(std::size_t task) const -> response_bound<ticks> {
  const judged_task& t = judged_.tasks[task];
  return t.meets ? t.bound : response_bound<ticks>{};
}

auto scale_time(ticks time, permille factor, bool up, ticks& out) -> bool {
  ticks product = 0;
  if (!checked_multiply(time, factor, product)) { return false; }
  out = up ? ceil_divide<ticks>(product, 1000) : floor_divide<ticks>(product, 1000);
  return true;
}

}  // namespace takt::program
