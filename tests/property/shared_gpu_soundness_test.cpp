// SPDX-License-Identifier: Apache-2.0
// GPUs that kernels share block by block, or by lasting shares, beside processors and copy engines of any rule: bounds
// are held against the engine, and the engine against the simulators of these GPUs alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/shares/share_baselines.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;
using namespace composed_systems;

using queue_rule = takt::block_queue_rule<4, 32>;
using share_rule = takt::lasting_shares_rule<takt::gpu_shares_resource>;

auto random_queue(draws& d) -> queue_rule {
  return {{.sms = static_cast<std::int32_t>(d.between(1, 4)),
           .threads_per_sm = d.between(1, 8),
           .block_slots = d.one_in(3) ? d.between(1, 4) : 0},
          1};
}
/// Warps of several threads, of which an SM has a few and may be short of one.
auto random_warped_queue(draws& d) -> queue_rule {
  queue_rule out = random_queue(d);
  out.warp_size = static_cast<std::int32_t>(d.between(2, 4));
  out.gpu.threads_per_sm = out.warp_size * d.between(1, 4) + d.between(0, out.warp_size - 1);
  return out;
}
/// One block as large as an SM now and then, and many small ones.
auto random_kernel(draws& d, const queue_rule& rule, bool with_serial_parts = true) -> takt::visit_view {
  const ticks room = rule.gpu.threads_per_sm / rule.warp_size * rule.warp_size;
  const ticks threads = d.one_in(4) ? room : d.one_in(2) ? 1 : d.between(1, room);
  const auto grid = takt::grid(d.one_in(3) ? d.between(1, 3) : d.between(1, 16), static_cast<std::int32_t>(threads));
  const takt::duration length{d.between(1, 5)};
  const takt::duration serial{with_serial_parts && d.one_in(2) ? d.between(1, 9) : 0};
  const auto out = rule.view(takt::visit<takt::gpu>(grid, takt::block_length(length), takt::overhead(serial)));
  REQUIRE(out.fault == takt::model_fault::none);
  return out;
}
auto random_kernel(draws& d, const share_rule& rule, std::int32_t percent) -> takt::visit_view {
  const auto row = takt::wcet_row::scaling(d.between(1, 5), static_cast<std::int32_t>(d.between(0, 800)));
  const auto out = rule.view(takt::kernel(row), {.percent = percent});
  REQUIRE(out.fault == takt::model_fault::none);
  return out;
}

constexpr std::uint32_t on_gpu = 0;
constexpr std::uint32_t on_cpu = 1;
constexpr std::uint32_t on_engine = 2;

struct what {
  bool only_kernels = false;
  bool tight = false;  ///< periods that leave no slack
  bool warps = false;  ///< of more than one thread
};

