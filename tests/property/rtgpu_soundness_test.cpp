// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/locked_gpu_rta.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::ticks;
using random_source = takt::random_stream;

constexpr std::size_t most_tasks = 6;
constexpr std::size_t most_kernels = 4;
constexpr std::size_t most_samples = 4;

using table_type =
    takt::task_table<ticks, most_tasks, most_tasks * (4 * most_kernels + 1), most_tasks * most_kernels * most_samples>;
using plan_type = takt::plan<most_tasks>;

struct random_system {
  std::uint64_t seed = 0;
  table_type table;
  plan_type plan;
  takt::processors_resource cores;
  takt::copy_engines_resource engines;
  takt::virtual_sms_resource sms;
  bool shared = false;
  std::int32_t tokens = 1;
};

enum class copies : std::uint8_t { none, before, around, mixed };

class system_generator {
 public:
  explicit system_generator(std::uint64_t seed) : random_{seed} { system_.seed = seed; }

  auto make() -> random_system {
    system_.cores.count = one_in(4) ? 2 : 1;
    system_.engines.count = one_in(3) ? 2 : 1;
    system_.shared = one_in(3);
    system_.sms = {static_cast<std::int32_t>(between(1, 6)), static_cast<std::int32_t>(between(1, 4))};
    load_ = between(10, 120);
    for (ticks& w : weight_) { w = between(1, 8); }
    const auto tasks = static_cast<std::size_t>(between(1, most_tasks));
    const bool own_priorities = one_in(2);
    for (std::size_t i = 0; i < tasks; ++i) { add_task(i, tasks, own_priorities); }
    if (own_priorities) { shuffle_priorities(); }
    takt::prioritize(system_.table);
    system_.tokens = static_cast<std::int32_t>(between(1, std::min<ticks>(system_.sms.sms, 3)));
    return system_;
  }

 private:
  auto between(ticks low, ticks high) -> ticks { return low + random_.below(high - low + 1); }
  auto one_in(ticks n) -> bool { return random_.below(n) == 0; }

  auto bounded(takt::stage where, ticks usual) -> takt::interval<ticks> {
    const ticks longest = std::max(usual * weight_[static_cast<std::size_t>(where)] / 4, ticks{1});
    const ticks upper = one_in(8) ? 0 : between(1, longest);
    if (one_in(3)) { return {upper, upper}; }
    return {one_in(2) ? 0 : between(0, upper), upper};
  }

  void add_task(std::size_t i, std::size_t tasks, bool own_priorities) {
    static constexpr std::array<std::string_view, most_tasks> names{"a", "b", "c", "d", "e", "f"};
    const ticks period = one_in(4) ? 10 * between(2, 20) : between(20, 200);
    const ticks deadline = one_in(2) ? period : between(period * 6 / 10, period);
    const auto core = static_cast<std::int32_t>(between(0, system_.cores.count - 1));
    system_.table.add_task(names[i], period, deadline,
                           own_priorities ? static_cast<std::int32_t>(i) : takt::no_priority, core);
    const auto kernels = static_cast<std::size_t>(one_in(4) ? 0 : between(0, most_kernels));
    const ticks segment = 2 * period * load_ / 100 / static_cast<ticks>(tasks) / static_cast<ticks>(2 * kernels + 1);
    const auto style = static_cast<copies>(between(0, 3));
    const std::int32_t budget = system_.shared ? system_.sms.sms * system_.sms.per_sm : system_.sms.sms;
    const std::int32_t free = budget - used_sms_;
    const bool has_kernels = kernels > 0 && free > 0;
    add_cpu(segment);
    for (std::size_t k = 0; has_kernels && k < kernels; ++k) {
      if (style != copies::none && (style != copies::mixed || one_in(2))) { add_copy(segment, takt::to_device); }
      add_kernel(segment);
      if (style == copies::around || (style == copies::mixed && one_in(2))) { add_copy(segment, takt::to_host); }
      add_cpu(segment);
    }
    const std::int32_t share = has_kernels ? static_cast<std::int32_t>(between(1, std::max(1, free / 2))) : 0;
    used_sms_ += share;
    system_.plan.shares.unchecked_push_back({0, share});
  }
  void add_cpu(ticks usual) {
    system_.table.add_segment({.where = takt::stage::cpu, .time = bounded(takt::stage::cpu, usual)});
  }
  void add_copy(ticks usual, takt::copy_direction direction) {
    system_.table.add_segment({.where = takt::stage::copy,
                               .direction = one_in(4) ? takt::copy_direction::unspecified : direction,
                               .time = bounded(takt::stage::copy, usual / 2)});
  }
  void add_kernel(ticks usual) {
    takt::segment_record<ticks> s{.where = takt::stage::kernel, .time = bounded(takt::stage::kernel, 3 * usual)};
    if (one_in(5)) {
      s.first_sample = static_cast<std::uint32_t>(system_.table.samples.size());
      s.samples = static_cast<std::uint32_t>(between(1, most_samples));
      for (std::uint32_t n = 0; n < s.samples; ++n) {
        system_.table.samples.unchecked_push_back(bounded(takt::stage::kernel, usual));
      }
    } else if (one_in(2)) {
      s.interleave_denominator = between(1, 5);
      s.interleave_numerator = s.interleave_denominator + between(0, 2 * s.interleave_denominator);
      s.overhead = between(0, s.time.upper / 4);
    }
    system_.table.add_segment(s);
  }
  void shuffle_priorities() {
    auto& tasks = system_.table.tasks;
    for (std::size_t i = tasks.size(); i-- > 1;) {
      std::swap(tasks[i].priority, tasks[static_cast<std::size_t>(random_.below(static_cast<ticks>(i) + 1))].priority);
    }
  }

