// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/systems/locked_gpus/analysis/blocking_chains.hpp>
#include <takt/systems/locked_gpus/analysis/chain_optimum.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::analysis::gpusync;
using takt::ticks;

using counts = std::tuple<int, int, int>;  // copies out, in, from GPU to GPU

[[nodiscard]] auto all_of(const takt::analysis::gpusync::detail::chain_set& set) -> std::set<counts> {
  std::set<counts> out;
  for (std::int32_t m = 0; m <= set.most_peer(); ++m) {
    for (std::int32_t o = 0; o <= set.most_out(); ++o) {
      for (std::int32_t i = 0; i <= set.most_in(m, o); ++i) { out.insert({o, i, m}); }
    }
  }
  return out;
}

/// The published search: every order of every earlier request of the other token holders.
class scenario_search {
 public:
  scenario_search(int gpus, int tokens, chain_root root) : gpus_{gpus} {
    root_ = root == chain_root::out  ? request{.in = -1, .out = 0}
            : root == chain_root::in ? request{.in = 0, .out = -1}
                                     : request{.in = 0, .out = 1};
    found_.insert({0, 0, 0});
    left_.assign(static_cast<std::size_t>(gpus), tokens);
    --left_[0];
    std::vector<request> scenario;
    extend(scenario);
  }
  [[nodiscard]] auto found() const -> const std::set<counts>& { return found_; }

 private:
  struct request {
    int in = -1;   // GPU whose engine in it takes
    int out = -1;  // GPU whose engine out it takes
    [[nodiscard]] auto meets(const request& r) const -> bool {
      return (in >= 0 && in == r.in) || (out >= 0 && out == r.out);
    }
    [[nodiscard]] auto migrates() const -> bool { return in >= 0 && out >= 0; }
  };

  void extend(std::vector<request>& scenario) {
    record(scenario);
    for (int b = 0; b < gpus_; ++b) {
      auto& left = left_[static_cast<std::size_t>(b)];
      if (left == 0) { continue; }
      --left;
      for (int s = -1; s < gpus_; ++s) {
        scenario.push_back(s == b ? request{.in = b, .out = -1} : request{.in = s < 0 ? -1 : b, .out = s < 0 ? b : s});
        extend(scenario);
        scenario.pop_back();
      }
      ++left;
    }
  }
  void record(const std::vector<request>& scenario) {
    std::vector<request> stack(root_.migrates() ? 2 : 1, root_);
    auto [o, i, m] = counts{};
    for (std::size_t next = 0; next < scenario.size() && !stack.empty();) {
      const request top = stack.back();
      stack.pop_back();
      const request& x = scenario[next];
      if (!top.meets(x)) { continue; }
      stack.insert(stack.end(), x.migrates() ? 2 : 1, x);
      (x.migrates() ? m : x.in >= 0 ? i : o) += 1;
      ++next;
    }
    found_.insert({o, i, m});
  }

  int gpus_;
  request root_;
  std::vector<int> left_;
  std::set<counts> found_;
};

/// The connected graphs of the closed form, one set of sources per GPU.
[[nodiscard]] auto connected_chains(int gpus, int tokens, chain_root root) -> std::set<counts> {
  std::set<counts> out{{0, 0, 0}};
  const auto sources = static_cast<unsigned>(gpus - 1);
  const unsigned choices = 1U << (sources * static_cast<unsigned>(gpus));
  for (unsigned choice = 0; choice < choices; ++choice) {
    const auto has_edge = [&](int b, int s) {
      const auto bit = static_cast<unsigned>(b) * sources + static_cast<unsigned>(s < b ? s : s - 1);
      return s != b && ((choice >> bit) & 1U) != 0;
    };
    unsigned ins = root == chain_root::out ? 0U : 1U;
    unsigned outs = root == chain_root::out ? 1U : root == chain_root::in ? 0U : 2U;
    for (int round = 0; round < 2 * gpus; ++round) {
      for (int b = 0; b < gpus; ++b) {
        for (int s = 0; s < gpus; ++s) {
          if (!has_edge(b, s)) { continue; }
          if (((ins >> b) & 1U) != 0) { outs |= 1U << s; }
          if (((outs >> s) & 1U) != 0) { ins |= 1U << b; }
        }
      }
    }
    std::set<counts> sums{{0, 0, 0}};
    for (int b = 0; b < gpus; ++b) {
      const int holders = tokens - (b == 0 ? 1 : 0);
      int degree = 0;
      bool stray = false;
      for (int s = 0; s < gpus; ++s) {
        degree += has_edge(b, s) ? 1 : 0;
        stray = stray || (has_edge(b, s) && ((ins >> b) & 1U) == 0);
      }
      std::set<counts> next;
      for (const auto& [o, i, m] : sums) {
        for (int mb = degree; mb <= holders && !stray; ++mb) {
          if (degree == 0 && mb > 0) { break; }
          for (int ob = 0; ob + mb <= holders; ++ob) {
            if (ob > 0 && ((outs >> b) & 1U) == 0) { break; }
            for (int ib = 0; ib + ob + mb <= holders; ++ib) {
              if (ib > 0 && ((ins >> b) & 1U) == 0) { break; }
              next.insert({o + ob, i + ib, m + mb});
            }
          }
        }
      }
      sums = next;
    }
    out.insert(sums.begin(), sums.end());
  }
  return out;
}

