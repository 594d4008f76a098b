// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/random.hpp>
#include <takt/prediction/set_laws.hpp>

#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::kernel_profile;
using takt::profile_status;
using takt::set_laws_status;
using takt::ticks;

/// One job of a task whose blocks pin themselves to SMs of the whole device.
struct pinned_job {
  std::int32_t first_sm = 0;
  std::int32_t sms = 0;
  std::int32_t chunks = 0;
  ticks chunk = 0;
  std::int32_t waiting = 0;  ///< blocks without a place
  std::int32_t placed = 0;
  std::int32_t slots = 0;  ///< that its blocks took; too few of them is an overrun that the device reports
};

/// The hardware by the published rules: one queue of launches, first in first out, whose head gives its blocks to free
/// places in any order, and keeps all behind it waiting until each has one. A block on an SM of its task draws chunks,
/// any other leaves after `passing`.
class queueing_gpu {
 public:
  queueing_gpu(std::int32_t sms, std::int32_t per_sm, ticks passing, takt::random_stream& random)
      : per_sm_{per_sm}, passing_{passing}, random_{&random}, places_(static_cast<std::size_t>(sms * per_sm)) {}

  [[nodiscard]] auto blocks() const -> std::int32_t { return static_cast<std::int32_t>(places_.size()); }
  /// Nobody gets a place outside.
  void fill_all_but(std::int32_t first, std::int32_t count) {
    for (std::size_t p = 0; p < places_.size(); ++p) { places_[p].full = !within(p, first, count); }
  }
  void launch(pinned_job& job) {
    job.waiting = blocks();
    queue_.push_back(&job);
  }
  /// One tick: blocks that end, then the queue.
  void step() {
    ++now_;
    for (place& p : places_) {
      if (p.of != nullptr && p.until <= now_) { go_on(p); }
    }
    while (!queue_.empty()) {
      pinned_job& head = *queue_.front();
      while (head.waiting > 0 && put(head)) {}
      if (head.waiting > 0) { return; }
      queue_.pop_front();
    }
  }

 private:
  struct place {
    pinned_job* of = nullptr;
    ticks until = 0;
    bool works = false;
    bool full = false;
  };

  [[nodiscard]] auto within(std::size_t p, std::int32_t first, std::int32_t count) const -> bool {
    const auto sm = static_cast<std::int32_t>(p) / per_sm_;
    return sm >= first && sm < first + count;
  }
  void go_on(place& p) {
    if (p.works && p.of->chunks > 0) {
      --p.of->chunks;
      p.until = now_ + p.of->chunk;
      return;
    }
    --p.of->placed;
    p.of = nullptr;
  }
  [[nodiscard]] auto put(pinned_job& job) -> bool {
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (!places_[p].full && places_[p].of == nullptr) { open.push_back(p); }
    }
    if (open.empty()) { return false; }
    const std::size_t chosen =
        open[static_cast<std::size_t>(random_->between(0, static_cast<std::int64_t>(open.size()) - 1))];
    place& p = places_[chosen];
    p = {&job, now_ + passing_, within(chosen, job.first_sm, job.sms), false};
    --job.waiting;
    ++job.placed;
    job.slots += p.works && job.chunks > 0 ? 1 : 0;
    return true;
  }

  std::int32_t per_sm_;
  ticks passing_;
  takt::random_stream* random_;
  std::vector<place> places_;
  std::deque<pinned_job*> queue_;
  ticks now_ = 0;
};

/// What the tasks of a made-up set share.
struct board {
  std::int32_t sms = 0;
  std::int32_t per_sm = 2;
  ticks passing = 3;
  ticks launch = 5;
};

/// Runs one kernel with all other SMs full.
class blocked_bench {
 public:
  blocked_bench(const board& on, std::int32_t chunks, ticks chunk, takt::random_stream& random)
      : on_{on}, chunks_{chunks}, chunk_{chunk}, random_{&random} {}

  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return on_.per_sm; }
  [[nodiscard]] auto chunks() const -> std::uint32_t { return static_cast<std::uint32_t>(chunks_); }
  [[nodiscard]] static auto passes_foreign_sms() -> bool { return true; }
  [[nodiscard]] static auto fault() -> std::string { return {}; }
  auto time_job(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    // One block on each SM: as long as on one place of two.
    return time({0, sms, per_sm == on_.per_sm ? chunks_ : 2 * chunks_, chunk_});
  }
  auto time_empty(std::int32_t sms, std::int32_t, std::uint32_t) -> std::optional<ticks> { return time({0, sms}); }
  auto time_plain_empty(std::int32_t, std::int32_t) -> std::optional<ticks> { return on_.launch; }

 private:
  auto time(pinned_job job) -> ticks {
    queueing_gpu gpu{on_.sms, on_.per_sm, on_.passing, *random_};
    gpu.fill_all_but(job.first_sm, job.sms);
    gpu.launch(job);
    ticks out = on_.launch;
    do {
      gpu.step();
      ++out;
    } while (job.waiting + job.placed > 0);
    return out;
  }

  board on_;
  std::int32_t chunks_;
  ticks chunk_;
  takt::random_stream* random_;
};
static_assert(takt::KernelBench<blocked_bench>);