  random_source random_;
  random_system system_;
  ticks load_ = 0;
  std::array<ticks, 3> weight_{};  ///< of CPU segments, copies and kernels, in quarters
  std::int32_t used_sms_ = 0;
};

auto describe(const random_system& s) -> std::string {
  std::string text = "seed " + std::to_string(s.seed) + "\ncores " + std::to_string(s.cores.count) + ", engines " +
                     std::to_string(s.engines.count) + ", SMs " + std::to_string(s.sms.sms) + " x " +
                     std::to_string(s.sms.per_sm) + (s.shared ? " shared" : " isolated") + ", tokens " +
                     std::to_string(s.tokens) + "\n";
  const auto range = [](const takt::interval<ticks>& i) {
    return "[" + std::to_string(i.lower) + "," + std::to_string(i.upper) + "]";
  };
  for (std::size_t k = 0; k < s.table.size(); ++k) {
    const auto& t = s.table.tasks[k];
    text += std::string(t.name) + " (given " + std::to_string(t.id) + "): T=" + std::to_string(t.period) +
            " D=" + std::to_string(t.deadline) + " core " + std::to_string(t.core) + " share " +
            std::to_string(s.plan.shares[t.id].sms) + ":";
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& x = s.table.segment(k, j);
      text += " " + std::string(takt::name_of(x.where)) + range(x.time);
      if (x.where == takt::stage::copy) { text += x.direction == takt::to_host ? "h" : "d"; }
      if (x.where != takt::stage::kernel) { continue; }
      text += "/" + std::to_string(x.overhead) + "/" + std::to_string(x.interleave_numerator) + ":" +
              std::to_string(x.interleave_denominator);
      for (std::uint32_t n = 0; n < x.samples; ++n) { text += range(s.table.samples[x.first_sample + n]); }
    }
    text += "\n";
  }
  return text;
}

/// What an analysis promises for a system: bounds of the tasks that pass, from the highest priority down, and of their
/// segments where it has them.
struct promise {
  std::string_view analysis;
  std::size_t passed = 0;
  std::array<ticks, most_tasks> bound{};
  std::array<ticks, table_type::max_segments> segment_bound{};
};
constexpr ticks no_bound = -1;

