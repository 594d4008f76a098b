// SPDX-License-Identifier: Apache-2.0
// Every combination of rules of processors, copy engines and a GPU with every shape of jobs is asked of every combiner,
// and each proof is held against runs. Keeps docs/combinations.md; TAKT_WRITE_TABLES=1 writes it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/lasting_shares.hpp>
#include "property/composed_systems.hpp"
#include "support/generated_table.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;

constexpr std::int32_t no_tokens = 0;

struct choice {
  std::string_view name;
  takt::any_rule<visits> rule;
  std::int32_t units = 1;
  std::int32_t tokens = no_tokens;
  takt::visit_view (*kernel)(draws&) = nullptr;  ///< of what its view reads; else any time
  takt::any_token_rule<visits> order = takt::fifo_order;
  std::int32_t stations = 1;  ///< of so many units each
};

/// A rule of the test's own: its lock is a single queue, of which its bound knows only that it never idles.
struct some_order {
  static constexpr std::string_view name = "some order";
  template <std::size_t Clients>
  [[nodiscard]] static auto make_lock(const takt::token_setting& at) {
    return takt::fifo_order.make_lock<Clients>(at);
  }
  static void delays(std::span<takt::section_demand> sections, const takt::token_setting& at) {
    an::work_conserving_delays(sections, at.tokens);
  }
};

auto cpu_rules() -> std::array<choice, 13> {
  return {{{"fixed priority", takt::fixed_priority},
           {"rate monotonic", takt::rate_monotonic},
           {"deadline monotonic", takt::deadline_monotonic},
           {"EDF", takt::edf},
           {"non-preemptive fixed priority", takt::nonpreemptive(takt::fixed_priority)},
           {"non-preemptive EDF", takt::nonpreemptive(takt::edf)},
           {"FIFO", takt::fifo},
           {"fixed priority, 2 cores", takt::fixed_priority, 2},
           {"EDF, 2 cores", takt::g_edf, 2},
           {"EDF, 2 clusters of 2 cores", takt::clustered(takt::edf, 2), 2, no_tokens, nullptr, takt::fifo_order, 2},
           {"fair lateness, 2 cores", takt::g_fl, 2},
           {"earliest release, 2 cores", takt::g_fifo, 2},
           {"non-preemptive EDF, 2 cores", takt::nonpreemptive(takt::g_edf), 2}}};
}
auto copy_rules() -> std::array<choice, 4> {
  return {{{"FIFO", takt::fifo},
           {"FIFO, two engines", takt::fifo, 2},
           {"non-preemptive fixed priority", takt::nonpreemptive(takt::fixed_priority)},
           {"non-preemptive EDF", takt::nonpreemptive(takt::edf)}}};
}
constexpr takt::block_queue_rule<4, 32> block_queue{.gpu = {.sms = 2, .threads_per_sm = 4}, .warp_size = 1};
constexpr takt::block_queue_rule<4, 32> few_slots{.gpu = {.sms = 2, .threads_per_sm = 8, .block_slots = 2}, .warp_size = 1};
constexpr takt::lasting_shares_rule<takt::gpu_shares_resource> lasting_shares{};

template <const auto& Rule>
auto kernel_of_blocks(draws& d) -> takt::visit_view {
  const auto threads = static_cast<std::int32_t>(d.between(1, 4));
  const auto time = takt::duration{d.between(1, 3)};
  return Rule.view(takt::kernel(takt::grid(d.between(1, 10), threads), takt::block_length(time)));
}
auto kernel_by_share(draws& d) -> takt::visit_view {
  const auto row = takt::wcet_row::scaling(d.between(1, 4), static_cast<std::int32_t>(d.between(600, 1000)));
  return lasting_shares.view(takt::kernel(row), {.percent = 25});
}

/// For one of two cores or for both, in waves of some length.
auto kernel_in_waves(draws& d) -> takt::visit_view {
  const ticks upper = d.between(1, 6);
  const takt::kernel_needs needs{d.between(0, (upper + 1) / 2), static_cast<std::int32_t>(d.between(-1, 1))};
  return {.time = {d.between(0, upper), upper}, .values = needs.values()};
}
auto slots_under(const auto& policy) -> takt::any_rule<visits> {
  const takt::duration half{4};
  return takt::slots(policy, takt::pinned_slot(takt::duration{}, half), takt::gang_slot(half, half),
                     takt::period(takt::duration{8}));
}