auto profile_of(ticks tail, std::int32_t least = 1) -> kernel_profile {
  return {.status = profile_status::profiled,
          .least_sms = least,
          .fit = {.status = takt::fit_status::fitted,
                  .law = {.work = {takt::duration{50}, takt::duration{1'000}},
                          .overhead = takt::duration{40},
                          .interleave_numerator = 1},
                  .above = {},
                  .below = {},
                  .curve = {}},
          .tail = tail};
}

using profiles = std::vector<std::vector<kernel_profile>>;

}  // namespace

TEST_CASE("each law is later by one launch of every other task whose blocks pass over its SMs" *
          takt_tests::traces("RTGPU-29")) {
  const profiles tasks{{profile_of(10), profile_of(25)}, {profile_of(7)}, {profile_of(100), profile_of(3)}};
  const auto all = takt::laws_of(tasks);
  REQUIRE(all);
  REQUIRE(all.laws.size() == 3);
  const std::vector<ticks> added{107, 125, 32};
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(all.laws[i].size() == tasks[i].size());
    for (const takt::divisible_work& law : all.laws[i]) {
      for (const std::int32_t n : {1, 3, 16}) {
        CHECK(law.upper(n).count() == tasks[i][0].fit.law.upper(n).count() + added[i]);
        CHECK(law.lower(n) == tasks[i][0].fit.law.lower(n));
      }
    }
  }
  const profiles apart{{profile_of(0)}, {profile_of(0, 8)}};
  const auto own = takt::laws_of(apart);
  REQUIRE(own);
  CHECK(own.laws[0][0].upper(4) == apart[0][0].fit.law.upper(4));
}

TEST_CASE("a set without all profiles, or with tails from other numbers of SMs, has no laws and says why") {
  CHECK(takt::laws_of(profiles{{profile_of(1)}, {kernel_profile{}}}).status == set_laws_status::not_profiled);
  CHECK(takt::laws_of(profiles{{profile_of(1)}, {profile_of(0, 8)}}).status == set_laws_status::least_sms_differ);
  CHECK(takt::laws_of(profiles{{profile_of(1), profile_of(1, 8)}}).status == set_laws_status::least_sms_differ);
  constexpr ticks most = std::numeric_limits<ticks>::max();
  CHECK(takt::laws_of(profiles{{profile_of(most)}, {profile_of(1)}}).status == set_laws_status::overflow);
  CHECK(takt::laws_of(profiles{{profile_of(most)}, {profile_of(0)}}).status == set_laws_status::overflow);
  CHECK(takt::name_of(set_laws_status::least_sms_differ).find("begin all at the same") != std::string_view::npos);
}

TEST_CASE("under the published rules of the queue no job of a full device is later than the laws of its set" *
          takt_tests::traces("RTGPU-29")) {
  int above_own_law = 0;
  int jobs = 0;
  int overruns = 0;
  const std::uint64_t sets = takt_tests::from_environment("TAKT_QUEUE_SETS", 40);
  for (std::uint64_t set = 0; set < sets; ++set) {
    CAPTURE(set);
    takt::random_stream random{set};
    const auto count = static_cast<std::size_t>(random.between(2, 4));
    const auto least = static_cast<std::int32_t>(random.between(1, 2));
    board on{.passing = random.between(3, 20)};
    std::vector<std::int32_t> sms;
    for (std::size_t i = 0; i < count; ++i) {
      sms.push_back(static_cast<std::int32_t>(random.chance(2, 3) ? least : 4));
      on.sms += sms.back();
    }
    on.sms = std::max(on.sms, 2 * least + 1);
    profiles seen;
    std::vector<pinned_job> work;
    std::int32_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto chunks = static_cast<std::int32_t>(takt::chunks_to_profile(on.sms, on.per_sm) + random.between(0, 40));
      work.push_back({first, sms[i], chunks, random.between(2, 6)});
      first += sms[i];
      blocked_bench bench{on, chunks, work.back().chunk, random};
      const std::vector<std::int32_t> timed{least, on.sms};
      seen.push_back({takt::profile_kernel(bench, timed, 3)});
      CAPTURE(sentence(seen.back()[0]));
      REQUIRE(seen.back()[0]);
    }
    const auto all = takt::laws_of(seen);
    REQUIRE(all);
    queueing_gpu gpu{on.sms, on.per_sm, on.passing, random};
    gpu.fill_all_but(0, on.sms);
    std::vector<pinned_job> under_way = work;
    std::vector<ticks> released(count);
    std::vector<bool> is_out(count, false);
    for (ticks now = 0; now < 6'000; ++now) {
      for (std::size_t i = 0; i < count; ++i) {
        if (released[i] + on.launch == now && !is_out[i]) {
          under_way[i] = work[i];
          gpu.launch(under_way[i]);
          is_out[i] = true;
        }
      }
      gpu.step();
      for (std::size_t i = 0; i < count; ++i) {
        if (!is_out[i] || under_way[i].waiting + under_way[i].placed > 0) { continue; }
        const ticks took = now + 1 - released[i];
        const std::int32_t places = on.per_sm * sms[i];
        if (under_way[i].slots >= places) { CHECK(took <= all.laws[i][0].upper(places).count()); }
        overruns += under_way[i].slots < places ? 1 : 0;
        above_own_law += took > seen[i][0].fit.law.upper(places).count() ? 1 : 0;
        ++jobs;
        is_out[i] = false;
        // Often together, since launches wait for one another most then.
        released[i] = random.chance(2, 3) ? takt::ceil_divide(now + 1, ticks{300}) * 300 : now + 1;
      }
    }
  }
  CHECK(jobs > 500);
  CHECK(overruns < jobs / 2);
  CHECK(above_own_law > 0);
}
