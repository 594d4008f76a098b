// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/validate.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/bindings.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/task_runner.hpp>

namespace takt::runtime {

/// What keeps a table from running on a platform, if anything. Any order of segments can run; analyses ask for more.
template <class Table>
[[nodiscard]] constexpr auto runnable(const Table& table, const platform_record& platform) -> model_error {
  if (const auto error = validate(table)) { return error; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.core >= platform.cores) { return {.fault = model_fault::core_out_of_range, .task = t.id}; }
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(i, j);
      if (s.where == stage::copy && platform.copy_engines == 0 && s.time.upper > 0) {
        return {.fault = model_fault::copy_without_engine, .task = t.id, .visit = j};
      }
      if (s.where == stage::kernel && platform.gpus.empty()) {
        return {.fault = model_fault::kernel_without_gpu, .task = t.id, .visit = j};
      }
    }
  }
  return {};
}

/// A kernel whose length on its SMs, `ranges[task]`, does not fit, if any. Pre: `runnable` and `plan_fault` found
/// nothing.
template <class Table>
[[nodiscard]] constexpr auto length_fault(const Table& table, const platform_record& platform,
                                          std::span<const sm_range> ranges) -> model_error {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(i, j);
      if (s.where != stage::kernel) { continue; }
      const sm_range& range = ranges[t.id];
      interval<ticks> length;
      if (!table.kernel_bounds(s, platform.gpus[static_cast<std::size_t>(range.gpu)].power(range.count), length)) {
        return {.fault = model_fault::time_overflow, .task = t.id, .visit = j};
      }
    }
  }
  return {};
}

/// Whether expectations are of tasks, and of segments, that there are.
template <class Table>
[[nodiscard]] auto well_expected(const Table& table, const std::vector<expectation>& expected) -> bool {
  if (expected.size() > table.size()) { return false; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.id < expected.size() && expected[t.id].visits.size() > t.segment_count) { return false; }
  }
  return true;
}

/// Whether each binding names a segment of its kind that the platform can serve.
template <class Table, Device D>
[[nodiscard]] auto well_bound(const Table& table, const platform_record& platform, const bindings<D>& bound) -> bool {
  const auto all = [&table](const auto& bodies, stage kind) {
    for (const auto& [where, body] : bodies) {
      bool found = false;
      for (std::size_t i = 0; i < table.size(); ++i) {
        const auto& t = table.tasks[i];
        found = found ||
                (t.id == where.first && where.second < t.segment_count && table.segment(i, where.second).where == kind);
      }
      if (!found) { return false; }
    }
    return true;
  };
  return all(bound.cpus(), stage::cpu) && all(bound.copies(), stage::copy) && all(bound.kernels(), stage::kernel) &&
         (platform.copy_engines > 0 || bound.copies().empty());
}

/// Resolves task `i` of the table. Pre: `runnable`, `length_fault` and `well_bound` found nothing wrong; the bindings
/// outlive the result.
template <class Table, Device D>
[[nodiscard]] auto resolve(const Table& table, std::size_t i, const platform_record& platform, const sm_range& range,
                           const run_options& options, const bindings<D>& bound) -> runnable_task<D> {
  const auto& t = table.tasks[i];
  const auto body_in = [&t](const auto& bodies, std::uint32_t segment) {
    const auto found = bodies.find({t.id, segment});
    return found == bodies.end() ? nullptr : &found->second;
  };
  runnable_task<D> out{.id = t.id,
                       .priority = static_cast<rank>(i),
                       .period = t.period,
                       .deadline = t.deadline,
                       .overrun = options.overrun,
                       .at_violation = options.at_violation,
                       .chain = {}};
  for (std::uint32_t j = 0; j < t.segment_count; ++j) {
    const auto& s = table.segment(i, j);
    runnable_segment<D> r{.where = s.where, .length = s.time, .unit = {.where = s.where}};
    switch (s.where) {
      case stage::cpu:
        r.unit.index = t.core;
        r.cpu = body_in(bound.cpus(), j);
        break;
      case stage::copy:
        r.unit.index = platform.engine_of(s.direction);
        r.copy = body_in(bound.copies(), j);
        break;
      case stage::kernel: {
        const gpu_record& gpu = platform.gpus[static_cast<std::size_t>(range.gpu)];
        (void)table.kernel_bounds(s, gpu.power(range.count), r.length);
        r.unit.gpu = range.gpu;
        r.unit.index = range.first;
        r.unit.count = range.count;
        r.kernel = body_in(bound.kernels(), j);
        break;
      }
    }
    out.chain.push_back(r);
  }
  return out;
}

}  // namespace takt::runtime