template <class Analysis>
auto promise_of(Analysis analysis, const random_system& s) -> promise {
  promise out{.analysis = analysis.name()};
  out.segment_bound.fill(no_bound);
  if (Analysis::fits(s.table, analysis.platform())) { return out; }
  for (std::size_t k = 0; k < s.table.size(); ++k) { analysis.assign(k, s.plan.shares[s.table.tasks[k].id]); }
  for (; out.passed < s.table.size() && analysis.evaluate(out.passed); ++out.passed) {
    const std::size_t k = out.passed;
    out.bound[k] = analysis.bound(k).value;
    if constexpr (requires { analysis.segment_response(k, k); }) {
      for (std::size_t j = 0; j < s.table.tasks[k].segment_count; ++j) {
        const auto& response = analysis.segment_response(k, j);
        if (response.exists()) { out.segment_bound[s.table.tasks[k].first_segment + j] = response.value; }
      }
    }
  }
  return out;
}

struct record {
  std::uint64_t systems = 0;  ///< with at least one task that passes
  std::uint64_t tasks = 0;    ///< that pass
  std::uint64_t runs = 0;
  std::uint64_t jobs = 0;     ///< of tasks that pass
  std::uint64_t reached = 0;  ///< tasks whose bound some run attained
  std::uint64_t violations = 0;
  std::string first_violation;
};
using records = std::map<std::string_view, record>;

constexpr std::uint64_t runs_per_system = 10;

