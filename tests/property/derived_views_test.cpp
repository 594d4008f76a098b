// SPDX-License-Identifier: Apache-2.0
// Random kernels are blocks of random lengths that SMs run one after the other. Whatever is said of such a kernel, no
// view is sharper than what the kernel does, nor than what was measured of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/model/runtime_kernel.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/kernel_views.hpp>

#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::interval;
using takt::model_fault;
using takt::ticks;
using takt::visit_fact;
using takt::visit_view;

/// Blocks behind a launch, which takes `serial`. Beside another block, one may take `stretch` tenths of its time.
struct true_kernel {
  std::vector<interval<ticks>> blocks;
  ticks serial = 0;
  std::int64_t stretch = 10;
  std::int32_t all = 1;               ///< virtual SMs
  std::vector<interval<ticks>> seen;  ///< on 1, 2, ... virtual SMs; fewer are never faster

  [[nodiscard]] auto longest_block() const -> ticks {
    ticks out = 0;
    for (const auto& b : blocks) { out = std::max(out, b.upper * stretch / 10); }
    return out;
  }
  [[nodiscard]] auto work() const -> interval<ticks> {
    interval<ticks> out{serial, serial};
    for (const auto& b : blocks) { out = {out.lower + b.lower, out.upper + b.upper}; }
    return out;
  }
};

/// One run on so many virtual SMs, each of which takes the next block when it is free.
auto run_of(const true_kernel& k, std::int32_t sms, draws& d, int manner) -> ticks {
  std::vector<ticks> lengths;
  for (const auto& b : k.blocks) {
    const ticks most = b.upper * k.stretch / 10;
    lengths.push_back(manner == 0 ? most : manner == 1 ? b.lower : d.between(b.lower, most));
  }
  std::ranges::sort(lengths);
  for (std::size_t i = lengths.size(); manner != 0 && i > 1; --i) {
    std::swap(lengths[i - 1], lengths[static_cast<std::size_t>(d.between(0, static_cast<ticks>(i) - 1))]);
  }
  std::vector<ticks> busy(static_cast<std::size_t>(sms), 0);
  for (const ticks length : lengths) { *std::ranges::min_element(busy) += length; }
  return k.serial + *std::ranges::max_element(busy);
}

auto random_kernel(draws& d, const takt::gpu_record& gpu) -> true_kernel {
  true_kernel k;
  k.all = gpu.sms * gpu.virtual_per_sm;
  const std::array<std::int64_t, 3> ratios{10, 15, 18};
  if (gpu.virtual_per_sm > 1) { k.stretch = ratios[static_cast<std::size_t>(d.between(0, 2))]; }
  k.serial = d.one_in(2) ? 0 : d.between(1, 60);
  const ticks count = d.one_in(4) ? 1 : d.between(1, 30);
  for (ticks b = 0; b < count; ++b) {
    const ticks upper = 10 * (d.one_in(5) ? d.between(20, 40) : d.between(1, 9));
    k.blocks.push_back({d.between(1, upper), upper});
  }
  for (std::int32_t n = 1; n <= k.all; ++n) {
    interval<ticks> seen{run_of(k, n, d, 1), run_of(k, n, d, 0)};
    for (int r = 0; r < 6; ++r) {
      const ticks t = run_of(k, n, d, r == 0 ? 1 : 2);
      seen = {std::min(seen.lower, t), std::max(seen.upper, t)};
    }
    k.seen.push_back(seen);
  }
  for (std::size_t n = k.seen.size(); n-- > 1;) {
    k.seen[n - 1].upper = std::max(k.seen[n - 1].upper, k.seen[n].upper);
    k.seen[n].lower = std::min(k.seen[n].lower, k.seen[n - 1].lower);
  }
  for (std::size_t n = 1; n < k.seen.size(); ++n) { k.seen[n].lower = std::min(k.seen[n].lower, k.seen[n - 1].lower); }
  return k;
}

