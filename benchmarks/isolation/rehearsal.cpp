// SPDX-License-Identifier: Apache-2.0
// The isolation benchmark without a GPU: the session, judge and table of `cuda/isolation.cu` over a made-up device in a
// time of its own. Its figures are those of the model; `--cheat` makes a background that stalls, and gets no table.
#include "command.hpp"
#include "support/emulated_gpu.hpp"

auto main(int argc, char** argv) -> int {
  using namespace takt_benchmarks;
  command_line given{argc, argv};
  const bool cheats = given.flag("--cheat");
  const isolation_options options = isolation_options_of(given);
  given.end();
  cuda_tests::emulated_gpu gpu{{.sms = 132}, {.load_stalls = cheats}};
  cuda_tests::emulated_kernels kernels{gpu};
  return run_isolation(gpu, kernels, gpu, options);
}