constexpr chain_root roots[] = {chain_root::out, chain_root::in, chain_root::migration};

TEST_CASE("the chains are those that the published search over all scenarios finds" * takt_tests::traces("GSA-13")) {
  for (const auto& [gpus, tokens] : {std::pair{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {4, 1}}) {
    for (const auto root : roots) {
      CAPTURE(gpus);
      CAPTURE(tokens);
      CHECK(all_of(takt::analysis::gpusync::detail::blocking_chains(root, gpus, tokens)) ==
            scenario_search(gpus, tokens, root).found());
    }
  }
}

TEST_CASE("for up to four GPUs the chains are those of all connected graphs of migrations" *
          takt_tests::traces("GSA-13")) {
  for (int gpus = 2; gpus <= 4; ++gpus) {
    for (int tokens = 1; tokens <= (gpus == 4 ? 3 : 5); ++tokens) {
      for (const auto root : roots) {
        CAPTURE(gpus);
        CAPTURE(tokens);
        CHECK(all_of(takt::analysis::gpusync::detail::blocking_chains(root, gpus, tokens)) ==
              connected_chains(gpus, tokens, root));
      }
    }
  }
}

TEST_CASE("every inbound chain of Table 4.2 is a migration chain, and no chain has more than five copies" *
          takt_tests::traces("GSA-13")) {
  const auto table = takt::analysis::gpusync::detail::blocking_chains(2, 3);
  const auto in = all_of(table.in);
  const auto migrations = all_of(table.migration);
  CHECK(in.size() + all_of(table.out).size() + migrations.size() == 57 + 3);
  CHECK(std::includes(migrations.begin(), migrations.end(), in.begin(), in.end()));
  CHECK(in.size() < migrations.size());
  for (const auto& [o, i, m] : migrations) { CHECK(o + i + m <= 5); }
}

TEST_CASE("shorter chains are those of at most so many copies, also where the search ends earlier" *
          takt_tests::traces("GSA-13")) {
  for (const auto root : roots) {
    std::set<counts> expected;
    for (const auto& c : all_of(takt::analysis::gpusync::detail::blocking_chains(root, 2, 3))) {
      if (std::get<0>(c) + std::get<1>(c) + std::get<2>(c) <= 3) { expected.insert(c); }
    }
    CHECK(all_of(takt::analysis::gpusync::detail::blocking_chains(2, 3, 3).of(root)) == expected);
  }
}

TEST_CASE("more tokens on a GPU than a chain has copies add no chain" * takt_tests::traces("GSA-13")) {
  for (int gpus = 2; gpus <= 3; ++gpus) {
    for (int length = 1; length <= 4; ++length) {
      for (const auto root : roots) {
        std::set<counts> expected;
        for (const auto& c : connected_chains(gpus, length + 1, root)) {
          if (std::get<0>(c) + std::get<1>(c) + std::get<2>(c) <= length) { expected.insert(c); }
        }
        CHECK(all_of(takt::analysis::gpusync::detail::blocking_chains(root, gpus, length + 1, length)) == expected);
        CHECK(all_of(takt::analysis::gpusync::detail::blocking_chains(root, gpus, 64, length)) == expected);
      }
    }
  }
}

TEST_CASE("sizes without chains give the empty one alone" * takt_tests::traces("GSA-13")) {
  for (const auto& [gpus, tokens] : {std::pair{0, 3}, {2, 0}, {1, 33}, {8, 5}, {-1, -1}, {1, 1}}) {
    for (const auto root : roots) {
      CHECK(takt::analysis::gpusync::detail::blocking_chains(root, gpus, tokens).size() == 0);
    }
  }
}

/// The greatest cost over all reachable totals, by plain enumeration.
[[nodiscard]] auto enumerated(const takt::analysis::gpusync::detail::blocking_chain_table& chains,
                              const takt::analysis::gpusync::detail::per_copy<std::int64_t>& own,
                              const takt::analysis::gpusync::detail::per_copy<std::int64_t>& limits,
                              const takt::analysis::gpusync::detail::per_copy<ticks>& lengths) -> ticks {
  std::set<counts> totals{{0, 0, 0}};
  const auto step = [&](const takt::analysis::gpusync::detail::chain_set& set, std::int64_t times) {
    for (std::int64_t t = 0; t < times; ++t) {
      std::set<counts> next = totals;
      for (const auto& [o, i, m] : totals) {
        for (const auto& [co, ci, cm] : all_of(set)) {
          if (o + co <= limits.out && i + ci <= limits.in && m + cm <= limits.peer) {
            next.insert({o + co, i + ci, m + cm});
          }
        }
      }
      totals = next;
    }
  };
  step(chains.out, own.out);
  step(chains.in, own.in);
  step(chains.migration, own.peer);
  ticks best = 0;
  for (const auto& [o, i, m] : totals) { best = std::max(best, lengths.out * o + lengths.in * i + lengths.peer * m); }
  return best;
}

TEST_CASE("the optimum is that of plain enumeration, whether the limits bind or not" * takt_tests::traces("GSA-14")) {
  std::mt19937 engine{7};
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint32_t>(high - low + 1));
  };
  int bound = 0;
  for (int round = 0; round < 150; ++round) {
    const auto gpus = static_cast<std::int32_t>(draw(2, 3));
    const auto chains = takt::analysis::gpusync::detail::blocking_chains(gpus, static_cast<std::int32_t>(draw(1, 2)));
    const takt::analysis::gpusync::detail::per_copy<std::int64_t> own{draw(0, 2), draw(0, 2), draw(0, 2)};
    const takt::analysis::gpusync::detail::per_copy<std::int64_t> limits{draw(0, 8), draw(0, 8), draw(0, 8)};
    const takt::analysis::gpusync::detail::per_copy<ticks> lengths{draw(0, 20), draw(0, 20), draw(0, 20)};
    const auto found = takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, own, limits, lengths);
    CHECK(found.exact);
    CHECK(found.time == enumerated(chains, own, limits, lengths));
    const auto free = takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, own, {1000, 1000, 1000}, lengths);
    bound += found.time < free.time ? 1 : 0;
  }
  CHECK(bound > 50);
}