/// Everything that measurements of the kernel say.
struct measured_kernel {
  takt::runtime_visit visit{.where = takt::resource_kind::gpu};
  takt::wcet_row row{};

  measured_kernel(const true_kernel& k, draws& d) {
    visit.work = k.work();
    visit.overhead = k.serial + k.longest_block();
    visit.interleave_numerator = k.stretch;
    visit.interleave_denominator = 10;
    visit.samples = static_cast<std::uint32_t>(k.seen.size());
    visit.blocks = static_cast<std::int64_t>(k.blocks.size());
    visit.threads = 32;
    visit.block_length = k.longest_block();
    visit.wcet = k.seen.back().upper;
    visit.preemption_cost = std::min(k.longest_block(), visit.wcet);
    visit.time = k.seen.back();
    std::array<ticks, takt::wcet_row::shares> times{};
    for (std::size_t x = 0; x < times.size(); ++x) {
      const std::size_t sms = (x + 1) * k.seen.size() / 100;
      times[x] = sms == 0 ? takt::unbounded_time : k.seen[sms - 1].upper;
    }
    row = takt::wcet_row::measured(times);
    // those that go together
    for (const visit_fact f : {visit_fact::work, visit_fact::times_on_sms, visit_fact::wcet, visit_fact::wcet_by_share,
                               visit_fact::preemption_cost, visit_fact::time}) {
      if (d.one_in(2)) { visit.known.add(f); }
    }
    // a bound of the wave that is far off, and does not contradict what is given for all of the kernel
    if (!visit.known.has(visit_fact::wcet) && d.one_in(3)) { visit.preemption_cost *= d.between(2, 40); }
    if (visit.known.has(visit_fact::work) || d.one_in(2)) {
      visit.known.add(visit_fact::overhead);
      visit.known.add(visit_fact::interleave);
    }
    // the launch of a grid is no part of its blocks
    if (k.serial == 0 || visit.known.has(visit_fact::overhead)) {
      visit.known.add(visit_fact::grid);
      visit.known.add(visit_fact::block_length);
    }
  }
  [[nodiscard]] auto kernel(const true_kernel& k) const -> takt::runtime_kernel {
    return {.visit = &visit, .row = &row, .samples = k.seen.data()};
  }
  /// The same, of which nothing is said but this.
  template <class... Facts>
  [[nodiscard]] auto with(Facts... facts) const -> measured_kernel {
    measured_kernel out = *this;
    out.visit.known = {};
    (out.visit.known.add(facts), ...);
    return out;
  }
};

constexpr bool is_known(const visit_view& v) { return v.fault == model_fault::none; }

/// Views that are sharper than what the kernel took there on a GPU of this speed.
auto sharper(const visit_view& v, interval<ticks> seen, takt::gpu_speed speed = {}) -> bool {
  if (!is_known(v)) {
    CHECK(v.fault == model_fault::visit_time_unknown);
    return false;
  }
  return v.time.upper * speed.numerator < seen.upper * speed.denominator ||
         v.time.lower * speed.numerator > seen.lower * speed.denominator;
}

}  // namespace

