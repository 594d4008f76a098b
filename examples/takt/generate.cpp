// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include <takt/generation.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/report/json.hpp>

#include "command.hpp"
#include "failure.hpp"
#include "files/workload_file.hpp"
#include "progress.hpp"

namespace takt::program {

namespace {

using report::json_writer;

// What the reader of files holds.
constexpr std::int32_t max_sms = 4096;
constexpr std::int32_t max_virtual_per_sm = 64;
using file_table = task_table<ticks, max_tasks, max_file_visits>;

void write_bound(json_writer& json, std::string_view key, const interval<ticks>& time) {
  json.key(key).begin_array().value(time.lower).value(time.upper).end_array();
}

void write_segment(json_writer& json, const segment_record<ticks>& s) {
  json.begin_object();
  if (s.where == stage::kernel) {
    json.key("kernel").begin_object();
    write_bound(json, "work", s.time);
    json.member("overhead", s.overhead);
    json.member("interleave", fmt::format("{}/{}", s.interleave_numerator, s.interleave_denominator)).end_object();
  } else {
    write_bound(json, name_of(s.where), s.time);
    if (s.direction != copy_direction::unspecified) {
      json.member("direction", s.direction == copy_direction::to_host ? "to-host" : "to-device");
    }
  }
  json.end_object();
}

void write_set(std::ostream& out, const std::string& name, const platform_record& platform, const file_table& table) {
  json_writer json{out};
  json.begin_object().member("format", "takt/1").member("name", name).key("platform").begin_object();
  json.key("cpus").begin_object().member("count", platform.cores).member("policy", "deadline-monotonic").end_object();
  if (platform.copy_engines > 0) {
    json.key("copy_engines").begin_object().member("count", platform.copy_engines);
    json.member("policy", "nonpreemptive-fixed-priority").end_object();
  }
  const gpu_record& gpu = platform.gpus[0];
  json.key("gpus").begin_array().begin_object().member("sms", gpu.sms).member("virtual_per_sm", gpu.virtual_per_sm);
  json.member("sharing", "isolated").end_object().end_array().end_object().key("tasks").begin_array();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    json.begin_object().member("name", t.name).member("period", t.period).member("deadline", t.deadline);
    json.key("segments").begin_array();
    for (std::size_t j = 0; j < t.segment_count; ++j) { write_segment(json, table.segment(i, j)); }
    json.end_array().end_object();
  }
  json.end_array().end_object().finish();
}

/// No set that the program itself could not read.
void require_at_most(const std::string& option, std::int32_t value, std::int32_t most) {
  if (value > most) {
    throw input_error{option, fmt::format("{} is out of range", value), fmt::format("an integer from 1 to {}", most)};
  }
}

[[nodiscard]] auto options_of(const generate_options& o) -> generation::rtgpu_options {
  generation::rtgpu_options out = o.set;
  const auto [numerator, denominator] = option_ratio("--utilization", o.utilization);
  if (1000 % denominator != 0 || numerator > 100 * denominator) {
    throw input_error{"--utilization", fmt::format("{} is out of range", o.utilization),
                      "0.001 to 100 in steps of 0.001"};
  }
  out.utilization_permille = static_cast<std::int32_t>(numerator * (1000 / denominator));
  require_at_most("--sms", out.sms, max_sms);
  require_at_most("--virtual-per-sm", out.virtual_per_sm, max_virtual_per_sm);
  if (!o.cpu.empty()) { out.cpu = option_range("--cpu", o.cpu); }
  if (!o.copy.empty()) { out.copy = option_range("--copy", o.copy); }
  if (!o.kernel.empty()) { out.kernel = option_range("--gpu", o.kernel); }
  if (!o.interleave.empty()) {
    std::tie(out.interleave_numerator, out.interleave_denominator) = option_ratio("--interleave", o.interleave);
  }
  return out;
}

[[nodiscard]] auto refusal_of(model_fault fault) -> input_error {
  if (fault == model_fault::options_out_of_range) {
    return {"", "an option is out of its range",
            "1 to 64 tasks, at least 1 subtask, ranges from at least 1ns to at most 1000s with lower <= upper, "
            "interleave >= 1, percentages from 0 to 100"};
  }
  if (fault == model_fault::set_does_not_fit) {
    return {"--subtasks", "a set has more segments than this program holds",
            fmt::format("at most {} in all", max_file_visits)};
  }
  if (fault == model_fault::time_overflow) {
    return {"--utilization", "a period overflows 64-bit nanoseconds", "a higher utilization or shorter ranges"};
  }
  const fault_text text = describe(fault);
  return {std::string{text.field}, std::string{text.problem}, std::string{text.allowed}};
}

}  // namespace

auto generate_command(const generate_options& o) -> exit_code {
  if (o.name != "rtgpu") {
    throw input_error{"", fmt::format("\"{}\" is no generator of this program", o.name), "rtgpu"};
  }
  const auto set = options_of(o);
  const auto table = std::make_unique<file_table>();
  progress shown{"generating: sets"};
  for (std::uint64_t i = 0; i < o.count; ++i) {
    shown.show(i, o.count);
    if (const auto fault = generation::generate(set, o.seed, i, *table); fault != model_fault::none) {
      throw refusal_of(fault);
    }
    write_set(std::cout, fmt::format("rtgpu, utilization {}, seed {}, set {}", o.utilization, o.seed, i),
              generation::platform_of(set), *table);
    if (!std::cout) { throw environment_error{"standard output cannot be written"}; }
  }
  return exit_code::ok;
}

}  // namespace takt::program
