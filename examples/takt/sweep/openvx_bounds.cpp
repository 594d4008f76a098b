// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/outstanding_jobs.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/uunifast.hpp>

#include "../failure.hpp"
#include "openvx_studies.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::size_t most_tasks = 20;
constexpr ticks time_unit = 1000;
constexpr std::int64_t most_sets = 1'000'000;
using kernel_set = block_table<ticks, most_tasks>;
using cpu_set = gel_table<ticks, most_tasks>;

struct drawing {
  block_gpu gpu{.sms = 80, .threads_per_sm = 2048};
  std::int64_t tasks = 0;
  std::int32_t processors = 1;
  std::uint64_t seed = 0;
};

[[nodiscard]] auto stream_of(const drawing& d, const unit& u, std::int64_t set) -> random_stream {
  return random_stream{d.seed ^ random_stream{static_cast<std::uint64_t>(u.level * most_sets + set)}.next()};
}

/// Shares of a load in millionths of what there is. Pre: at least as many millionths as shares.
[[nodiscard]] auto shares_of(random_stream& random, const drawing& d, std::int64_t level)
    -> inline_vector<ticks, most_tasks> {
  inline_vector<ticks, most_tasks> out;
  if (!generation::uunifast(random, level * 1000, static_cast<std::size_t>(d.tasks), out)) {
    throw environment_error{"a set of this study cannot be drawn: this is a fault of takt, please report it"};
  }
  return out;
}

/// Kernels of 64 to 1024 threads per block, with periods of 10 to 100 and blocks of 0.05 to 1 time units, that load so
/// many thousandths of the capacity, or a little less.
[[nodiscard]] auto draw_kernels(random_stream& random, const drawing& d, std::int64_t level) -> kernel_set {
  constexpr std::array<std::int64_t, 5> sizes{64, 128, 256, 512, 1024};
  const auto shares = shares_of(random, d, level);
  kernel_set out;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    block_kernel<ticks> k;
    k.threads = sizes[static_cast<std::size_t>(random.below(static_cast<ticks>(sizes.size())))];
    k.length = random.between(time_unit / 20, time_unit);
    k.period = time_unit * random.between(10, 100);
    (void)out.add(k);
  }
  const std::int64_t capacity = analysis::thread_capacity(out, d.gpu);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    auto& k = out.tasks[i];
    k.blocks = std::max<std::int64_t>(1, capacity * k.period / 1'000'000 * shares[i] / (k.length * k.threads));
  }
  return out;
}

/// CPU nodes with periods of 10 to 100 that load so many thousandths of the CPUs.
[[nodiscard]] auto draw_cpu_nodes(random_stream& random, const drawing& d, std::int64_t level) -> cpu_set {
  const auto shares = shares_of(random, d, level);
  cpu_set out;
  for (const ticks share : shares) {
    gel_task<ticks> t;
    t.period = t.deadline = time_unit * random.between(10, 100);
    t.wcet = std::max<ticks>(1, t.period * share / 1'000'000 * d.processors);
    t.parallelism = unrestricted_parallelism;
    (void)out.add(t);
  }
  return out;
}

/// The mean of response / period in thousandths; 0 when there is no bound.
template <class Set, class Response>
[[nodiscard]] auto mean_ratio(const Set& set, bool bounded, const Response& response) -> std::int64_t {
  if (!bounded) { return 0; }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) { sum += response(i) * 1000 / set.tasks[i].period; }
  return sum / static_cast<std::int64_t>(set.size());
}

/// Adds the mean over the sets of a unit in which everything is bounded.
class mean_of_rows {
 public:
  void add(std::span<const std::int64_t> row) {
    if (std::ranges::find(row, 0) != row.end()) { return; }
    ++sets_;
    sums_.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) { sums_[i] += row[i]; }
  }
  void write(std::span<std::int64_t> counts) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) { counts[i] = sums_[i] / sets_; }
    counts.back() = sets_;
  }

 private:
  std::vector<std::int64_t> sums_;
  std::int64_t sets_ = 0;
};

