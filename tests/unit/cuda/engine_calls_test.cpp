// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include <takt/cuda/copies.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>

#include "fixture.hpp"
#include "support/asleep.hpp"
#include "support/limited_wait.hpp"
#include "support/traces.hpp"

namespace {

using namespace cuda_tests;
using takt_tests::await;
using takt_tests::is_asleep;
using takt_tests::own_thread;
using D = fake_cuda_driver;
constexpr std::size_t clients = 8;
using topology = takt::gpu_topology<2, 1>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<4, clients>, takt::priority_engine_locks<2, clients>, topology>;
using calls = takt::cuda::engine_calls<D, pool::token, topology>;

constexpr auto two_gpus() -> topology {
  topology t;
  const auto hub = t.add_hub();
  (void)t.add_gpu(hub, 2);
  (void)t.add_gpu(hub, 2);
  return t;
}

/// Two GPUs, a stream of the caller on each, and memory everywhere.
struct machine {
  explicit machine(D& d) : driver{&d} {}

  D* driver;
  device_context<D> first{*driver, 0};
  device_context<D> second{*driver, 1};
  std::array<context_ref<D>, 2> contexts{first.ref(), second.ref()};
  std::array<thread_stream<D>, 2> streams{thread_stream<D>{contexts[0]}, thread_stream<D>{contexts[1]}};
  pinned_memory<D> host{contexts[0], 1'000};
  std::array<device_memory<D>, 2> memory{device_memory<D>{contexts[0], 1'000}, device_memory<D>{contexts[1], 1'000}};
  topology tree = two_gpus();
  pool gpus{{.gpus = 2, .tokens_per_gpu = 2}, {}, tree};

  [[nodiscard]] auto request(std::uint64_t to, std::uint64_t from) const -> copy_request {
    return classify_copy(contexts[0], to, from, 1'000);
  }
  [[nodiscard]] auto inward(std::size_t gpu) const -> copy_request {
    return request(static_cast<std::uint64_t>(memory[gpu].get()), address(host.data()));
  }
  [[nodiscard]] auto outward(std::size_t gpu) const -> copy_request {
    return request(address(host.data()), static_cast<std::uint64_t>(memory[gpu].get()));
  }
  [[nodiscard]] auto across(std::size_t to) const -> copy_request {
    return request(static_cast<std::uint64_t>(memory[to].get()), static_cast<std::uint64_t>(memory[1 - to].get()));
  }
  static auto address(const void* p) -> std::uint64_t { return reinterpret_cast<std::uintptr_t>(p); }
};

/// A job that brings state in, computes, and takes it from the other GPU and out.
void use_engines(D& driver) {
  machine m{driver};
  job_section<pool> job{m.gpus};
  const auto here = static_cast<std::size_t>(job.token().gpu());
  calls engines{job.token(), m.tree, m.contexts, m.streams[here]};
  const auto in = engines.copy(m.inward(here), 300);
  engines.launch([](D& d, stream_handle s) { return d.run_in(s, [] {}); });
  const auto over = engines.copy(m.across(here), 500);
  const auto out = engines.copy(m.outward(here), 1'000);
  CHECK(in.chunks == 4);
  CHECK(over.chunks == 2);
  CHECK(out.chunks == 1);
}

struct engines_had {
  bool execution = false;
  bool inward = false;
  bool outward = false;
};

/// What another job of the same GPU gets while the operation of a call is under way.
template <class Call>
auto beside(D& driver, machine& m, Call call) -> engines_had {
  takt::gpu_topology<2, 1> tree;
  (void)tree.add_gpu(tree.add_hub(), 2);
  pool one{{.gpus = 1, .tokens_per_gpu = 4}, {}, tree};
  engines_had had;
  const std::int64_t before = driver.count_of("wait_for_event");
  driver.hold_work(true);
  std::jthread other{[&] {
    await([&] { return driver.count_of("wait_for_event") > before; });
    job_section<pool> second{one};
    const auto got = [&](takt::engine_kind kind) {
      const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds{5};
      return static_cast<bool>(second.token().try_lock_until(soon, kind));
    };
    had = {got(takt::engine_kind::execution), got(takt::engine_kind::copy), got(takt::engine_kind::copy_to_host)};
    driver.hold_work(false);
  }};
  {
    job_section<pool> job{one};
    calls engines{job.token(), tree, m.contexts, m.streams[0]};
    call(engines);
  }
  other.join();
  return had;
}

}  // namespace

TEST_CASE("calls go through engine locks: copies in chunks, the engine by the addresses, a stream per thread" *
          takt_tests::traces("GSA-47")) {
  D driver{{.devices = 2, .seed = 1}};
  {
    machine m{driver};
    CHECK(m.inward(1).kind == copy_kind::to_device);
    CHECK(m.inward(1).to_device == 1);
    CHECK(m.outward(0).kind == copy_kind::to_host);
    CHECK(m.outward(0).from_device == 0);
    CHECK(m.across(1).kind == copy_kind::peer);
    std::memset(m.host.data(), 9, 1'000);
    std::vector<std::jthread> threads;
    std::atomic<int> done{0};
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&m, &done] {
        thread_stream<D> a{m.contexts[0]};
        thread_stream<D> b{m.contexts[1]};
        job_section<pool> job{m.gpus};
        const auto here = static_cast<std::size_t>(job.token().gpu());
        calls engines{job.token(), m.tree, m.contexts, here == 0 ? a : b};
        const auto tally = engines.copy(m.inward(here), 128);
        if (tally.chunks == 8 && tally.acquisitions >= 1 && tally.acquisitions <= 8) { ++done; }
      });
    }
    threads.clear();
    CHECK(done == 4);
    CHECK(streams_used(driver, "copy_to_device").size() == 4);
    for (const fake_call& c : driver.calls()) { CHECK((c.name != "copy_to_device" || c.bytes <= 128)); }

    // Each call has its own engine for as long as it lasts, and no other.
    const auto launching = beside(
        driver, m, [](calls& engines) { engines.launch([](D& d, stream_handle s) { return d.run_in(s, [] {}); }); });
    CHECK_FALSE(launching.execution);
    CHECK(launching.inward);
    CHECK(launching.outward);
    const auto inward = beside(driver, m, [&](calls& engines) { (void)engines.copy(m.inward(0), 1'000); });
    CHECK(inward.execution);
    CHECK_FALSE(inward.inward);
    CHECK(inward.outward);
    const auto outward = beside(driver, m, [&](calls& engines) { (void)engines.copy(m.outward(0), 1'000); });
    CHECK(outward.execution);
    CHECK(outward.inward);
    CHECK_FALSE(outward.outward);
  }
  CHECK(driver.default_stream_uses() == 0);
  CHECK(driver.live() == 0);
}

TEST_CASE("a thread sleeps while it waits for an engine, and for the end of its operation" *
          takt_tests::traces("GSA-47")) {
  D driver{{.devices = 1}};
  {
    machine m{driver};
    takt::gpu_topology<2, 1> tree;
    (void)tree.add_gpu(tree.add_hub(), 2);
    pool one{{.gpus = 1, .tokens_per_gpu = 4}, {}, tree};
    driver.hold_work(true);
    std::array<std::atomic<pid_t>, 2> id{};
    const auto launch = [&](std::size_t n) {
      thread_stream<D> own{m.contexts[0]};
      job_section<pool> job{one};
      calls engines{job.token(), tree, m.contexts, own};
      id[n] = own_thread();
      engines.launch([](D& d, stream_handle s) { return d.run_in(s, [] {}); });
    };
    std::jthread for_the_end{launch, 0};
    await([&] { return driver.count_of("wait_for_event") == 1 && is_asleep(id[0]); });
    std::jthread for_the_engine{launch, 1};
    await([&] { return id[1] != 0 && is_asleep(id[1]); });
    // Neither asks the device whether it is done.
    const std::int64_t calls_before = driver.call_count();
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    CHECK(is_asleep(id[0]));
    CHECK(is_asleep(id[1]));
    CHECK(driver.call_count() == calls_before);
    CHECK(driver.count_of("wait_for_event") == 1);
    driver.hold_work(false);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("a timed copy takes pinned memory only, and one at a time is on each copy engine" *
          takt_tests::traces("GSD-52 GSD-54")) {
  D driver{{.devices = 1, .seed = 7}};
  {
    machine m{driver};
    std::array<std::byte, 1'000> pageable{};
    const auto there = static_cast<std::uint64_t>(m.memory[0].get());
    CHECK_THROWS_AS((void)m.request(there, machine::address(pageable.data())), unsuitable_memory);
    CHECK_THROWS_AS((void)m.request(machine::address(pageable.data()), there), unsuitable_memory);
    CHECK_THROWS_AS((void)m.request(there, there), unsuitable_memory);
    CHECK_THROWS_AS((void)m.request(machine::address(m.host.data()), machine::address(m.host.data())),
                    unsuitable_memory);
    std::array<std::byte, 1'000> managed{};
    driver.add_managed(managed.data(), managed.size());
    const auto refused = [&](std::uint64_t to, std::uint64_t from, const char* why) {
      CHECK_THROWS_WITH_AS((void)m.request(to, from), doctest::Contains(why), unsuitable_memory);
    };
    const auto touched = machine::address(managed.data());
    refused(there, touched, "managed memory");
    refused(touched, there, "managed memory");
    refused(touched, machine::address(m.host.data()), "managed memory");
    refused(there, machine::address(pageable.data()), "pageable memory");
    refused(machine::address(pageable.data()), there, "pageable memory");
    CHECK_THROWS_WITH_AS(require_pinned(m.contexts[0], managed.data(), managed.size()),
                         doctest::Contains("managed memory"), unsuitable_memory);
    CHECK_THROWS_WITH_AS(require_pinned(m.contexts[0], pageable.data(), pageable.size()),
                         doctest::Contains("pageable memory"), unsuitable_memory);
    CHECK_NOTHROW(require_pinned(m.contexts[0], m.host.data(), 1'000));
    takt::gpu_topology<2, 1> tree;
    (void)tree.add_gpu(tree.add_hub(), 1);
    pool one{{.gpus = 1, .tokens_per_gpu = 4}, {}, tree};
    std::vector<std::jthread> threads;
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&, n] {
        thread_stream<D> own{m.contexts[0]};
        job_section<pool> job{one, {.priority = n}};
        calls engines{job.token(), tree, m.contexts, own};
        for (int i = 0; i < 5; ++i) { (void)engines.copy(i % 2 == 0 ? m.inward(0) : m.outward(0), 250); }
      });
    }
    threads.clear();
    CHECK(driver.most_copies_at_once() == 1);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("chunks of an unimportant copy let an important one in between two of them") {
  D driver{{.devices = 1}};
  machine m{driver};
  takt::gpu_topology<2, 1> tree;
  (void)tree.add_gpu(tree.add_hub(), 1);
  pool one{{.gpus = 1, .tokens_per_gpu = 4}, {}, tree};
  std::atomic<bool> low_began{false};
  std::atomic<pid_t> high_thread{0};
  driver.hold_work(true);
  stream_handle low{};
  stream_handle high{};
  std::jthread unimportant{[&] {
    thread_stream<D> own{m.contexts[0]};
    low = own.get();
    job_section<pool> job{one, {.priority = 9}};
    calls engines{job.token(), tree, m.contexts, own};
    low_began = true;
    const auto tally = engines.copy(m.inward(0), 100);
    CHECK(tally.chunks == 10);
    CHECK(tally.acquisitions == 2);
  }};
  await([&] { return driver.count_of("copy_to_device") > 0; });
  std::jthread important{[&] {
    thread_stream<D> own{m.contexts[0]};
    high = own.get();
    job_section<pool> job{one, {.priority = 1}};
    calls engines{job.token(), tree, m.contexts, own};
    high_thread = own_thread();
    CHECK(engines.copy(m.inward(0), 100).acquisitions == 1);
  }};
  await([&] { return is_asleep(high_thread); });  // it waits for the engine
  driver.hold_work(false);
  important.join();
  unimportant.join();
  std::vector<stream_handle> order;
  for (const fake_call& c : driver.calls()) {
    if (c.name == "copy_to_device") { order.push_back(c.stream); }
  }
  REQUIRE(order.size() == 20);
  CHECK(order.front() == low);
  CHECK(std::count(order.begin() + 1, order.begin() + 11, high) == 10);
}

TEST_CASE("a peer copy holds the outgoing engine of its source and the incoming one of its target") {
  D driver{{.devices = 2}};
  machine m{driver};
  job_section<pool> job{m.gpus};
  const auto here = static_cast<std::size_t>(job.token().gpu());
  calls engines{job.token(), m.tree, m.contexts, m.streams[here]};
  CHECK_THROWS_AS((void)engines.copy(m.across(1 - here), 500), std::invalid_argument);
  CHECK_THROWS_AS((void)engines.copy(m.inward(1 - here), 500), std::invalid_argument);
  driver.hold_work(true);
  std::atomic<bool> blocked_source{false};
  std::atomic<bool> blocked_target{false};
  std::atomic<bool> free_kernel{false};
  std::jthread other{[&] {
    await([&] { return driver.count_of("copy_peer") > 0; });
    for (int n = 0; n < 3; ++n) {
      job_section<pool> second{m.gpus};
      auto& token = second.token();
      const auto soon = [] { return std::chrono::steady_clock::now() + std::chrono::milliseconds{5}; };
      const bool at_target = static_cast<std::size_t>(token.gpu()) == here;
      const auto kind = at_target ? takt::engine_kind::copy : takt::engine_kind::copy_to_host;
      const bool got = static_cast<bool>(token.try_lock_until(soon(), kind));
      (at_target ? blocked_target : blocked_source) = !got;
      free_kernel = static_cast<bool>(token.try_lock_until(soon(), takt::engine_kind::execution));
    }
    driver.hold_work(false);
  }};
  CHECK(engines.copy(m.across(here), 1'000).chunks == 1);
  other.join();
  CHECK((blocked_source || blocked_target));
  CHECK(free_kernel);
}

TEST_CASE("whichever call fails under a token, engines and token are free afterwards, as on a lost device") {
  std::int64_t count = 0;
  {
    D driver{{.devices = 2}};
    use_engines(driver);
    count = driver.call_count();
    CHECK(driver.live() == 0);
  }
  REQUIRE(count > 40);
  int noticed = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    CAPTURE(n);
    D driver{{.devices = 2}};
    driver.fail_call(n, result::invalid_value);
    try {
      use_engines(driver);
    } catch (const cuda_error&) { ++noticed; } catch (const unsuitable_memory&) {
      ++noticed;
    }
    CHECK(driver.live() == 0);
  }
  CHECK(noticed > count / 3);

  D driver{{.devices = 2}};
  machine m{driver};
  {
    job_section<pool> job{m.gpus};
    const auto here = static_cast<std::size_t>(job.token().gpu());
    calls engines{job.token(), m.tree, m.contexts, m.streams[here]};
    driver.hold_work(true);
    std::jthread loses{[&] {
      await([&] { return driver.count_of("wait_for_event") > 0; });
      driver.lose();
    }};
    const auto what = m.across(here);
    CHECK_THROWS_AS((void)engines.copy(what, 100), cuda_error);
    CHECK(static_cast<bool>(job.token().lock(takt::engine_kind::copy)));
  }
  std::vector<std::jthread> all;
  std::atomic<int> tokens{0};
  for (int n = 0; n < 4; ++n) {
    all.emplace_back([&] {
      job_section<pool> job{m.gpus};
      if (job.token().lock(takt::engine_kind::execution)) { ++tokens; }
    });
  }
  all.clear();
  CHECK(tokens == 4);
}

TEST_CASE("a job without GPU calls takes no token, one takes it with the first and frees it at its end" *
          takt_tests::traces("GSA-48")) {
  D driver{{.devices = 2}};
  machine m{driver};
  using single = takt::runtime::gpu_pool<takt::k_fmlp<2, clients>, takt::priority_engine_locks<2, clients>, topology>;
  single one{{.gpus = 2, .tokens_per_gpu = 1}, {}, m.tree};
  job_section<single> idle{one};
  CHECK_FALSE(idle.has_token());
  std::array<std::atomic<bool>, 2> got{};
  std::array<std::jthread, 2> others;
  for (std::size_t i = 0; i < 2; ++i) {
    others[i] = std::jthread{[&, i] {
      job_section<single> job{one};
      (void)job.token();
      got[i] = job.has_token();
    }};
  }
  for (auto& o : others) { o.join(); }
  CHECK(got[0]);
  CHECK(got[1]);
  CHECK(idle.token().gpu() >= 0);
  CHECK(idle.has_token());

  CHECK(takt::cuda::detail::parse_gpu_list("0,2") == std::vector<std::int32_t>{0, 2});
  CHECK(takt::cuda::detail::parse_gpu_list("7") == std::vector<std::int32_t>{7});
  for (const char* wrong : {"", ",", "0,", "0,,1", "0,0", "-1", "a", "1 "}) {
    CAPTURE(wrong);
    CHECK_FALSE(takt::cuda::detail::parse_gpu_list(wrong));
  }
  REQUIRE(setenv("TAKT_GPUS", "1,0", 1) == 0);
  CHECK(gpus_from_environment() == std::vector<std::int32_t>{1, 0});
  REQUIRE(setenv("TAKT_GPUS", "1,1", 1) == 0);
  CHECK_THROWS_WITH_AS((void)gpus_from_environment(), doctest::Contains("TAKT_GPUS is \"1,1\""), std::invalid_argument);
  REQUIRE(unsetenv("TAKT_GPUS") == 0);
  CHECK(gpus_from_environment().empty());
}

TEST_CASE("a job's state has room on every usable GPU from the start, and follows its token from job to job" *
          takt_tests::traces("GSD-62")) {
  D driver{{.devices = 2}};
  {
    machine m{driver};
    const std::int64_t before = driver.count_of("allocate");
    takt::cuda::migrating_state<D> state{m.contexts, 1'000};
    CHECK(driver.count_of("allocate") == before + 2);
    CHECK(state.gpu() == takt::no_gpu);
    for (const std::size_t gpu : {0U, 1U}) {
      pointer_facts facts;
      REQUIRE(driver.describe(static_cast<std::uint64_t>(state.memory_on(static_cast<std::int32_t>(gpu))), facts) ==
              result::success);
      CHECK(facts.kind == memory_kind::device);
      CHECK(facts.device == static_cast<std::int32_t>(gpu));
    }
    std::vector<std::int64_t> peer_copies;
    for (const std::size_t here : {0U, 0U, 1U, 0U}) {
      // One GPU has no token left, so that the job gets the other.
      std::vector<std::jthread> others;
      std::atomic<int> holding{0};
      std::atomic<bool> done{false};
      for (int n = 0; n < 4; ++n) {
        others.emplace_back([&] {
          job_section<pool> other{m.gpus};
          const bool keeps = other.token().gpu() != static_cast<std::int32_t>(here);
          ++holding;
          if (keeps) {
            await([&done] { return done.load(); });
          } else {
            await([&holding] { return holding == 4; });
          }
        });
      }
      await([&holding] { return holding == 4; });
      {
        job_section<pool> job{m.gpus};
        REQUIRE(job.token().gpu() == static_cast<std::int32_t>(here));
        calls engines{job.token(), m.tree, m.contexts, m.streams[here]};
        (void)state.bring_to(job.token().gpu(), engines, 500);
        CHECK(state.gpu() == job.token().gpu());
        CHECK_THROWS_AS((void)state.bring_to(2, engines, 500), std::invalid_argument);
        CHECK(state.gpu() == job.token().gpu());
      }
      done = true;
      peer_copies.push_back(driver.count_of("copy_peer"));
    }
    CHECK(peer_copies == std::vector<std::int64_t>{0, 0, 2, 4});
    CHECK(driver.count_of("allocate") == before + 2);
  }
  CHECK(driver.live() == 0);

  // All or none.
  const device_context<D> first{driver, 0};
  const device_context<D> second{driver, 1};
  const std::array gpus{first.ref(), second.ref()};
  const std::int64_t live = driver.live();
  driver.fail_call(driver.call_count() + 4, result::out_of_memory);
  CHECK_THROWS_AS((takt::cuda::migrating_state<D>{gpus, 1'000}), cuda_error);
  CHECK(driver.live() == live);
}