TEST_CASE("no view of a kernel is sharper than its runs, whatever is said of it") {
  const std::uint64_t kernels = composed_systems::systems_or(4000);
  std::uint64_t seen = 0;
  std::uint64_t unknown = 0;
  std::uint64_t violations = 0;
  std::uint64_t capped = 0;  // costs that were said to be longer than the kernel
  for (std::uint64_t seed = 0; seed < kernels; ++seed) {
    draws d{seed};
    takt::gpu_record gpu{.sms = static_cast<std::int32_t>(d.between(1, 6)),
                         .virtual_per_sm = static_cast<std::int32_t>(d.between(1, 2)),
                         .shared = d.one_in(3)};
    if (d.one_in(3)) { gpu.speed = {3, 2}; }
    const true_kernel truth = random_kernel(d, gpu);
    const measured_kernel said{truth, d};
    const takt::runtime_kernel k = said.kernel(truth);
    const auto check = [&](const visit_view& v, std::size_t sms) {
      ++(is_known(v) ? seen : unknown);
      violations += sharper(v, truth.seen[sms - 1], gpu.speed) ? 1U : 0U;
      if (!is_known(v) && !v.lacks) { CHECK(sms < truth.seen.size()); }
    };
    const auto all = truth.seen.size();
    for (std::size_t n = 1; n <= all; ++n) { check(takt::time_on_sms(k, gpu, static_cast<std::int32_t>(n)), n); }
    check(takt::time_on_gpu(k, gpu), all);
    const visit_view stops = takt::stoppable_time(k, gpu);
    check(stops, all);
    if (is_known(stops)) {
      const ticks wave = std::min(truth.longest_block(), truth.seen.back().upper);
      violations += stops.values.at[0] * gpu.speed.numerator < wave * gpu.speed.denominator;
      violations += stops.values.at[0] > stops.time.upper;
      capped += stops.values.at[0] * gpu.speed.numerator < said.visit.preemption_cost * gpu.speed.denominator;
    }
    for (std::int32_t tokens = 1; tokens <= static_cast<std::int32_t>(all); ++tokens) {
      check(takt::time_behind_token(k, gpu, tokens, true), all / static_cast<std::size_t>(tokens));
    }
    for (std::int32_t percent = 1; percent <= 100; percent += 3) {
      const std::size_t sms = static_cast<std::size_t>(percent) * all / 100;
      const visit_view v = takt::time_at_share(k, gpu, percent);
      if (sms == 0) {
        CHECK_FALSE(is_known(v));
      } else {
        check(v, sms);
      }
    }
  }
  CHECK(violations == 0);
  CHECK(seen > kernels * 10);
  CHECK(unknown > kernels);
  CHECK(capped > kernels / 100);
}

TEST_CASE("a view from one fact is never sharper than the one from what was measured there") {
  const std::uint64_t kernels = composed_systems::systems_or(4000);
  std::uint64_t pairs = 0;
  std::uint64_t violations = 0;
  for (std::uint64_t seed = 0; seed < kernels; ++seed) {
    draws d{seed};
    const takt::gpu_record gpu{.sms = static_cast<std::int32_t>(d.between(1, 6)),
                               .virtual_per_sm = static_cast<std::int32_t>(d.between(1, 2))};
    true_kernel truth = random_kernel(d, gpu);
    const measured_kernel said{truth, d};
    using enum visit_fact;
    const auto table = said.with(times_on_sms);
    const auto whole = said.with(wcet);
    const auto rows = said.with(wcet_by_share);
    const std::array derived{said.with(work, overhead, interleave), said.with(grid, block_length, overhead), rows};
    const auto all = static_cast<std::int32_t>(truth.seen.size());
    const auto compare = [&](const visit_view& from, const visit_view& given) {
      if (!is_known(from) || !is_known(given)) { return; }
      ++pairs;
      violations += from.time.upper < given.time.upper ? 1U : 0U;
    };
    for (const measured_kernel& m : derived) {
      const auto k = m.kernel(truth);
      for (std::int32_t n = 1; n <= all; ++n) {
        compare(takt::time_on_sms(k, gpu, n), takt::time_on_sms(table.kernel(truth), gpu, n));
      }
      compare(takt::time_on_gpu(k, gpu), takt::time_on_gpu(whole.kernel(truth), gpu));
      compare(takt::time_on_gpu(k, gpu), takt::time_on_gpu(table.kernel(truth), gpu));
      for (std::int32_t percent = 1; percent <= 100; percent += 3) {
        compare(takt::time_at_share(k, gpu, percent), takt::time_at_share(rows.kernel(truth), gpu, percent));
      }
      // a given time on the whole GPU bounds what is derived for a part of it
      const auto both = m.with(wcet);
      measured_kernel more = m;
      more.visit.known.add(wcet);
      for (std::int32_t n = 1; n <= all; ++n) {
        compare(takt::time_on_sms(more.kernel(truth), gpu, n), takt::time_on_gpu(both.kernel(truth), gpu));
        compare(takt::time_on_sms(more.kernel(truth), gpu, n), takt::time_on_sms(k, gpu, n));
      }
    }
    // one SM at a time, of as many as a table of times has
    compare(takt::time_on_gpu(table.kernel(truth), gpu), takt::time_on_gpu(whole.kernel(truth), gpu));
    // without what it costs to stop, to its end
    const auto stops = takt::stoppable_time(said.with(wcet, preemption_cost).kernel(truth), gpu);
    const auto ends = takt::stoppable_time(whole.kernel(truth), gpu);
    CHECK(stops.values.at[0] <= ends.values.at[0]);
  }
  CHECK(violations == 0);
  CHECK(pairs > kernels * 50);
}

