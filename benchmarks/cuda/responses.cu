// SPDX-License-Identifier: Apache-2.0
// Random task sets run on the GPU against the bounds of the analysis: CPU segments and copies of emulated length on the
// host's threads and the copy arbiter, kernels for real on pinned SMs. After Zou et al. 2021, Fig. 11 and 12.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <takt/cuda/device.hpp>
#include <takt/cuda/driver.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/model/occupancy.hpp>
#include <takt/prediction/set_laws.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/takt.hpp>

#include "command_line.hpp"
#include "measured_device.cuh"

namespace {

namespace tc = takt::cuda;
using namespace takt_benchmarks;

using table = takt::task_table<takt::ticks, 8, 256>;
using device = tc::cuda_device<tc::driver>;
using body = tc::index_body<element_body>;

/// A kernel whose law was measured at one size; those of other sizes are computed from it, hence with a margin.
struct measured_unit {
  takt::kernel_profile profile;
  tc::profiled_work work;
};
auto measure_unit(tc::driver& driver, const vectors& data, const tc::launch_form& form, std::int32_t sms, bool pinned)
    -> measured_unit {
  measured_unit out{.profile = {}, .work = work_for(sms, 2, form, 100)};
  out.profile = tc::profile_kernel(driver, data.body(synthetic_kernel::compute), form, out.work,
                                   profiled_sms(driver, sms, pinned), 20, kept_by(pinned));
  return out;
}

/// Elements that take as long on one virtual SM as the generated kernel, and its record replaced by the law.
auto replace(takt::segment_record<takt::ticks>& s, const takt::divisible_work& law, std::int64_t measured)
    -> std::int64_t {
  const takt::ticks whole = std::max<takt::ticks>(1, law.work.upper.count());
  const auto elements =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(s.time.upper) *
                                                          static_cast<double>(measured) / static_cast<double>(whole)));
  const double part = static_cast<double>(elements) / static_cast<double>(measured);
  // Only what is not overhead grows with the elements; the least work may be all overhead.
  const takt::ticks overhead =
      takt::ceil_divide(law.overhead.count() * law.interleave_denominator, law.interleave_numerator);
  const auto grown = static_cast<double>(whole - std::min(whole, overhead - 1)) * part;
  s.time.upper = static_cast<takt::ticks>(std::ceil(grown)) + overhead + 1;
  s.time.lower = static_cast<takt::ticks>(static_cast<double>(law.work.lower.count()) * std::min(1.0, part));
  s.overhead = law.overhead.count();
  s.interleave_numerator = law.interleave_numerator;
  s.interleave_denominator = law.interleave_denominator;
  return elements;
}

struct level_result {
  int sets = 0;
  int proven = 0;
  int met = 0;
  int proven_and_missed = 0;
  int failed = 0;
  double worst_part = 0;  ///< of a bound, by any response of a proven set
};

class experiment {
 public:
  /// `granularity`: SMs that a task gets at a time.
  experiment(tc::driver& driver, const vectors& data, const tc::launch_form& form, const measured_unit& unit,
             std::int32_t sms, std::int32_t granularity, bool pinned, takt::duration length)
      : driver_{&driver},
        data_{&data},
        form_{form},
        unit_{&unit},
        sms_{sms},
        granularity_{granularity},
        pinned_{pinned},
        length_{length} {}