void apply_common(const settings& s, experiment& e, drawing& d) {
  e.sets = e.sets_per_unit = s.number("sets", 1, most_sets);
  e.levels = s.levels("levels");
  d.tasks = s.number("tasks", 1, static_cast<std::int64_t>(most_tasks));
  if (e.levels.front() < 1 || e.levels.back() > 1000) {
    throw input_error{"levels", "a load is out of range", "at least 0.001 and at most 1"};
  }
  d.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
}

[[nodiscard]] auto kernel_row(const kernel_set& set, const block_gpu& gpu) -> std::array<std::int64_t, 4> {
  const auto ratio = [&](const auto& b) {
    return mean_ratio(set, b.bounded(), [&](std::size_t i) { return b.responses[i]; });
  };
  return {ratio(analysis::separated_enqueue_response(set, gpu)), ratio(analysis::knapsack_response(set, gpu)),
          ratio(analysis::outstanding_response(set, gpu)), ratio(analysis::block_queue_response(set, gpu))};
}
[[nodiscard]] auto cpu_row(const cpu_set& set, std::int32_t processors) -> std::array<std::int64_t, 4> {
  const auto ratio = [&](gel_policy policy, analysis::point_shift shift) {
    const auto b = analysis::overlapping_response(set, processors, policy, shift);
    return mean_ratio(set, b.bounded(), [&](std::size_t i) { return b.tasks[i].response; });
  };
  return {ratio(gel_policy::earliest_deadline, analysis::point_shift::if_negative),
          ratio(gel_policy::fair_lateness, analysis::point_shift::if_negative),
          ratio(gel_policy::earliest_deadline, analysis::point_shift::to_zero),
          ratio(gel_policy::fair_lateness, analysis::point_shift::to_zero)};
}

[[nodiscard]] auto bounds(const settings& s) -> experiment {
  experiment e;
  drawing d;
  apply_common(s, e, d);
  d.processors = static_cast<std::int32_t>(s.number("cpus", 1, 64));
  e.title = "Bounds beside each other, mean of bound / period: kernels in a block queue, overlapping jobs on CPUs";
  e.level_title = "load over capacity";
  e.level_name = "load";
  e.share_title = "bound / period";
  e.measured = measure::thousandths;
  e.keys = {"where"};
  e.columns = {"first", "second", "third", "fourth", "sets_bounded"};
  const std::array<std::array<const char*, 4>, 2> titles{
      std::array{"theorem 3", "knapsack carry-in", "outstanding jobs", "least of all"},
      std::array{"G-EDF, plain", "G-FL, plain", "G-EDF, normalized", "G-FL, normalized"}};
  for (std::size_t series = 0; series < 2; ++series) {
    panel p{.title = series == 0 ? "kernels" : fmt::format("jobs on {} CPUs", d.processors), .curves = {}};
    for (std::size_t c = 0; c < 4; ++c) {
      p.curves.push_back({series, c, titles[series][c], static_cast<int>(c), stroke::solid});
    }
    e.panels.push_back(std::move(p));
    e.all_series.push_back({{series == 0 ? "kernels" : "cpus"}});
  }
  e.make_counter = [d] {
    return [d](const unit& u, std::span<std::int64_t> counts) {
      mean_of_rows rows;
      for (std::int64_t i = 0; i < u.sets; ++i) {
        random_stream random = stream_of(d, u, u.first_set + i);
        if (u.series == 0) {
          rows.add(kernel_row(draw_kernels(random, d, u.level), d.gpu));
        } else {
          rows.add(cpu_row(draw_cpu_nodes(random, d, u.level), d.processors));
        }
      }
      rows.write(counts);
    };
  };
  return e;
}