/// `kernel_of(d, task)` draws the kernels of a task on the GPU of `rule`.
template <class KernelOf>
auto system_on(draws& d, const takt::any_rule<visits>& rule, what kind, const KernelOf& kernel_of) -> random_system {
  random_system out;
  REQUIRE(out.places.add(rule));
  const std::array<takt::any_rule<visits>, 5> processors{takt::deadline_monotonic, takt::fixed_priority, takt::edf,
                                                         takt::nonpreemptive(takt::fixed_priority), takt::fifo};
  REQUIRE(out.places.add(processors[static_cast<std::size_t>(d.between(0, 4))]));
  REQUIRE(out.places.add(takt::fifo, static_cast<std::int32_t>(d.between(1, 2))));
  const ticks count = d.between(2, 4);
  const ticks slack = kind.tight ? d.between(1, 3) : d.between(2, 9);
  for (ticks i = 0; i < count; ++i) {
    REQUIRE(out.set.add_task({.name = "t", .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    const bool graph = d.one_in(2);
    const ticks length = d.between(1, 5);
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 31)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      if (kind.only_kernels || d.one_in(2)) {
        const takt::visit_view seen = kernel_of(d, i);
        REQUIRE(out.set.add_visit(on_gpu, seen.time.lower, seen.time.upper, after, seen.values));
        sum += seen.time.upper;
      } else {
        const ticks upper = d.one_in(8) ? 0 : d.between(1, 5);
        REQUIRE(out.set.add_visit(d.one_in(2) ? on_cpu : on_engine, d.between(0, upper), upper, after));
        sum += upper;
      }
    }
    auto& t = out.set.tasks.back();
    t.period = kind.tight ? sum * d.between(2, 2 + count * slack) / 2 + 1 : sum * count * slack / 4 + d.between(1, 9);
    t.jitter = d.one_in(3) ? d.between(0, t.period / 4) : 0;
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
  }
  return out;
}

template <class Rule = queue_rule>
auto block_system(std::uint64_t seed, what kind) -> random_system {
  draws d{seed};
  const queue_rule queue = kind.warps ? random_warped_queue(d) : random_queue(d);
  return system_on(d, Rule{queue}, kind, [&](draws& from, ticks) { return random_kernel(from, queue); });
}
auto share_system(std::uint64_t seed, what kind) -> random_system {
  draws d{seed};
  std::array<std::int32_t, 4> percents{};
  std::int32_t left = 97;
  for (auto& p : percents) {
    p = 1 + static_cast<std::int32_t>(d.between(0, left));
    left -= p - 1;
  }
  const share_rule rule{};
  return system_on(d, rule, kind, [&](draws& from, ticks i) {
    return random_kernel(from, rule, percents[static_cast<std::size_t>(i)]);
  });
}

struct proofs {
  tally holistic;
  tally guarded;
  tally inflated;
};

void judge(const random_system& s, std::uint64_t seed, proofs& p) {
  const auto first = an::holistic(s.set, s.places);
  REQUIRE_FALSE(first.error);
  hold(s, first, seed, p.holistic);
  hold(s, an::guarded(s.set, s.places), seed, p.guarded);
  hold(s, an::inflated(s.set, s.places), seed, p.inflated);
}

void report(const proofs& p) {
  for (const tally* t : {&p.holistic, &p.guarded, &p.inflated}) {
    MESSAGE(t->proven << " systems proven, " << t->jobs << " jobs, " << t->tight << " bounds reached");
    CHECK(t->violations == 0);
    CHECK(t->proven > 0);
  }
}

}  // namespace

TEST_CASE("no run exceeds a bound of chains and graphs whose kernels share a GPU block by block") {
  proofs p;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    judge(block_system(seed, {.only_kernels = seed % 4 == 0, .tight = seed % 2 == 0, .warps = seed % 3 == 0}), seed, p);
  }
  report(p);
}

TEST_CASE("no run exceeds a bound of chains and graphs whose kernels have lasting shares of a GPU") {
  proofs p;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    judge(share_system(seed, {.only_kernels = seed % 8 == 0, .tight = seed % 2 == 0}), seed, p);
  }
  report(p);
}

namespace {

/// A block queue on hardware that does the serial part of a kernel at another time: before the kernel enters the queue
/// or after its last block, while the queue goes on.
template <bool Before>
class beside_the_queue {
 public:
  beside_the_queue() = default;
  explicit beside_the_queue(const takt::block_gpu& gpu) : inner_{gpu} {}

  void arrive(const takt::visit_request& v) {
    takt::visit_request blocks = v;
    const ticks serial = std::min(v.view.at[3], v.length - 1);
    blocks.length = v.length - serial;
    blocks.view.at[3] = 0;
    waits_[v.who] = {serial, blocks};
    arrived_[count_++] = v.who;
  }
  void decide(ticks now, const takt::slice_sink& sink) {
    for (std::size_t i = 0; i < count_; ++i) {
      const takt::client who = arrived_[i];
      if (!Before || waits_[who].serial == 0) {
        inner_.arrive(waits_[who].blocks);
      } else {
        ends_[who] = now + waits_[who].serial;
      }
    }
    count_ = 0;
    inner_.decide(now, sink);
  }
  [[nodiscard]] auto next() const -> ticks {
    const ticks own = *std::ranges::min_element(ends_);
    return std::min(own, inner_.next());
  }
  auto fire(ticks now, const takt::slice_sink& sink) -> takt::client {
    for (takt::client who = 0; who < visits; ++who) {
      if (ends_[who] > now) { continue; }
      ends_[who] = takt::no_event;
      if (!Before) { return who; }
      inner_.arrive(waits_[who].blocks);
    }
    while (inner_.next() <= now) {
      const takt::client who = inner_.fire(now, sink);
      if (who == takt::no_client) { break; }
      if (Before || waits_[who].serial == 0) { return who; }
      ends_[who] = now + waits_[who].serial;
    }
    return takt::no_client;
  }

