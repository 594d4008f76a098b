// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/cuda/copies.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>

#include "fake_clocks.hpp"
#include "support/traces.hpp"
#include "unit/cuda/fixture.hpp"

namespace {

using namespace cuda_tests;
using namespace locking_tests;
using D = fake_cuda_driver;
using topology = takt::gpu_topology<1, 1>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<1, 4>, takt::fifo_engine_locks<1, 4>, topology>;
using token_type = takt::runtime::token_guard<pool, fake_meter>;

constexpr auto board() -> topology {
  topology t;
  (void)t.add_gpu(t.add_hub(), 2);
  return t;
}

}  // namespace

TEST_CASE("a CUDA call that overruns the budget has ended, and its engine is free, when the exception leaves" *
          takt_tests::traces("GSD-92")) {
  D driver{{.devices = 1, .seed = 1}};
  {
    const device_context<D> context{driver, 0};
    const std::array contexts{context.ref()};
    pinned_memory<D> host{contexts[0], 100};
    device_memory<D> memory{contexts[0], 100};
    thread_stream<D> stream{contexts[0]};
    const topology tree = board();
    pool gpu{{}, {}, tree};
    fake_time time;
    fake_meter meter{takt::duration{10}, fake_clocks{time}};
    token_type token{gpu.begin_job(), meter};
    takt::cuda::engine_calls<D, token_type, topology> calls{token, tree, contexts, stream};
    bool ended = false;
    CHECK_THROWS_AS(calls.launch([&](D& d, stream_handle s) {
      time.suspend(11);
      return d.run_in(s, [&ended] { ended = true; });
    }),
                    takt::runtime::budget_exhausted);
    CHECK(ended);
    const auto in = classify_copy(contexts[0], static_cast<std::uint64_t>(memory.get()),
                                  static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host.data())), 100);
    CHECK(calls.copy(in, 30).chunks == 4);
  }
  CHECK(driver.live() == 0);
}
