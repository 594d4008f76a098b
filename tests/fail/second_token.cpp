// EXPECT: takt: a job keeps its name while it asks for a token
// SPDX-License-Identifier: Apache-2.0
#include "gpu_pool.hpp"

void infer(pool& gpus) {
  auto job = gpus.begin_job();
  auto token = std::move(job).acquire_token();
#ifndef TAKT_FIXED
  auto second = job.acquire_token();
#endif
}