 private:
  struct waiting {
    ticks serial = 0;
    takt::visit_request blocks{};
  };
  static auto never() -> std::array<ticks, visits> {
    std::array<ticks, visits> out{};
    out.fill(takt::no_event);
    return out;
  }
  takt::block_queue_server<visits, 4, 32> inner_;
  std::array<waiting, visits> waits_{};
  std::array<ticks, visits> ends_ = never();
  std::array<takt::client, visits> arrived_{};
  std::size_t count_ = 0;
};
template <bool Before>
struct serial_parts_beside : queue_rule {
  template <std::size_t Capacity>
  [[nodiscard]] auto make_server(std::int32_t /*units*/) const -> beside_the_queue<Before> {
    return beside_the_queue<Before>{gpu};
  }
  void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) const {
    an::block_queue_responses(given, gpu);
  }
};

}  // namespace

TEST_CASE("no run exceeds a bound of a block queue wherever a kernel has its serial part") {
  proofs p;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    const what kind{.only_kernels = seed % 4 == 0, .tight = true};
    judge(block_system<serial_parts_beside<true>>(seed, kind), seed, p);
    judge(block_system<serial_parts_beside<false>>(seed, kind), seed, p);
  }
  report(p);
}

namespace {

using demands = std::array<takt::visit_demand, visits>;

/// A block queue whose bound looks at other demands than there are.
template <class Change>
struct looks_away : queue_rule {
  void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) const {
    demands kept{};
    std::ranges::copy(given, kept.begin());
    for (std::size_t i = 0; i < given.size(); ++i) {
      demands seen = kept;
      for (auto& x : seen) { x.response = x.wcet; }
      given[i].response = std::max(kept[i].response, Change::response({seen.data(), given.size()}, i, gpu));
    }
  }
};

struct leaves_own_branches_out {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    for (auto& d : all) {
      if (d.task == all[i].task) { d.ancestors = (takt::visit_mask{1} << d.position) - 1; }
    }
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};
/// The kernels of one other task take no time.
struct leaves_a_task_out {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    std::uint32_t missing = all[i].task;
    for (const auto& d : all) { missing = d.task != all[i].task ? d.task : missing; }
    std::array<takt::visit_demand, visits> kept{};
    std::size_t count = 0;
    std::size_t at = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].task == missing && missing != all[i].task) { continue; }
      if (k == i) { at = count; }
      kept[count++] = all[k];
    }
    an::block_queue_responses({kept.data(), count}, gpu);
    return kept[at].response;
  }
};
/// One own block more is taken off than the last one.
struct takes_two_blocks_off {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    --all[i].view.at[0];
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};
/// Blocks of others take half the threads that they do.
struct halves_the_others {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    for (auto& d : all) {
      if (d.task != all[i].task) { d.view.at[1] = std::max<ticks>(d.view.at[1] / 2, 1); }
    }
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};
/// Block slots are as many as threads.
struct forgets_block_slots {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, takt::block_gpu gpu) -> ticks {
    gpu.block_slots = 0;
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};

/// Serial parts of others do not hold up the queue.
struct forgets_serial_parts {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    for (auto& d : all) {
      if (d.task == all[i].task) { continue; }
      d.wcet -= d.view.at[3];
      d.view.at[3] = 0;
    }
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};
/// The own one does not, either.
struct forgets_the_own_serial_part {
  static auto response(std::span<takt::visit_demand> all, std::size_t i, const takt::block_gpu& gpu) -> ticks {
    all[i].wcet -= all[i].view.at[3];
    all[i].view.at[3] = 0;
    an::block_queue_responses(all, gpu);
    return all[i].response;
  }
};