TEST_CASE("W2: the dearest chain first is no upper bound" * takt_tests::traces("GSA-14")) {
  const auto chains = takt::analysis::gpusync::detail::blocking_chains(2, 3);
  const takt::analysis::gpusync::detail::per_copy<ticks> lengths{12143, 11813, 1757};
  const takt::analysis::gpusync::detail::per_copy<std::int64_t> limits{6, 0, 2};
  const auto best = takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {0, 2, 0}, limits, lengths);
  CHECK(best.time == 2 * (3 * 12143 + 1757));

  takt::analysis::gpusync::detail::per_copy<std::int64_t> left = limits;
  ticks greedy = 0;
  for (int request = 0; request < 2; ++request) {
    counts dearest{};
    ticks most = 0;
    for (const auto& [o, i, m] : all_of(chains.in)) {
      const ticks time = lengths.out * o + lengths.in * i + lengths.peer * m;
      if (o <= left.out && i <= left.in && m <= left.peer && most < time) {
        most = time;
        dearest = {o, i, m};
      }
    }
    left = {left.out - std::get<0>(dearest), left.in - std::get<1>(dearest), left.peer - std::get<2>(dearest)};
    greedy += most;
  }
  CHECK(greedy == 39943);
  CHECK(greedy < best.time);
}

TEST_CASE("with the right sides exchanged, as printed, a copy that waits for two others waits for none" *
          takt_tests::traces("GSA-14")) {
  const auto chains = takt::analysis::gpusync::detail::blocking_chains(2, 3);
  const takt::analysis::gpusync::detail::per_copy<ticks> lengths{12143, 11813, 1757};
  CHECK(takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {1, 0, 0}, {2, 0, 0}, lengths).time == 2 * 12143);
  CHECK(takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {1, 0, 0}, {0, 2, 0}, lengths).time == 0);
}

TEST_CASE("a program that is too large is bounded from above, and sums that do not fit are refused" *
          takt_tests::traces("GSA-14")) {
  const auto chains = takt::analysis::gpusync::detail::blocking_chains(4, 3);
  const takt::analysis::gpusync::detail::per_copy<ticks> lengths{30, 20, 10};
  const auto large =
      takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {40, 40, 40}, {150, 150, 150}, lengths);
  CHECK_FALSE(large.exact);
  CHECK(large.time == 150 * 60);
  const ticks huge = std::int64_t{1} << 61;
  CHECK(takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {2, 2, 2}, {50, 50, 50}, {huge, huge, huge})
            .overflow);
  CHECK(takt::analysis::gpusync::detail::chain_optimum<ticks>(chains, {0, 0, 0}, {5, 5, 5}, lengths).time == 0);
}

}  // namespace
