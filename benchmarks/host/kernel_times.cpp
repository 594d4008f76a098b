// SPDX-License-Identifier: Apache-2.0
// The five synthetic kernels over SM counts with host threads in place of SMs, pinned by the algorithm of the device:
// times, Eq. 3, laws and what launches cost. After Zou et al. 2021, Fig. 3 and Table 2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "host_kernel.hpp"
#include "tables.hpp"

namespace {

using namespace takt_benchmarks;

/// Two blocks to an SM, and so many SMs that each block has a core, where there are enough cores for two such SMs.
struct host_size {
  std::int64_t per_sm = std::thread::hardware_concurrency() >= 4 ? 2 : 1;
  std::int64_t sms = std::clamp<std::int64_t>(std::thread::hardware_concurrency() / per_sm, 2, 16);
};

}  // namespace

auto main(int argc, char** argv) -> int {
  command_line given{argc, argv};
  const auto repeats = static_cast<std::size_t>(given.number("--repeats", 100, most_repeats));
  const std::int64_t elements = given.number("--elements", vector_length, vector_length);
  const host_size usual;
  const auto sms = static_cast<std::int32_t>(given.number("--sms", usual.sms, 64));
  const auto per_sm = static_cast<std::int32_t>(given.number("--per-sm", usual.per_sm, 8));
  given.end();
  std::printf("takt_kernel_times on host threads in place of %d SMs of %d blocks, %u cores\n", sms, per_sm,
              std::thread::hardware_concurrency());
  std::printf("%lld elements of %d operations each\n", static_cast<long long>(elements), operations_per_element);
  std::vector<named_profile> all;
  for (const synthetic_kernel k : synthetic_kernels) {
    // Other programs on this machine may spoil one profile or another.
    takt::kernel_profile profile;
    for (int attempt = 0; attempt < 3 && !profile; ++attempt) {
      host_kernel kernel{k, elements};
      auto bench = kernel.bench(sms, per_sm);
      profile = takt::profile_kernel(bench, sm_counts(sms), repeats);
    }
    if (profile) {
      all.push_back({name_of(k), std::move(profile)});
    } else {
      std::printf("%-8s refused: %s\n", name_of(k), sentence(profile).c_str());
    }
  }
  if (all.empty()) { return 1; }
  print_times(all);
  print_laws(all);
  return 0;
}
