// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/gpu_topology.hpp>
#include "support/traces.hpp"

using takt::engine_kind;
using takt::gpu_engine;

namespace {

using topology = takt::gpu_topology<8, 8>;

/// Two I/O hubs. Below the first two switches with two GPUs each and a GPU of its own, below the second one switch with
/// one GPU; the last GPU hangs on nothing.
[[nodiscard]] constexpr auto two_hubs() -> topology {
  topology t;
  const auto first = t.add_hub();
  const auto second = t.add_hub();
  const auto left = t.add_hub(first);
  const auto right = t.add_hub(first);
  const auto far = t.add_hub(second);
  for (const auto hub : {left, left, right, right, far, first}) { t.add_gpu(hub, 2); }
  t.add_gpu(takt::no_hub, 1);
  return t;
}

/// Everything above a GPU, the nearest hub first.
[[nodiscard]] auto path(const std::vector<std::int32_t>& parents, std::int32_t hub) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (; hub != takt::no_hub; hub = parents[static_cast<std::size_t>(hub)]) { out.push_back(hub); }
  return out;
}

/// By the definition: of all common hubs the one that is nearest to either side.
[[nodiscard]] auto naive_distance(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b)
    -> std::int32_t {
  std::int32_t best = takt::unreachable;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto links = static_cast<std::int32_t>(std::max(i, j)) + 1;
      if (a[i] == b[j] && (best == takt::unreachable || links < best)) { best = links; }
    }
  }
  return best;
}

}  // namespace

TEST_CASE("GPUs, their copy engines and the tree give distances, and peers need a common hub" *
          takt_tests::traces("GSD-49")) {
  constexpr topology t = two_hubs();
  static_assert(t.gpus() == 7);
  static_assert(t.distance(0, 0) == 0);
  static_assert(t.distance(0, 1) == 1);
  static_assert(t.distance(0, 2) == 2);
  static_assert(t.distance(0, 5) == 2, "sides of unequal depth: the longer one");
  static_assert(t.distance(5, 0) == 2);
  static_assert(t.distance(0, 4) == takt::unreachable);
  static_assert(t.distance(6, 0) == takt::unreachable);

  CHECK(t.peers(0, 1));
  CHECK(t.peers(0, 3));
  CHECK_FALSE(t.peers(0, 0));
  CHECK_FALSE(t.peers(0, 4));
  CHECK_FALSE(t.peers(6, 5));

  CHECK(t.copy_engines(0) == 2);
  CHECK(t.engines(0) == 3);
  CHECK(t.engines(6) == 2);
  CHECK(t.copy_engine(0, takt::to_device) == gpu_engine{0, engine_kind::copy});
  CHECK(t.copy_engine(0, takt::to_host) == gpu_engine{0, engine_kind::copy_to_host});
  CHECK(t.copy_engine(6, takt::to_device) == t.copy_engine(6, takt::to_host));
  CHECK(t.execution_engine(6) == gpu_engine{6, engine_kind::execution});
}

TEST_CASE("a topology refuses what does not fit or hangs on an unknown hub" * takt_tests::traces("GSD-49")) {
  takt::gpu_topology<1, 1> t;
  CHECK(t.add_gpu(0, 1) == takt::detail::refused_node);
  CHECK(t.add_hub(0) == takt::detail::refused_node);
  CHECK(t.add_hub() == 0);
  CHECK(t.add_hub() == takt::detail::refused_node);
  CHECK(t.add_gpu(takt::detail::refused_node, 1) == takt::detail::refused_node);
  CHECK(t.add_gpu(0, 0) == takt::detail::refused_node);
  CHECK(t.add_gpu(0, 1) == 0);
  CHECK(t.add_gpu(0, 1) == takt::detail::refused_node);
  CHECK(t.contains(0));
  CHECK_FALSE(t.contains(1));
  CHECK_FALSE(t.contains(takt::unreachable));
}

TEST_CASE("distances in random trees are those of the paths to the root") {
  takt::random_stream random{49};
  for (int round = 0; round < 500; ++round) {
    takt::gpu_topology<8, 12> t;
    std::vector<std::int32_t> parents;
    std::vector<std::vector<std::int32_t>> paths;
    const auto hubs = random.between(1, 12);
    for (std::int64_t h = 0; h < hubs; ++h) {
      parents.push_back(static_cast<std::int32_t>(random.between(0, h)) - 1);
      REQUIRE(t.add_hub(parents.back()) == static_cast<std::int32_t>(h));
    }
    for (int g = 0; g < 8; ++g) {
      const auto hub = static_cast<std::int32_t>(random.between(0, hubs)) - 1;
      REQUIRE(t.add_gpu(hub, 1) == g);
      paths.push_back(path(parents, hub));
    }
    for (std::int32_t a = 0; a < 8; ++a) {
      for (std::int32_t b = 0; b < 8; ++b) {
        const auto& up_a = paths[static_cast<std::size_t>(a)];
        const auto& up_b = paths[static_cast<std::size_t>(b)];
        REQUIRE(t.distance(a, b) == (a == b ? 0 : naive_distance(up_a, up_b)));
        REQUIRE(t.distance(a, b) == t.distance(b, a));
      }
    }
  }
}

TEST_CASE("a peer-to-peer copy occupies one copy engine of its source and one of its destination" *
          takt_tests::traces("GSD-53")) {
  constexpr topology t = two_hubs();
  for (std::int32_t a = 0; a < t.gpus(); ++a) {
    for (std::int32_t b = 0; b < t.gpus(); ++b) {
      const takt::engine_set both = t.peer_copy_engines(a, b);
      if (!t.peers(a, b)) {
        CHECK(both.empty());
        continue;
      }
      REQUIRE(both.size() == 2);
      CHECK(both[0] == t.copy_engine(a, takt::to_host));
      CHECK(both[1] == t.copy_engine(b, takt::to_device));
    }
  }
  topology single;
  const auto hub = single.add_hub();
  single.add_gpu(hub, 1);
  single.add_gpu(hub, 1);
  const takt::engine_set both = single.peer_copy_engines(0, 1);
  REQUIRE(both.size() == 2);
  CHECK(both[0] == gpu_engine{0, engine_kind::copy});
  CHECK(both[1] == gpu_engine{1, engine_kind::copy});
}
