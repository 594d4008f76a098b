// SPDX-License-Identifier: Apache-2.0
//
// The numbers of blocking chains, and one optimum, as constants.
#include <takt/systems/locked_gpus/analysis/chain_optimum.hpp>

namespace {

using namespace takt::analysis::gpusync;
using namespace takt::analysis::gpusync::detail;

[[nodiscard]] constexpr auto has(std::int32_t gpus, std::int32_t tokens, std::int32_t out, std::int32_t in,
                                 std::int32_t migration) -> bool {
  const blocking_chain_table t = blocking_chains(gpus, tokens);
  return t.out.size() == out && t.in.size() == in && t.migration.size() == migration;
}

static_assert(has(2, 1, 1, 0, 1));
static_assert(has(2, 2, 7, 4, 8));
static_assert(has(2, 3, 20, 14, 23));  // Elliott 2015, Table 4.2
static_assert(has(4, 1, 3, 0, 5));
static_assert(has(4, 2, 44, 38, 64));
static_assert(has(4, 3, 185, 176, 239));

// Table 4.2, each chain as its copies out, in, and from GPU to GPU.
constexpr blocking_chain out_chains[] = {{2, 2, 1}, {2, 1, 2}, {2, 1, 1}, {1, 2, 1}, {2, 0, 3}, {2, 0, 2}, {1, 1, 2},
                                         {2, 0, 1}, {1, 1, 1}, {0, 2, 1}, {2, 0, 0}, {1, 0, 3}, {1, 0, 2}, {0, 1, 2},
                                         {1, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 0, 3}, {0, 0, 2}, {0, 0, 1}};
constexpr blocking_chain in_chains[] = {{3, 1, 1}, {3, 0, 2}, {3, 0, 1}, {2, 1, 1}, {2, 0, 2}, {2, 0, 1}, {1, 1, 1},
                                        {0, 2, 0}, {1, 0, 2}, {1, 0, 1}, {0, 1, 1}, {0, 1, 0}, {0, 0, 2}, {0, 0, 1}};
constexpr blocking_chain migration_chains[] = {{3, 2, 0}, {3, 1, 1}, {3, 1, 0}, {2, 2, 0}, {3, 0, 2}, {3, 0, 1},
                                               {2, 1, 1}, {3, 0, 0}, {2, 1, 0}, {1, 2, 0}, {2, 0, 2}, {2, 0, 1},
                                               {1, 1, 1}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {1, 0, 2}, {1, 0, 1},
                                               {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {0, 0, 1}};

/// The set has these chains and no others.
template <std::size_t N>
[[nodiscard]] constexpr auto is_made_of(const chain_set& set, const blocking_chain (&chains)[N]) -> bool {
  for (std::size_t i = 0; i < N; ++i) {
    if (chains[i].in > set.most_in(chains[i].peer, chains[i].out)) { return false; }
    for (std::size_t j = 0; j < i; ++j) {
      if (chains[i] == chains[j]) { return false; }
    }
  }
  return set.size() == static_cast<std::int32_t>(N);
}
static_assert(is_made_of(blocking_chains(chain_root::out, 2, 3), out_chains));
static_assert(is_made_of(blocking_chains(chain_root::in, 2, 3), in_chains));
static_assert(is_made_of(blocking_chains(chain_root::migration, 2, 3), migration_chains));

static_assert(chain_optimum<takt::ticks>(blocking_chains(2, 3), {0, 2, 0}, {6, 0, 2}, {12143, 11813, 1757}).time ==
              2 * (3 * 12143 + 1757));

}  // namespace