auto gpu_rules() -> std::array<choice, 22> {
  return {{{"SMs of one's own", takt::federated},
           {"whole, FIFO", takt::fifo},
           {"whole, fixed priority", takt::nonpreemptive(takt::fixed_priority)},
           {"whole, EDF", takt::nonpreemptive(takt::edf)},
           {"time slices", takt::time_slices(takt::duration{3}, takt::duration{0})},
           {"time slices, switching", takt::time_slices(takt::duration{4}, takt::duration{1})},
           {"blocks in one queue", block_queue, 1, no_tokens, kernel_of_blocks<block_queue>},
           {"blocks, few slots", few_slots, 1, no_tokens, kernel_of_blocks<few_slots>},
           {"lasting shares", lasting_shares, 1, no_tokens, kernel_by_share},
           {"stream levels, fixed priority", takt::levels(takt::fixed_priority), 1, no_tokens, kernel_in_waves},
           {"stream levels, EDF", takt::levels(takt::edf), 1, no_tokens, kernel_in_waves},
           {"slots, fixed priority", slots_under(takt::fixed_priority), 1, no_tokens, kernel_in_waves},
           {"slots, EDF", slots_under(takt::edf), 1, no_tokens, kernel_in_waves},
           {"gang, fixed priority", takt::gang(takt::fixed_priority), 1, no_tokens, kernel_in_waves},
           {"gang, EDF", takt::gang(takt::edf, takt::strict), 1, no_tokens, kernel_in_waves},
           {"one token, k-FMLP", takt::federated, 1, 1, nullptr, takt::k_fmlp_order},
           {"two tokens, k-FMLP", takt::federated, 1, 2, nullptr, takt::k_fmlp_order},
           {"one token, R2DGLP", takt::federated, 1, 1, nullptr, takt::r2dglp_order},
           {"two tokens, R2DGLP", takt::federated, 1, 2, nullptr, takt::r2dglp_order},
           {"one token, CK-OMLP", takt::federated, 1, 1, nullptr, takt::ck_omlp_order},
           {"two tokens, FIFO", takt::federated, 1, 2, nullptr, takt::fifo_order},
           {"two tokens, a test's own", takt::federated, 1, 2, nullptr, some_order{}}}};
}

enum class shape : std::uint8_t { chain, graph, both };

constexpr std::uint32_t on_cpu = 0;
constexpr std::uint32_t on_engine = 1;
constexpr std::uint32_t on_gpu = 2;
constexpr std::uint32_t on_second_cluster = 3;

/// Any time up to a longest one, or what the rule sees of a kernel.
auto drawn_view(draws& d, const choice& kernels, std::uint32_t station, takt::interval<ticks> any) -> takt::visit_view {
  if (station != on_gpu || kernels.kernel == nullptr) { return {.time = any}; }
  const auto seen = kernels.kernel(d);
  REQUIRE(seen.fault == takt::model_fault::none);
  return seen;
}

auto add_chain(draws& d, table& set, const choice& kernels) {
  const auto place = [&](std::uint32_t station, ticks most) {
    const ticks upper = d.between(1, most);
    const auto seen = drawn_view(d, kernels, station, {d.between(0, upper), upper});
    REQUIRE(set.add_next(station, seen.time.lower, seen.time.upper, seen.values));
  };
  place(on_cpu, 5);
  if (d.one_in(4)) { return; }
  place(on_engine, 3);
  place(on_gpu, 7);
  place(on_engine, 3);
  place(on_cpu, 5);
  if (kernels.tokens != no_tokens) {
    REQUIRE(set.sections.push_back({static_cast<std::uint32_t>(set.size() - 1), 0, takt::visit_mask{0b1110}}));
  }
}

auto add_graph(draws& d, table& set, const choice& kernels) {
  const ticks length = d.between(2, 5);
  for (ticks j = 0; j < length; ++j) {
    const ticks upper = d.between(1, 5);
    const auto after = static_cast<takt::visit_mask>(d.between(0, 31)) & ((takt::visit_mask{1} << j) - 1);
    const ticks lower = d.between(0, upper);
    const auto station = static_cast<std::uint32_t>(d.between(on_cpu, on_gpu));
    const auto seen = drawn_view(d, kernels, station, {lower, upper});
    REQUIRE(set.add_visit(station, seen.time.lower, seen.time.upper, after, seen.values));
  }
}

