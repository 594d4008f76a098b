// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/kernels.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/accelerator_segments.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::analysis;
using takt::ticks;

using table = takt::task_table<ticks, 6, 64>;

constexpr std::array<std::string_view, 6> names{"a", "b", "c", "d", "e", "f"};

[[nodiscard]] auto board(std::int32_t cores, std::int32_t engines, std::int32_t tokens, std::int32_t sms)
    -> takt::platform_record {
  takt::platform_record out{.cores = cores, .copy_engines = engines, .gpus = {}};
  out.gpus.unchecked_push_back({.sms = sms, .virtual_per_sm = 1, .tokens = tokens});
  return out;
}

void add_stretch(table& out, ticks copy_in, ticks kernel, ticks copy_back) {
  if (copy_in > 0) {
    out.add_segment({.where = takt::stage::copy, .direction = takt::to_device, .time = {copy_in, copy_in}});
  }
  out.add_segment({.where = takt::stage::kernel, .time = {kernel, kernel}});
  if (copy_back > 0) {
    out.add_segment({.where = takt::stage::copy, .direction = takt::to_host, .time = {copy_back, copy_back}});
  }
}
void add_cpu(table& out, ticks time) { out.add_segment({.where = takt::stage::cpu, .time = {time, time}}); }

/// Three tasks with an interval of 6, 4 and 7 on one SM each, and one without.
[[nodiscard]] auto four_tasks() -> table {
  table out;
  out.add_task("a", 60, 60);
  add_cpu(out, 1);
  add_stretch(out, 1, 4, 1);
  add_cpu(out, 1);
  out.add_task("b", 80, 80);
  add_cpu(out, 2);
  out.add_task("c", 100, 100);
  add_cpu(out, 1);
  add_stretch(out, 0, 4, 0);
  add_cpu(out, 1);
  add_stretch(out, 2, 2, 0);
  add_cpu(out, 1);
  out.add_task("d", 200, 200);
  add_cpu(out, 2);
  add_stretch(out, 0, 6, 1);
  add_cpu(out, 2);
  return out;
}

template <class Order>
[[nodiscard]] auto bounds_of(const table& t, const takt::platform_record& platform) -> std::vector<ticks> {
  using analysis_type = takt::analysis::detail::locked_gpu_rta<table, Order>;
  REQUIRE(!analysis_type::fits(t, platform));
  analysis_type a(t, platform);
  std::vector<ticks> out;
  for (std::size_t k = 0; k < t.size() && a.evaluate(k); ++k) { out.push_back(a.bound(k).value); }
  return out;
}

[[nodiscard]] auto random_table(takt::random_stream& random, std::int32_t cores) -> table {
  table out;
  const auto tasks = random.between(2, 6);
  for (ticks i = 0; i < tasks; ++i) {
    const ticks period = random.between(30, 240);
    out.add_task(names[static_cast<std::size_t>(i)], period, random.between(period / 2, period), takt::no_priority,
                 static_cast<std::int32_t>(random.below(cores)));
    const auto range = [&random](ticks most) {
      const ticks upper = random.between(1, most);
      return takt::interval<ticks>{random.between(1, upper), upper};
    };
    out.add_segment({.where = takt::stage::cpu, .time = range(6)});
    for (ticks stretch = random.below(3); stretch > 0; --stretch) {
      if (random.chance(2, 3)) {
        out.add_segment({.where = takt::stage::copy, .direction = takt::to_device, .time = range(4)});
      }
      out.add_segment({.where = takt::stage::kernel, .time = range(18)});
      if (random.chance(1, 2)) {
        out.add_segment({.where = takt::stage::copy, .direction = takt::to_host, .time = range(4)});
      }
      out.add_segment({.where = takt::stage::cpu, .time = range(4)});
    }
  }
  takt::prioritize(out);
  return out;
}

/// How many bounds took the jobs of others with, and without, their suspensions.
struct formulas {
  int with = 0;
  int without = 0;
};

