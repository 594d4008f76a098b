// SPDX-License-Identifier: Apache-2.0
// Random task sets run on the GPU against the bounds of the analysis: CPU segments and copies of emulated length on the
// host's threads and the copy arbiter, kernels for real on pinned SMs. After Zou et al. 2021, Fig. 11 and 12.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <takt/cuda/device.hpp>
#include <takt/cuda/driver.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/generation/rtgpu_generator.hpp>
#include <takt/model/occupancy.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/takt.hpp>

#include "measured_device.cuh"

namespace {

namespace cuda = takt::cuda;
using namespace takt_benchmarks;

using table = takt::task_table<takt::ticks, 8, 256>;
using device = cuda::cuda_device<cuda::driver>;
using body = cuda::index_body<element_body>;

constexpr std::int64_t chunk = 512;

/// The law of a kernel over `vector_length` elements, with a margin, since shorter and longer ones are only computed
/// from it.
auto measure_law(const vectors& data, const cuda::launch_form& form, std::int32_t sms)
    -> std::optional<takt::kernel_profile> {
  const cuda::own_stream stream;
  cuda::pinned_kernel kernel{data.body(synthetic_kernel::compute), form};
  auto out = cuda::profile_kernel(kernel, stream.get(), sm_counts(sms), {vector_length, chunk, 100}, 20);
  return out && out->fit ? out : std::nullopt;
}

/// Elements that take as long on one virtual SM as the generated kernel, and its record replaced by the measured law.
auto replace(takt::segment_record<takt::ticks>& s, const takt::kernel_profile& unit) -> std::int64_t {
  const takt::divisible_work& law = unit.fit.law;
  const takt::ticks whole = std::max<takt::ticks>(1, law.work.upper.count());
  const std::int64_t elements = std::max<std::int64_t>(1, s.time.upper * vector_length / whole);
  // Only what is not overhead grows with the elements; the least work may be all overhead.
  const takt::ticks overhead =
      takt::ceil_divide(law.overhead.count() * unit.interleave.denominator, unit.interleave.numerator);
  s.time.upper = (whole - std::min(whole, overhead - 1)) * elements / vector_length + overhead + 1;
  s.time.lower = law.work.lower.count() * std::min(elements, vector_length) / vector_length;
  s.overhead = law.overhead.count();
  s.interleave_numerator = unit.interleave.numerator;
  s.interleave_denominator = unit.interleave.denominator;
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
  experiment(cuda::driver& driver, const vectors& data, const cuda::launch_form& form, const takt::kernel_profile& unit,
             std::int32_t sms, takt::duration length)
      : driver_{&driver}, data_{&data}, form_{form}, unit_{&unit}, sms_{sms}, length_{length} {}

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
                                      takt::pool(takt::virtual_sms(sms_, 2), takt::federated));
    std::vector<std::unique_ptr<cuda::pinned_kernel<body>>> kernels;
    std::map<takt::runtime::visit_position, device::kernel> bound;
    for (std::size_t i = 0; i < set->size(); ++i) {
      for (std::uint32_t j = 0; j < set->tasks[i].segment_count; ++j) {
        takt::segment_record<takt::ticks>& s = set->segments[set->tasks[i].first_segment + j];
        if (s.where != takt::stage::kernel) { continue; }
        const std::int64_t elements = replace(s, *unit_);
        kernels.push_back(std::make_unique<cuda::pinned_kernel<body>>(data_->body(synthetic_kernel::compute), form_));
        bound.insert_or_assign({set->tasks[i].id, j},
                               cuda::on_device<cuda::driver>(*kernels.back(), elements, chunk, board.record().gpus[0]));
      }
    }
    const auto plan = takt::allocate(board, *set, takt::greedy_search);
    const auto verdict = takt::analyze(board, *set, plan);
    const takt::dedicated_sms<8> ranges{board.record(), plan};
    std::vector<takt::sm_range> dedicated;
    for (std::size_t i = 0; i < plan.shares.size(); ++i) { dedicated.push_back(ranges.range(i)); }
    device gpu{*driver_, dedicated, {.wish = {.green_contexts = false, .kernels_stay_on_range = true}}};
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

  cuda::driver* driver_;
  const vectors* data_;
  cuda::launch_form form_;
  const takt::kernel_profile* unit_;
  std::int32_t sms_;
  takt::duration length_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
  const measured_device on = print_device("takt_cuda_responses");
  if (on.sms == 0) { return no_device; }
  const std::int64_t sets = argument(argc, argv, "--repeats", 10);
  const takt::duration length{argument(argc, argv, "--milliseconds", 1'000) * 1'000'000};
  const auto sms = static_cast<std::int32_t>(std::min<std::int64_t>(on.sms, argument(argc, argv, "--sms", 10)));
  const takt::cuda::launch_form form{.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads};
  const vectors data;
  const auto unit = measure_law(data, form, sms);
  if (!unit) {
    std::printf("the kernel could not be measured: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  takt::cuda::driver driver;
  std::printf("%lld sets per level, %d SMs\n%12s %8s %8s %8s %8s %14s\n", static_cast<long long>(sets), sms,
              "utilisation", "proven", "met", "unsound", "failed", "worst of bound");
  bool good = true;
  for (std::int32_t permille = 200; permille <= 1'400; permille += 200) {
    experiment e{driver, data, form, *unit, sms, length};
    level_result r;
    for (std::int64_t n = 0; n < sets; ++n) { e.run(permille, static_cast<std::uint64_t>(n), r); }
    std::printf("%12.1f %8d %8d %8d %8d %13.1f%%\n", permille / 1'000.0, r.proven, r.met, r.proven_and_missed, r.failed,
                100 * r.worst_part);
    good = good && r.proven_and_missed == 0 && r.failed == 0;
  }
  return good ? 0 : 1;
}
