// SPDX-License-Identifier: Apache-2.0
#include "read_kernel.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include <takt/core/checked.hpp>
#include <takt/report/format_duration.hpp>

#include "../failure.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr string_view row_allowed =
    "{\"c100\": time, \"fixed_permille\": n}, 100 times for 1 to 100 per cent, or a few [per cent, time]";
constexpr std::int32_t most_threads = 65536;
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;

[[nodiscard]] auto read_row(const located& v) -> wcet_row {
  if (v.is(json_value::kind::object)) {
    const fields row = words::members(v, words::scaling_row);
    const ticks whole = read_time_from(row.require("c100", "the time with the whole GPU"), 1);
    const auto fixed = row.find("fixed_permille");
    return wcet_row::scaling(whole, fixed ? static_cast<std::int32_t>(read_integer(fixed, 0, 1000)) : 0);
  }
  const auto list = require_array(v, row_allowed);
  const std::size_t count = list.value->items.size();
  if (!list.item(0).is(json_value::kind::array)) {
    if (count != wcet_row::shares) {
      throw input_error{v.where, fmt::format("has {} times", count), std::string(row_allowed)};
    }
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t i = 0; i < count; ++i) { times[i] = read_time_from(list.item(i), 1); }
    return wcet_row::measured(times);
  }
  std::vector<measured_share> few;
  for (std::size_t i = 0; i < count; ++i) {
    const located pair = list.item(i);
    if (!pair.is(json_value::kind::array) || pair.value->items.size() != 2) {
      throw input_error{pair.where, "is no measurement", "[per cent, time]"};
    }
    few.push_back({share::bounded(static_cast<std::int32_t>(read_integer(pair.item(0), 1, 100))),
                   read_time_from(pair.item(1), 1)});
  }
  if (std::ranges::none_of(few, [](const measured_share& m) { return m.held == full_share; })) {
    throw input_error{v.where, "says nothing about the whole GPU", "a measurement [100, time] among the others"};
  }
  return wcet_row::interpolated(few);
}

/// The work that SMs divide, and what they do not.
void read_work(const fields& kernel, described_visit& out) {
  const auto work = kernel.find("work");
  const auto overhead = kernel.find("overhead");
  const auto ratio = kernel.find("interleave");
  if (work) {
    out.work = read_span(work);
    out.known.add(visit_fact::work);
  }
  if (overhead) {
    out.overhead = read_time(overhead);
    if (out.overhead < 0) {
      throw refused_at(overhead.where, {.fault = model_fault::negative_time, .value = out.overhead, .has_value = true});
    }
    out.known.add(visit_fact::overhead);
  }
  if (ratio) {
    std::tie(out.interleave_numerator, out.interleave_denominator) = read_ratio(ratio);
    if (out.interleave_numerator < out.interleave_denominator) {
      auto refused = refused_at(ratio.where, {.fault = model_fault::interleave_below_one});
      refused.problem = fmt::format("{}/{} {}", out.interleave_numerator, out.interleave_denominator, refused.problem);
      throw refused;
    }
    out.known.add(visit_fact::interleave);
  }
  if (!work) { return; }
  ticks product = 0;
  if (!checked_multiply(out.work.upper, out.interleave_numerator, product)) {
    auto refused = refused_at(work.where, {.fault = model_fault::time_overflow, .task = 0});
    refused.problem = fmt::format("{} x interleave {}", report::format_duration(out.work.upper), refused.problem);
    throw refused;
  }
  if (overhead && out.overhead > ceil_divide<ticks>(product, out.interleave_denominator)) {
    throw refused_at(overhead.where,
                     {.fault = model_fault::overhead_exceeds_work, .value = out.overhead, .has_value = true});
  }
}

void read_blocks(const fields& kernel, described_visit& out, const workload_file& file) {
  const auto blocks = kernel.find("blocks");
  const auto threads = kernel.find("threads_per_block");
  const auto length = kernel.find("length");
  if (blocks || threads) {
    out.blocks = read_integer(kernel.require("blocks", "how many blocks a job has"), 1,
                              std::numeric_limits<std::int32_t>::max());
    std::int32_t most = most_threads;
    for (const gpu_hardware& gpu : file.board.gpus) {
      if (gpu.threads_per_sm > 0) { most = std::min(most, gpu.threads_per_sm / gpu.warp_size * gpu.warp_size); }
    }
    out.threads = read_count(kernel.require("threads_per_block", "threads of one block"), most);
    out.known.add(visit_fact::grid);
  }
  if (length) {
    out.block_length = read_span(length).upper;
    if (out.block_length < 1) { throw input_error{length.where, "0ns is not positive", "a time of at least 1ns"}; }
    out.known.add(visit_fact::block_length);
  }
}