template <class Order>
void check_terms(std::uint64_t seed, formulas& seen) {
  takt::random_stream random{seed};
  for (int run = 0; run < 100; ++run) {
    const std::int32_t cores =
        std::same_as<Order, takt::r2dglp_order_rule> ? 1 : static_cast<std::int32_t>(random.between(1, 2));
    const auto tokens = static_cast<std::int32_t>(random.between(1, 3));
    const table t = random_table(random, cores);
    takt::analysis::detail::locked_gpu_rta<table, Order> a(t, board(cores, 1, tokens, 2 * tokens));
    std::size_t k = 0;
    for (; k < t.size() && a.evaluate(k); ++k) {
      ticks sum = 0;
      a.for_each_term(k, [&](const takt::term<ticks>& part) {
        sum += part.time;
        seen.with += part.what == takt::term_kind::job_interference ? 1 : 0;
        seen.without += part.what == takt::term_kind::cpu_interference ? 1 : 0;
      });
      CHECK(sum == a.bound(k).value);
    }
    if (k == t.size()) { continue; }
    ticks claimed = 0;
    a.for_each_demand(k, [&](const takt::term<ticks>& part) { claimed += part.time; });
    CHECK(claimed > t.tasks[k].deadline);
  }
}

}  // namespace

TEST_CASE("tokens under the k-FMLP: sections of a task wait for one of each task ahead in its queue") {
  // One token, one SM: c and d may stand before a, sections of 4 and 7.
  CHECK(bounds_of<takt::k_fmlp_order_rule>(four_tasks(), board(1, 1, 1, 1)) ==
        std::vector<ticks>{2 + 6 + 11, 2 + 2, 3 + 8 + 2 * 13 + 2 + 2, 4 + 7 + 10 + 2 + 2 + 3});
  // Two tokens: one copy of another holder lengthens each copy, so sections are 10, 6 (after 4), 9; one is ahead.
  const auto two = bounds_of<takt::k_fmlp_order_rule>(four_tasks(), board(1, 1, 2, 2));
  CHECK(two[0] == 2 + 10 + 9);
  CHECK(two[1] == 2 + 2);
  // As many tokens as users: nobody waits for one, and a copy waits for those of both others.
  const auto three = bounds_of<takt::k_fmlp_order_rule>(four_tasks(), board(1, 1, 3, 3));
  CHECK(three[0] == 2 + 6 + 2 * (2 + 1));
}

TEST_CASE("tokens under the R2DGLP: one section of another task per request") {
  const auto bounds = bounds_of<takt::r2dglp_order_rule>(four_tasks(), board(1, 1, 1, 1));
  REQUIRE(bounds.size() == 4);
  CHECK(bounds[0] == 8 + 7);
  CHECK(bounds[1] == 2 + 15);
  CHECK(bounds[2] == 11 + 2 * 7 + 17);
  CHECK(takt::analysis::detail::locked_gpu_rta<table, takt::r2dglp_order_rule>::fits(four_tasks(), board(2, 1, 1, 1))
            .fault == takt::model_fault::one_core_and_gpu_only);
}

TEST_CASE("tokens under the CK-OMLP: waits by cores with users, and a loan to lower tasks of the core") {
  table t = four_tasks();
  const auto one_core = bounds_of<takt::ck_omlp_order_rule>(t, board(1, 1, 1, 1));
  REQUIRE(one_core.size() == 4);
  CHECK(one_core[0] == 8 + 7);
  CHECK(one_core[1] == 2 + 7 + 15);
  t.tasks[1].core = 2;
  t.tasks[2].core = 1;
  t.tasks[3].core = 1;
  // Two cores have users: one request is ahead, and a loan takes two sections. b is alone on its core and never lends.
  const auto three_cores = bounds_of<takt::ck_omlp_order_rule>(t, board(3, 1, 1, 1));
  CHECK(three_cores == std::vector<ticks>{8 + 7, 2, 11 + 2 * 7 + 2 * 7, 11 + 6 + 39});
}

TEST_CASE("a token's sections with one token are the merged stretches") {
  takt::random_stream random{11};
  for (int run = 0; run < 50; ++run) {
    const table t = random_table(random, 2);
    const auto platform = board(2, 2, 1, 2);
    const takt::analysis::detail::token_sections<table> sections(t, platform);
    accelerator_segments<table> merged;
    for (std::size_t k = 0; k < t.size(); ++k) {
      merged.merge(t, k, [&](const takt::segment_record<ticks>& s) {
        takt::interval<ticks> time{};
        REQUIRE(t.kernel_bounds(s, platform.gpus[0].power(2), time));
        return time;
      });
      CHECK(sections.cpu(k) == merged.cpu(k));
      CHECK(sections.device(k) == merged.accelerator(k));
      CHECK(sections.longest(k) == merged.longest(k));
      CHECK(sections.requests(k) == merged.requests(k));
    }
  }
}