auto options_of_run(std::uint64_t run, std::uint64_t seed, ticks horizon) -> takt::simulation_options {
  takt::simulation_options options{.horizon = takt::duration{horizon}, .seed = seed ^ (run * 0x5851'F42D'4C95'7F2DU)};
  options.releases = run == 0   ? takt::release_pattern::periodic
                     : run == 1 ? takt::release_pattern::sporadic
                                : takt::release_pattern::adversarial;
  options.execution = run % 3 == 0 ? takt::execution_times::upper
                      : run == 4   ? takt::execution_times::lower
                                   : takt::execution_times::random;
  return options;
}

template <class Result>
void compare(const random_system& s, const promise& p, const Result& result, std::uint64_t run, record& r,
             std::array<bool, most_tasks>& reached) {
  const auto fail = [&](const std::string& what) {
    if (r.violations++ == 0) {
      r.first_violation = std::string(p.analysis) + ": " + what + " in run " + std::to_string(run) + "\n" + describe(s);
    }
  };
  for (std::size_t k = 0; k < p.passed; ++k) {
    const auto& t = s.table.tasks[k];
    const takt::observed_task<ticks>& seen = result.tasks[t.id];
    r.jobs += seen.completed;
    reached[k] = reached[k] || seen.worst_response == p.bound[k];
    if (seen.misses > 0) { fail(std::string(t.name) + " misses its deadline"); }
    if (seen.worst_response > p.bound[k]) {
      fail(std::string(t.name) + " responds in " + std::to_string(seen.worst_response) + " > " +
           std::to_string(p.bound[k]));
    }
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const ticks bound = p.segment_bound[t.first_segment + j];
      const ticks response = result.visit_response(t.id, j);
      if (bound != no_bound && response > bound) {
        fail(std::string(t.name) + " segment " + std::to_string(j) + " responds in " + std::to_string(response) +
             " > " + std::to_string(bound));
      }
    }
  }
}

/// Holds what analyses promise for a board against simulations of it.
template <class Board, class... Make>
void examine(const random_system& s, const Board& board, records& all, const Make&... make) {
  std::vector<promise> promises{promise_of(make(s.table, board.record()), s)...};
  std::erase_if(promises, [](const promise& p) { return p.passed == 0; });
  if (promises.empty()) { return; }
  ticks longest = 0;
  for (const auto& t : s.table.tasks) { longest = std::max(longest, t.period); }
  std::vector<std::array<bool, most_tasks>> reached(promises.size());
  constexpr bool shares_by_plan = takt::runs_on_own_share(takt::composition_of<Board>.kernels);
  const auto plan = shares_by_plan ? s.plan : decltype(s.plan){};
  for (std::uint64_t run = 0; run < runs_per_system; ++run) {
    const auto result = takt::simulate(board, s.table, plan, options_of_run(run, s.seed, 12 * longest));
    REQUIRE(!result.error);
    for (std::size_t i = 0; i < promises.size(); ++i) {
      record& r = all[promises[i].analysis];
      ++r.runs;
      compare(s, promises[i], result, run, r, reached[i]);
    }
  }
  for (std::size_t i = 0; i < promises.size(); ++i) {
    record& r = all[promises[i].analysis];
    ++r.systems;
    r.tasks += promises[i].passed;
    r.reached += static_cast<std::uint64_t>(std::ranges::count(reached[i], true));
  }
}

template <class CpuRule, class GpuRule>
auto board_of(const random_system& s, CpuRule cpu, GpuRule gpu) {
  return takt::platform(takt::pool(s.cores, cpu), takt::pool(s.engines, takt::nonpreemptive(takt::fixed_priority)),
                        takt::pool(s.sms, gpu));
}

/// Engines in first-in-first-out order beside tokens under a protocol.
template <class Order>
void examine_tokens(const random_system& s, records& all, Order order) {
  const auto board = takt::platform(takt::pool(s.cores, takt::fixed_priority), takt::pool(s.engines, takt::fifo),
                                    takt::pool(s.sms, takt::locked(order, s.tokens)));
  examine(s, board, all, [](const table_type& table, const takt::platform_record& platform) {
    return takt::analysis::detail::locked_gpu_rta<table_type, Order>(table, platform);
  });
}

template <template <class> class Analysis, class... Options>
auto with(Options... options) {
  return [options...](const table_type& table, const takt::platform_record& platform) {
    return Analysis<table_type>(table, platform, options...);
  };
}

void examine_sound_analyses(const random_system& s, records& all) {
  using namespace takt;
  using namespace takt::analysis;
  const auto on_each_sharing = [&](const auto& on) { s.shared ? on(federated_virtual) : on(federated); };
  on_each_sharing([&](auto gpu) {
    examine(s, board_of(s, fixed_priority, gpu), all, with<rtgpu>(rtgpu_published), with<rtgpu>(rtgpu_sharper),
            with<rtgpu>(rtgpu_best));
    examine(s, board_of(s, busy_waiting(fixed_priority), gpu), all, with<busy_waiting_rta>());
    examine(s, board_of(s, fixed_priority, serialized(gpu)), all, with<self_suspension>());
  });
  examine(s, board_of(s, fixed_priority, serialized(whole_gpu)), all, with<enhanced_mpcp>());
  examine_tokens(s, all, k_fmlp_order);
  examine_tokens(s, all, r2dglp_order);
  examine_tokens(s, all, ck_omlp_order);
}

void examine_printed_divisor(const random_system& s, records& all) {
  using namespace takt::analysis;
  const auto printed = with<rtgpu>(as_published::rtgpu_algorithm_2);
  if (s.shared) {
    examine(s, board_of(s, takt::fixed_priority, takt::federated_virtual), all, printed);
  } else {
    examine(s, board_of(s, takt::fixed_priority, takt::federated), all, printed);
  }
}

using takt_tests::from_environment;

template <class Examine>
auto examine_random_systems(const Examine& examine_one) -> records {
  records all;
  random_source seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t systems = from_environment("TAKT_RANDOM_SYSTEMS", 300);
  for (std::uint64_t i = 0; i < systems; ++i) { examine_one(system_generator(seeds.next()).make(), all); }
  return all;
}

}  // namespace

TEST_CASE("no simulated response exceeds a bound" * takt_tests::traces("RTGPU-47 RTGPU-18 RTGPU-48")) {
  const records all = examine_random_systems(examine_sound_analyses);
  CHECK(all.size() == 9);
  for (const auto& [name, r] : all) {
    CAPTURE(name);
    MESSAGE(name, ": ", r.systems, " systems, ", r.tasks, " tasks that pass, ", r.runs, " runs, ", r.jobs, " jobs, ",
            r.reached, " bounds attained, ", r.violations, " violations");
    CHECK(r.tasks > 0);
    CHECK_MESSAGE(r.violations == 0, r.first_violation);
  }
}

TEST_CASE("the same simulations beat bounds that use the printed divisor" * takt_tests::traces("RTGPU-47")) {
  const records all = examine_random_systems(examine_printed_divisor);
  REQUIRE(all.size() == 1);
  const record& r = all.begin()->second;
  MESSAGE(r.systems, " systems, ", r.violations, " violations, first: ", r.first_violation);
  CHECK(r.violations > 0);
}