void read_whole(const fields& kernel, described_visit& out, const workload_file& file) {
  if (const auto wcet = kernel.find("wcet")) {
    out.wcet = read_span(wcet).upper;
    if (out.wcet < 1) { throw input_error{wcet.where, "0ns is not positive", "a time of at least 1ns"}; }
    out.known.add(visit_fact::wcet);
  }
  if (const auto cost = kernel.find("preemption_cost")) {
    out.preemption_cost = read_time_from(cost, 0);
    out.known.add(visit_fact::preemption_cost);
    if (out.known.has(visit_fact::wcet) && out.preemption_cost > out.wcet) {
      throw refused_at(cost.where, {.fault = model_fault::preemption_cost_exceeds_time,
                                    .value = out.preemption_cost,
                                    .limit = out.wcet,
                                    .has_value = true,
                                    .has_limit = true});
    }
  }
  const auto core = kernel.find("core");
  const auto width = kernel.find("width");
  if (!core && !width) { return; }
  const bool one = width ? words::read(width, words::kernel_width) == "one-core" : static_cast<bool>(core);
  if (core && !one) { throw input_error{core.where, "pins a kernel that needs all cores", "no core, or \"one-core\""}; }
  out.width = one ? kernel_width::one_core : kernel_width::all_cores;
  out.known.add(visit_fact::pinning);
  if (!core) { return; }
  if (file.board.gpus.empty() || file.board.gpus[0].sms == 0) {
    throw input_error{core.where, "names an SM of a GPU whose SMs are not known", "platform.gpus[0].sms, or no core"};
  }
  out.sm = static_cast<std::int32_t>(read_integer(core, 0, file.board.gpus[0].sms - 1));
}

void require_room(bool room, const located& v, std::size_t most) {
  if (!room) { throw input_error{v.where, "is more than this program holds", fmt::format("at most {} in all", most)}; }
}

}  // namespace

auto read_span(const located& v) -> interval<ticks> {
  const interval<ticks> out = read_bound(v);
  const bool pair = v.is(json_value::kind::array);
  const auto refuse_negative = [&](ticks time, std::size_t part) {
    throw refused_at(pair ? step_into(v.where, part) : v.where,
                     {.fault = model_fault::negative_time, .value = time, .has_value = true});
  };
  if (out.lower < 0) { refuse_negative(out.lower, 0); }
  if (out.upper < 0) { refuse_negative(out.upper, 1); }
  if (out.lower > out.upper) {
    throw refused_at(v.where, {.fault = model_fault::best_case_exceeds_worst_case,
                               .value = out.lower,
                               .limit = out.upper,
                               .has_value = true,
                               .has_limit = true});
  }
  return out;
}

void read_kernel(const located& v, described_visit& out, workload_file& file) {
  const fields kernel = words::members(v, words::kernel);
  out.where = visit_place::gpu;
  read_work(kernel, out);
  read_blocks(kernel, out, file);
  read_whole(kernel, out, file);
  if (const auto times = kernel.find("time_on")) {
    const auto list = require_array(times, "the times on 1, 2, ... virtual SMs");
    out.first_sample = static_cast<std::uint32_t>(file.tasks.samples.size());
    out.samples = static_cast<std::uint32_t>(list.value->items.size());
    for (std::size_t i = 0; i < out.samples; ++i) {
      require_room(file.tasks.samples.push_back(read_span(list.item(i))), times, max_file_visits);
    }
    out.known.add(visit_fact::times_on_sms);
  }
  if (const auto row = kernel.find("wcet_by_share")) {
    out.row = static_cast<std::uint32_t>(file.tasks.rows.size());
    require_room(file.tasks.rows.push_back(read_row(row)), row, max_file_rows);
    out.known.add(visit_fact::wcet_by_share);
  }
  if (const auto context = kernel.find("context")) {
    out.context = static_cast<std::int32_t>(read_integer(context, 0, std::numeric_limits<std::int32_t>::max()));
    out.known.add(visit_fact::context);
  }
  if (const auto slice = kernel.find("slice")) {
    out.slice = read_time_from(slice, 1);
    out.known.add(visit_fact::slice);
  }
  if (const auto state = kernel.find("state")) {
    out.state = read_integer(state, 0, most_bytes);
    out.known.add(visit_fact::state);
  }
}

}  // namespace takt::program