/// Violations of holistic proofs when the block queue looks away.
template <class Change>
auto violations_of(std::uint64_t systems) -> std::uint64_t {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const auto s = block_system<looks_away<Change>>(seed, {.only_kernels = seed % 2 == 0, .tight = true});
    const auto verdict = an::holistic(s.set, s.places);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations;
}

}  // namespace

TEST_CASE("the harness catches bounds of block queues that leave something out") {
  constexpr std::uint64_t systems = 60'000;
  CHECK(violations_of<leaves_own_branches_out>(systems) > 0);
  CHECK(violations_of<leaves_a_task_out>(systems) > 0);
  CHECK(violations_of<takes_two_blocks_off>(systems) > 0);
  CHECK(violations_of<halves_the_others>(systems) > 0);
  CHECK(violations_of<forgets_block_slots>(systems) > 0);
  CHECK(violations_of<forgets_serial_parts>(systems) > 0);
  CHECK(violations_of<forgets_the_own_serial_part>(systems) > 0);
}

namespace {

/// Job k of a task comes k periods after its offset, and what visits take is a function of visit and job.
class written_down {
 public:
  explicit written_down(std::uint64_t seed) : seed_{seed} {}

  [[nodiscard]] auto offset(std::uint32_t task) const -> ticks { return drawn(task, 0).between(0, 12); }
  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job, ticks period) const -> ticks {
    return job == 0 ? offset(task) : period;
  }
  [[nodiscard]] static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks {
    return 0;
  }
  [[nodiscard]] auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks {
    draws d = drawn(v.task * 8 + v.position + 1, job);
    return d.one_in(3) ? v.upper : d.between(1, v.upper);
  }

 private:
  [[nodiscard]] auto drawn(std::uint32_t who, std::uint64_t job) const -> draws {
    return draws{(seed_ * 131 + who) * 1'000'003 + job};
  }
  std::uint64_t seed_;
};

/// Tasks of unordered kernels.
auto kernels_alone(std::uint64_t seed, queue_rule& queue) -> random_system {
  draws d{seed};
  queue = random_queue(d);
  random_system out;
  REQUIRE(out.places.add(queue));
  const ticks count = d.between(1, 6);
  for (ticks i = 0; i < count; ++i) {
    REQUIRE(out.set.add_task({.name = "t"}));
    ticks longest = 0;
    const ticks kernels = d.between(1, 3);
    for (ticks j = 0; j < kernels; ++j) {
      const takt::visit_view seen = random_kernel(d, queue, false);
      REQUIRE(out.set.add_visit(0, 0, seen.time.upper, 0, seen.values));
      longest = std::max(longest, seen.time.upper);
    }
    out.set.tasks.back().period = out.set.tasks.back().deadline = longest * d.between(1, 6) + d.between(20, 60);
  }
  return out;
}

/// Worst responses of the arrivals until `horizon`, replayed by the simulator of GPUs alone.
auto replayed(const random_system& s, const queue_rule& queue, const written_down& choices, ticks horizon)
    -> std::vector<ticks> {
  struct origin {
    std::uint32_t visit = 0;
  };
  std::vector<sim::kernel_arrival<ticks>> arrivals;
  std::vector<origin> from;
  for (ticks now = 0; now <= horizon; ++now) {
    for (std::uint32_t v = 0; v < s.set.visits.size(); ++v) {
      const takt::visit_record& x = s.set.visits[v];
      const ticks since = now - choices.offset(x.task);
      const ticks period = s.set.tasks[x.task].period;
      if (since < 0 || since % period != 0) { continue; }
      const auto k = takt::block_visit::of(x.view);
      const ticks rounds = x.upper / k.length;
      const ticks length = choices.length(x, static_cast<std::uint64_t>(since / period));
      arrivals.push_back({now, {.block = {.threads = k.threads}, .blocks = k.blocks}, (length + rounds - 1) / rounds});
      from.push_back({v});
    }
  }
  const takt::gpu_shape shape{
      .sms = queue.gpu.sms,
      .each = {.threads = queue.gpu.threads_per_sm,
               .blocks = queue.gpu.block_slots == 0 ? takt::sm_capacity::unlimited : queue.gpu.block_slots}};
  const auto run = sim::replay_kernels(shape, std::span<const sim::kernel_arrival<ticks>>{arrivals});
  REQUIRE(run.fault == takt::model_fault::none);
  std::vector<ticks> out(s.set.visits.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (run.finish[i] > horizon) { continue; }
    ticks& worst = out[from[i].visit];
    worst = std::max(worst, run.finish[i] - arrivals[i].time);
  }
  return out;
}

}  // namespace