TEST_CASE("tokens of two GPUs count together, each kernel as on the slower slot") {
  takt::platform_record two = board(1, 1, 1, 1);
  two.gpus.unchecked_push_back({.sms = 4, .virtual_per_sm = 1, .tokens = 2});
  const takt::analysis::detail::token_sections<table> sections(four_tasks(), two);
  CHECK(sections.tokens() == 3);
  CHECK(sections.device(0) == 1 + 4 + 1 + 2 * (2 + 1));
}

TEST_CASE("the parts of a bound under tokens add up to it, and those of none exceed the deadline") {
  formulas fifo;
  check_terms<takt::k_fmlp_order_rule>(4, fifo);
  CHECK(fifo.with > 0);
  CHECK(fifo.without > 0);
  formulas others;
  check_terms<takt::r2dglp_order_rule>(5, others);
  check_terms<takt::ck_omlp_order_rule>(6, others);
  CHECK(others.with > 0);
  CHECK(others.without == 0);
}

TEST_CASE("token pools: what does not fit is a status") {
  using analysis_type = takt::analysis::detail::locked_gpu_rta<table, takt::k_fmlp_order_rule>;
  CHECK(analysis_type::fits(four_tasks(), board(1, 1, 3, 2)).fault == takt::model_fault::platform_size_out_of_range);
  CHECK(analysis_type::fits(four_tasks(), board(1, 1, 0, 2)).fault == takt::model_fault::platform_size_out_of_range);
  CHECK(analysis_type::fits(four_tasks(), board(1, 0, 1, 1)).fault == takt::model_fault::copy_without_engine);

  const auto huge = [](ticks kernel) {
    table out;
    for (const auto name : names) {
      out.add_task(name, 100, 100);
      add_cpu(out, 1);
      for (int j = 0; j < 4; ++j) {
        add_stretch(out, 0, kernel, 0);
        add_cpu(out, 1);
      }
    }
    return out;
  };
  // Own times fit, but not what six tasks with four requests each wait together.
  const ticks most = std::numeric_limits<ticks>::max();
  const table waits = huge(most / (25 * 70));
  CHECK(!chain_fault(waits, board(1, 1, 1, 1)));
  CHECK(analysis_type::fits(waits, board(1, 1, 1, 1)).fault == takt::model_fault::time_overflow);
  CHECK(analysis_type::fits(huge(most / 4), board(1, 1, 1, 1)).fault == takt::model_fault::time_overflow);
}

TEST_CASE("analyze picks the analysis of a token pool by its order, and judges at the deadline") {
  const auto verdict_with = [](auto order, ticks deadline) {
    const auto cores = takt::pool(takt::processors(1), takt::fixed_priority);
    const auto gpu = takt::pool(takt::virtual_sms(2, 1), takt::locked(order, 1));
    const auto one = takt::task("one", takt::period(takt::duration{100}), takt::deadline(takt::duration{deadline}),
                                takt::cpu(takt::duration{1}, takt::duration{1}),
                                takt::kernel(takt::work(takt::duration{20}, takt::duration{20})),
                                takt::cpu(takt::duration{1}, takt::duration{1}));
    const auto two =
        takt::task("two", takt::period(takt::duration{200}), takt::cpu(takt::duration{1}, takt::duration{1}),
                   takt::kernel(takt::work(takt::duration{30}, takt::duration{30})),
                   takt::cpu(takt::duration{1}, takt::duration{1}));
    return takt::analysis::analyze_by<takt::published>(takt::platform(cores, gpu), takt::task_set(one, two),
                                                       takt::dedicate(0, 0));
  };
  // 2 + 10 of its own and the section of 15 of the other one.
  const auto fits = verdict_with(takt::r2dglp_order, 27);
  CHECK(fits.schedulable());
  CHECK(fits.tasks[0].bound.value == 27);
  CHECK(fits.method == "locked-gpu-r2dglp");
  const auto misses = verdict_with(takt::k_fmlp_order, 26);
  CHECK(misses.status == takt::verdict_status::not_proven);
  CHECK(misses.first_unproven() == 0);
  CHECK(misses.method == "locked-gpu-k-fmlp");
  CHECK(verdict_with(takt::ck_omlp_order, 27).method == "locked-gpu-ck-omlp");
}