  void run(std::int32_t permille, std::uint64_t number, level_result& out) {
    ++out.sets;
    auto set = std::make_unique<table>();
    const takt::generation::rtgpu_options options{.tasks = 5, .utilization_permille = permille, .sms = sms_};
    if (takt::generation::generate(options, 11, number, *set) != takt::model_fault::none) {
      ++out.failed;
      return;
    }
    const auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(sms_, 2, granularity_), takt::federated));
    // Every task has kernels of the same law, later by the tails of all others where blocks pass over their SMs.
    const takt::set_laws laws =
        takt::laws_of(std::vector<std::vector<takt::kernel_profile>>(set->size(), {unit_->profile}));
    if (!laws) {
      ++out.failed;
      return;
    }
    std::vector<std::unique_ptr<tc::pinned_kernel<body>>> kernels;
    std::map<takt::runtime::visit_position, device::kernel> bound;
    for (std::size_t i = 0; i < set->size(); ++i) {
      for (std::uint32_t j = 0; j < set->tasks[i].segment_count; ++j) {
        takt::segment_record<takt::ticks>& s = set->segments[set->tasks[i].first_segment + j];
        if (s.where != takt::stage::kernel) { continue; }
        const std::int64_t elements = replace(s, laws.laws[i][0], unit_->work.count);
        kernels.push_back(std::make_unique<tc::pinned_kernel<body>>(data_->body(synthetic_kernel::compute), form_));
        bound.insert_or_assign(
            {set->tasks[i].id, j},
            tc::on_device<tc::driver>(*kernels.back(), elements, unit_->work.length, board.record().gpus[0]));
      }
    }
    const auto plan = takt::allocate_by<takt::chain_methods>(board, *set, takt::greedy_search);
    const auto verdict = takt::analysis::analyze_by<takt::chain_methods>(board, *set, plan);
    const takt::dedicated_sms<8> ranges{board.record(), plan};
    std::vector<takt::sm_range> dedicated;
    for (std::size_t i = 0; i < plan.shares.size(); ++i) { dedicated.push_back(ranges.range(i)); }
    device gpu{*driver_, dedicated, kept_by(pinned_)};
    takt::runtime::run_options how;
    how.length = length_;
    how.lengths = takt::runtime::length_choice::upper;
    takt::runtime::board_devices devices;
    devices.copies(1, gpu).kernels(2, gpu, std::move(bound));
    const auto seen = takt::runtime::run(board, *set, plan, devices, how);
    judge(verdict, seen, gpu.fault().has_value(), out);
  }

 private:
  template <class Verdict>
  static void judge(const Verdict& verdict, const takt::runtime::run_result& seen, bool fault, level_result& out) {
    const bool ran =
        seen.status() == takt::observation_status::no_miss || seen.status() == takt::observation_status::missed;
    if (!ran || fault) {
      ++out.failed;
      return;
    }
    const bool met = seen.status() == takt::observation_status::no_miss;
    out.proven += verdict.schedulable() ? 1 : 0;
    out.met += met ? 1 : 0;
    out.proven_and_missed += verdict.schedulable() && !met ? 1 : 0;
    if (!verdict.schedulable()) { return; }
    for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
      out.worst_part = std::max(out.worst_part, static_cast<double>(seen.tasks[i].worst_response) /
                                                    static_cast<double>(verdict.tasks[i].bound.value));
    }
  }

  tc::driver* driver_;
  const vectors* data_;
  tc::launch_form form_;
  const measured_unit* unit_;
  std::int32_t sms_;
  std::int32_t granularity_;
  bool pinned_;
  takt::duration length_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
  command_line given{argc, argv};
  const std::int64_t sets = given.number("--repeats", 10, most_repeats);
  const takt::duration length{given.number("--milliseconds", 1'000, 3'600'000) * 1'000'000};
  const bool pinned = given.flag("--pinned");
  const std::int64_t asked_sms = given.number("--sms", 0, takt::cuda::max_sms);
  given.end();
  const measured_device on = print_device("takt_cuda_responses");
  if (on.sms == 0) { return no_device; }
  const takt::cuda::launch_form form{.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads};
  const vectors data;
  takt::cuda::driver driver;
  const std::int32_t granularity = pinned ? 1 : takt::cuda::query_machine(driver).gpus[0].coscheduled.unit;
  if (granularity == 0) {
    std::puts("no green contexts on this device; --pinned uses blocks that are pinned on the whole device");
    return 1;
  }
  const std::int64_t most = on.sms / granularity * granularity;
  if (asked_sms > most || asked_sms % granularity != 0) {
    std::printf("failed: --sms %lld is no multiple of %d up to %lld\n", static_cast<long long>(asked_sms), granularity,
                static_cast<long long>(most));
    return 2;
  }
  const auto sms =
      static_cast<std::int32_t>(asked_sms > 0 ? asked_sms : std::min<std::int64_t>(most, 10 * granularity));
  const measured_unit unit = measure_unit(driver, data, form, sms, pinned);
  if (!unit.profile) {
    std::printf("the kernel could not be measured: %s\n", takt::sentence(unit.profile).c_str());
    return 1;
  }
  std::printf("%lld sets per level, %d SMs, %s\n%12s %8s %8s %8s %8s %14s\n", static_cast<long long>(sets), sms,
              pinned ? "pinned blocks" : "green contexts", "utilisation", "proven", "met", "unsound", "failed",
              "worst of bound");
  bool good = true;
  for (std::int32_t permille = 200; permille <= 1'400; permille += 200) {
    experiment e{driver, data, form, unit, sms, granularity, pinned, length};
    level_result r;
    for (std::int64_t n = 0; n < sets; ++n) { e.run(permille, static_cast<std::uint64_t>(n), r); }
    std::printf("%12.1f %8d %8d %8d %8d %13.1f%%\n", permille / 1'000.0, r.proven, r.met, r.proven_and_missed, r.failed,
                100 * r.worst_part);
    good = good && r.proven_and_missed == 0 && r.failed == 0;
  }
  return good ? 0 : 1;
}