TEST_CASE("kernels alone take as long on the pool of a board as in the simulator of block queues") {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    queue_rule queue;
    const auto s = kernels_alone(seed, queue);
    written_down choices{seed};
    takt::host::engine<board, tasks, visits, written_down> engine{s.set, s.places, choices};
    constexpr ticks horizon = 400;
    const auto seen = engine.run(horizon);
    const auto known = replayed(s, queue, choices, horizon);
    if (seen.misses() > 0) { continue; }  // its next job came late, which a list of arrivals does not know
    ++compared;
    differing += std::equal(known.begin(), known.end(), seen.visit_responses.begin()) ? 0U : 1U;
  }
  MESSAGE(compared << " systems compared");
  CHECK(differing == 0);
  CHECK(compared > systems_or(4000) / 2);
}

TEST_CASE("applications with lasting shares take as long on the pool of a board as in the simulator of shares") {
  constexpr std::size_t most = 5;
  constexpr std::array<std::string_view, most> names{"A0", "A1", "A2", "A3", "A4"};
  std::uint64_t differing = 0;
  std::uint64_t late = 0;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    draws d{seed};
    const share_rule rule{};
    takt::application_set<most> known;
    random_system s;
    REQUIRE(s.places.add(rule));
    std::array<takt::share, most> shares{};
    std::array<ticks, most> offsets{};
    const ticks count = d.between(1, most);
    written_down choices{seed};
    for (ticks i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto percent = static_cast<std::int32_t>(d.between(1, 100 / count));
      const auto row = takt::wcet_row::scaling(d.between(1, 20), static_cast<std::int32_t>(d.between(0, 999)));
      const takt::visit_view seen = rule.view(takt::kernel(row), {.percent = percent});
      REQUIRE(seen.fault == takt::model_fault::none);
      const ticks period = std::max<ticks>(1, seen.time.upper * d.between(7, 20) / 10);
      REQUIRE(s.set.add_task({.name = names[at], .period = period, .deadline = period}));
      REQUIRE(s.set.add_next(0, 0, seen.time.upper, seen.values));
      REQUIRE(known.add({.name = names[at],
                         .period = period,
                         .deadline = period,
                         .priority = static_cast<std::int32_t>(i),
                         .alone = row}));
      shares[at] = takt::share::bounded(percent);
      offsets[at] = choices.offset(static_cast<std::uint32_t>(i));
    }
    struct punctual : written_down {
      using written_down::written_down;
      [[nodiscard]] static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
    } at_most{seed};
    constexpr ticks horizon = 3001;
    takt::host::engine<board, tasks, visits, punctual> engine{s.set, s.places, at_most};
    const auto seen = engine.run(horizon);
    takt::fixed_shares<most> policy{known, shares};
    std::vector<std::vector<ticks>> releases(known.size());
    for (std::size_t i = 0; i < releases.size(); ++i) {
      for (ticks at = offsets[i]; at < horizon; at += known.tasks[i].period) { releases[i].push_back(at); }
    }
    const auto old =
        sim::simulate_shares(known, policy, releases, {.horizon = horizon, .at_miss = takt::miss_action::late});
    REQUIRE_FALSE(old.error);
    bool same = true;
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      const auto& a = seen.tasks[i];
      const auto& b = old.tasks[i];
      late += a.misses > 0 ? 1U : 0U;
      same = same && a.completed == b.completed && a.worst_response == b.worst_response &&
             a.best_response == b.best_response && a.total_response == b.total_response;
    }
    differing += same ? 0U : 1U;
  }
  CHECK(differing == 0);
  CHECK(late > 0);
}