[[nodiscard]] auto streams(const settings& s) -> experiment {
  experiment e;
  drawing d;
  apply_common(s, e, d);
  e.sets_per_unit = 10;
  e.title = "A stream per job beside a stream per task: kernels whose responses are bounded";
  e.level_title = "load over capacity";
  e.level_name = "load";
  e.share_title = "sets (%)";
  e.keys = {"kernels"};
  e.columns = {"per_job", "per_job_within_period", "per_task"};
  e.all_series.push_back({{fmt::format("{}", d.tasks)}});
  e.panels.push_back({.title = fmt::format("{} kernels", d.tasks),
                      .curves = {{0, 0, "per job: bounded", 0, stroke::solid},
                                 {0, 1, "per job: within the period", 2, stroke::solid},
                                 {0, 2, "per task: proven bounded", 1, stroke::solid}}});
  e.make_counter = [d] {
    return [d](const unit& u, std::span<std::int64_t> counts) {
      for (std::int64_t i = 0; i < u.sets; ++i) {
        random_stream random = stream_of(d, u, u.first_set + i);
        const kernel_set set = draw_kernels(random, d, u.level);
        block_table<ticks, most_tasks, one_stream_per_task> streamed;
        for (std::size_t k = 0; k < set.size(); ++k) { (void)streamed.add(set.tasks[k]); }
        const auto best = analysis::block_queue_response(set, d.gpu);
        bool within = best.bounded();
        for (std::size_t k = 0; within && k < set.size(); ++k) { within = best.responses[k] <= set.tasks[k].period; }
        counts[0] += best.bounded() ? 1 : 0;
        counts[1] += within ? 1 : 0;
        counts[2] += analysis::per_task_stream_response(streamed, d.gpu).bounded() ? 1 : 0;
      }
    };
  };
  return e;
}

[[nodiscard]] auto capacity(const settings& s) -> experiment {
  experiment e;
  e.title = "Capacity that the largest block costs: g (m - H_max + h) of g m threads, m = 2048";
  e.level_title = "largest block (warps of 32 threads)";
  e.level_name = "largest_block_warps";
  e.share_title = "threads lost (%)";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (e.levels.front() < 1000 || e.levels.back() > 32'000 ||
      std::ranges::any_of(e.levels, [](std::int64_t l) { return l % 1000 != 0; })) {
    throw input_error{"levels", "is not a block size", "whole warps, from 1 to 32"};
  }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"smallest_block"};
  e.columns = {"unit_block", "lost_percent"};
  panel p{.title = "by the smallest block", .curves = {}};
  const auto sizes = s.numbers("smallest", 1, 1024);
  for (const std::int64_t h : sizes) {
    const std::size_t series = e.all_series.size();
    p.curves.push_back(
        {series, 1, fmt::format("blocks of {} threads too", h), static_cast<int>(series), stroke::solid});
    e.all_series.push_back({{fmt::format("{}", h)}});
  }
  e.panels.push_back(std::move(p));
  e.make_counter = [sizes] {
    return [sizes](const unit& u, std::span<std::int64_t> counts) {
      const block_gpu gpu{.sms = 80, .threads_per_sm = 2048};
      kernel_set set;
      (void)set.add({.name = "small", .length = 1, .period = 1, .threads = sizes[u.series]});
      (void)set.add({.name = "large", .length = 1, .period = 1, .threads = warp_threads * u.level / 1000});
      const std::int64_t all = gpu.sms * gpu.threads_per_sm;
      counts[0] = 1000 * analysis::unit_block_size(set, gpu);
      counts[1] = 100'000 * (all - analysis::thread_capacity(set, gpu)) / all;
    };
  };
  return e;
}

}  // namespace

auto openvx_bound_studies() -> std::vector<study> {
  const std::vector<parameter> common{{"seed", "1", "of everything that is drawn"},
                                      {"sets", "200", "per load"},
                                      {"levels", "0.1..1.0/0.1", "load over capacity"},
                                      {"tasks", "10", "per set"}};
  auto with_cpus = common;
  with_cpus.push_back({"cpus", "4", "of the CPU nodes"});
  return {{"openvx-capacity",
           "capacity that the largest block costs, by the smallest one",
           {{"levels", "2..32/2", "warps of the largest block"},
            {"smallest", "32,64,128,256", "threads of the smallest block"}},
           capacity},
          {"openvx-bounds", "bounds for kernels and for overlapping jobs beside each other", with_cpus, bounds},
          {"openvx-streams", "kernels with bounded responses: a stream per job or per task", common, streams}};
}

}  // namespace takt::program::old_sweep
