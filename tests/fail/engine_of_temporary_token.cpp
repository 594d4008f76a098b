// EXPECT: takt: an engine is locked through a token that ends at once
// SPDX-License-Identifier: Apache-2.0
#include "gpu_pool.hpp"

void infer(pool& gpus) {
#ifdef TAKT_FIXED
  auto token = gpus.begin_job().acquire_token();
  const auto engine = token.lock(takt::engine_kind::execution);
#else
  gpus.begin_job().acquire_token().lock(takt::engine_kind::execution);
#endif
}