auto system_of(std::uint64_t seed, const choice& cpu, const choice& copies, const choice& kernels, shape form)
    -> random_system {
  draws d{seed};
  random_system out;
  for (const choice* c : {&cpu, &copies, &kernels}) { REQUIRE(out.places.add(c->rule, c->units)); }
  if (cpu.stations > 1) { REQUIRE(out.places.add(cpu.rule, cpu.units)); }
  if (kernels.tokens != no_tokens) { REQUIRE(out.places.add_tokens(kernels.order, kernels.tokens)); }
  const ticks count = d.between(2, 4);
  const ticks slack = d.between(2, 9);
  for (ticks i = 0; i < count; ++i) {
    REQUIRE(out.set.add_task({.name = "t", .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    if (form == shape::chain || (form == shape::both && i % 2 == 0)) {
      add_chain(d, out.set, kernels);
    } else {
      add_graph(d, out.set, kernels);
    }
    auto& t = out.set.tasks.back();
    for (std::uint32_t v = t.first_visit; cpu.stations > 1 && i % 2 == 1 && v < out.set.visits.size(); ++v) {
      if (out.set.visits[v].station == on_cpu) { out.set.visits[v].station = on_second_cluster; }
    }
    ticks sum = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) { sum += out.set.visit(out.set.size() - 1, p).upper; }
    t.period = sum * count * slack / 5 + d.between(1, 9);
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
  }
  return out;
}

struct proofs {
  std::uint64_t systems = 0;
  std::uint64_t holistic = 0;
  std::uint64_t guarded = 0;
  std::uint64_t inflated = 0;
  std::uint64_t any = 0;
};

void judge(const random_system& s, std::uint64_t seed, proofs& p, tally& count) {
  const auto ask = [&](const auto& verdict, std::uint64_t& proven) {
    REQUIRE_FALSE(verdict.error);
    REQUIRE_FALSE(verdict.method.empty());
    proven += verdict.schedulable() ? 1U : 0U;
    hold(s, verdict, seed, count);
    return verdict.schedulable();
  };
  const bool first = ask(an::holistic(s.set, s.places), p.holistic);
  const bool second = ask(an::guarded(s.set, s.places), p.guarded);
  const bool third = ask(an::inflated(s.set, s.places), p.inflated);
  ++p.systems;
  p.any += first || second || third ? 1U : 0U;
}

auto percent(std::uint64_t part, const proofs& p) -> std::string {
  return std::to_string(part * 100 / p.systems) + " |";
}

constexpr auto marker = "<!-- The table below is made by tests/property/combinations_test.cpp. -->\n\n";

}  // namespace

TEST_CASE("every combination of rules and shapes is judged soundly, and proven as docs/combinations.md says") {
  const std::uint64_t systems = systems_or(8);
  tally count;
  std::string lines =
      "| processors | GPU | holistic | guarded | inflated | any |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const choice& cpu : cpu_rules()) {
    for (const choice& kernels : gpu_rules()) {
      proofs p;
      std::uint64_t seed = 0;
      for (const choice& copies : copy_rules()) {
        for (const shape form : {shape::chain, shape::graph, shape::both}) {
          for (std::uint64_t k = 0; k < (cpu.units > 1 ? (systems + 1) / 2 : systems); ++k) {
            ++seed;
            judge(system_of(seed, cpu, copies, kernels, form), seed, p, count);
          }
        }
      }
      CHECK(p.any > 0);
      lines += "| " + std::string{cpu.name} + " | " + std::string{kernels.name} + " | " + percent(p.holistic, p) + " " +
               percent(p.guarded, p) + " " + percent(p.inflated, p) + " " + percent(p.any, p) + "\n";
    }
  }
  MESSAGE(count.proven << " proofs, " << count.jobs << " jobs");
  CHECK(count.violations == 0);
  if (std::getenv("TAKT_SYSTEMS") != nullptr) { return; }  // NOLINT(concurrency-mt-unsafe)
  takt_tests::expect_table("docs/combinations.md", marker, lines);
}