TEST_CASE("kernels in a block queue alone never take longer than the view of their blocks") {
  const std::uint64_t kernels = composed_systems::systems_or(4000);
  std::uint64_t violations = 0;
  for (std::uint64_t seed = 0; seed < kernels; ++seed) {
    draws d{seed};
    const takt::gpu_record gpu{.sms = static_cast<std::int32_t>(d.between(1, 6)),
                               .virtual_per_sm = static_cast<std::int32_t>(d.between(1, 2))};
    true_kernel truth = random_kernel(d, gpu);
    truth.serial = 0;
    measured_kernel said{truth, d};
    said = said.with(visit_fact::grid, visit_fact::block_length);
    const auto rule = takt::block_queue_rule<>{}.on(takt::block_slots(gpu.sms, 32 * gpu.virtual_per_sm));
    const visit_view v = rule.view(said.kernel(truth));
    REQUIRE(is_known(v));
    for (int r = 0; r < 6; ++r) { violations += run_of(truth, truth.all, d, r) > v.time.upper ? 1U : 0U; }
  }
  CHECK(violations == 0);
}

TEST_CASE("the same kernels catch derivations that leave something out") {
  const std::uint64_t kernels = 4000;
  std::uint64_t no_serial_part = 0;
  std::uint64_t whole_rounds_only = 0;
  std::uint64_t wcet_on_a_part = 0;
  std::uint64_t no_neighbours = 0;
  std::uint64_t next_share = 0;
  for (std::uint64_t seed = 0; seed < kernels; ++seed) {
    draws d{seed};
    const takt::gpu_record gpu{.sms = static_cast<std::int32_t>(d.between(1, 6)),
                               .virtual_per_sm = static_cast<std::int32_t>(d.between(1, 2))};
    const true_kernel truth = random_kernel(d, gpu);
    const measured_kernel said{truth, d};
    const takt::runtime_visit& v = said.visit;
    for (std::size_t n = 1; n <= truth.seen.size(); ++n) {
      const auto sms = static_cast<std::int32_t>(n);
      const ticks seen = truth.seen[n - 1].upper;
      const auto sharp = [&](ticks upper) { return std::uint64_t{upper < seen}; };
      no_serial_part += sharp(v.work.upper * v.interleave_numerator / (10 * sms) + 1);
      whole_rounds_only += sharp(v.blocks / sms * v.block_length + truth.serial);
      wcet_on_a_part += sharp(v.wcet);
      no_neighbours += sharp((v.work.upper - v.overhead) / sms + v.overhead);
      const std::int32_t share = std::min(100 * sms / truth.all + 100 / truth.all, 100);
      next_share += sharp(said.row.at(takt::share::bounded(share)));
    }
  }
  CHECK(no_serial_part > 0);
  CHECK(whole_rounds_only > 0);
  CHECK(wcet_on_a_part > 0);
  CHECK(no_neighbours > 0);
  CHECK(next_share > 0);
}
