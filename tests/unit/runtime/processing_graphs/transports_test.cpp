// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/random.hpp>
#include <takt/systems/graphs/run/links/shared_graph.hpp>

#include "link_fixture.hpp"
#include "support/signal_storm.hpp"
#include "support/traces.hpp"

namespace {

using namespace link_test;

enum class kind : std::uint8_t { ring, fifo, fast_fifo, queue, fast_queue, socket };
constexpr kind all_kinds[]{kind::ring, kind::fifo, kind::fast_fifo, kind::queue, kind::fast_queue, kind::socket};

/// An edge with random amounts that its transport takes.
auto draw(takt::random_stream& random, kind over) -> link_description {
  const auto up_to = [&](std::int64_t most) { return random.between(1, most); };
  const std::int64_t most = random.chance(1, 8) ? 20'000 : 60;
  link_description e{.name = "bytes", .from = "from", .to = "to"};
  e.token_bytes = random.chance(1, 2) ? 1 : up_to(9);
  e.produce = up_to(most);
  e.consume = up_to(most);
  const bool counts = over == kind::ring || over == kind::fast_fifo || over == kind::fast_queue;
  if (counts && random.chance(2, 3)) { e.threshold = e.consume + up_to(most); }
  if (!counts) {
    // So that the last job of the consumer leaves nothing to wait for.
    const std::int64_t part = up_to(most);
    e.produce = part * up_to(6);
    e.consume = part * up_to(6);
  }
  switch (over) {
    case kind::ring: e.over = shared_ring{takt::runtime::detail::needed_capacity(e) + random.between(0, 100)}; break;
    case kind::fifo: e.over = named_fifo{}; break;
    case kind::fast_fifo: e.over = named_fifo{.fast = true}; break;
    case kind::queue: e.over = message_queue{.messages = up_to(8), .message_bytes = up_to(700)}; break;
    case kind::fast_queue: {
      // Few messages are allowed, so that they must be large.
      e.produce = up_to(60);
      e.consume = up_to(60);
      e.threshold = e.consume + random.between(0, e.produce);
      e.over = message_queue{.messages = 10, .message_bytes = e.produce * e.token_bytes, .fast = true};
      while (validate({.name = "g", .nodes = {"from", "to"}, .edges = {e}}).fault == link_fault::capacity) {
        e.consume = (e.consume + 1) / 2;
        e.threshold = e.consume;
      }
      break;
    }
    case kind::socket: e.over = stream_socket{}; break;
  }
  return e;
}
auto graph_of(const std::string& name, const link_description& e) -> graph_description {
  return {.name = name,
          .nodes = {"from", "to"},
          .edges = {e},
          .folder = takt::runtime::detail::has_file(e.over) ? folder() : ""};
}

/// What went wrong, or nothing.
auto produce(const shared_graph<>& g, std::int64_t jobs, ticks limit) -> std::string {
  auto n = g.claim("from");
  if (!n) { return n.status().sentence(); }
  if (const auto s = n.bind_all(soon()); !s) { return s.sentence(); }
  for (std::int64_t job = 0; job < jobs; ++job) {
    if (const auto s = n.begin_job(soon()); !s) { return s.sentence(); }
    const auto bytes = n.to_send("bytes");
    fill(bytes, job * static_cast<std::int64_t>(bytes.size()));
    // Short limits now and then: it goes on where it stopped.
    for (auto s = n.finish_job(limit > 0 ? now() + limit : soon()); !s; s = n.finish_job(soon())) {
      if (limit == 0 || s.fault != link_fault::time_limit) { return s.sentence(); }
    }
  }
  return {};
}
auto consume(const shared_graph<>& g, const link_description& e, std::int64_t jobs, ticks limit) -> std::string {
  auto n = g.claim("to");
  if (!n) { return n.status().sentence(); }
  if (const auto s = n.bind_all(soon()); !s) { return s.sentence(); }
  for (std::int64_t job = 0; job < jobs; ++job) {
    for (auto s = n.begin_job(limit > 0 ? now() + limit : soon()); !s; s = n.begin_job(soon())) {
      if (limit == 0 || s.fault != link_fault::time_limit) { return s.sentence(); }
    }
    const auto bytes = n.received("bytes");
    if (static_cast<std::int64_t>(bytes.size()) != e.needed() * e.token_bytes) { return "not the threshold"; }
    if (!in_order(bytes, job * e.consume * e.token_bytes)) { return "wrong bytes in job " + std::to_string(job); }
    if (const auto s = n.finish_job(soon()); !s) { return s.sentence(); }
  }
  return {};
}

}  // namespace

TEST_CASE("bytes keep their order over every transport, with any amounts and thresholds above consumption" *
          takt_tests::traces("GSA-39")) {
  const takt_tests::signal_storm storm;
  takt::random_stream random{39};
  std::int64_t above = 0;
  for (int round = 0; round < 90; ++round) {
    const kind over = all_kinds[static_cast<std::size_t>(round) % std::size(all_kinds)];
    const link_description e = draw(random, over);
    CAPTURE(static_cast<int>(over));
    CAPTURE(e.produce);
    CAPTURE(e.consume);
    CAPTURE(e.needed());
    CAPTURE(e.token_bytes);
    const named name{"bytes"};
    const auto g = shared_graph<>::create(graph_of(name.get(), e));
    REQUIRE_MESSAGE(g, g.status().sentence());
    if (e.needed() > e.consume) { ++above; }
    const std::int64_t times = random.between(1, 8);
    const std::int64_t whole = std::lcm(e.produce, e.consume) * times;
    const bool counts = takt::runtime::detail::counts_tokens(e.over);
    const std::int64_t jobs = counts ? 5 * times : whole / e.consume;
    const std::int64_t sends =
        counts ? takt::ceil_divide((jobs - 1) * e.consume + e.needed(), e.produce) : whole / e.produce;
    const ticks limit = random.chance(1, 3) ? random.between(1, 100'000) : 0;
    std::string producer;
    std::string consumer;
    {
      std::jthread to{[&] { consumer = consume(g, e, jobs, limit); }};
      std::jthread from{[&] { producer = produce(g, sends, limit); }};
    }
    CHECK_MESSAGE(producer.empty(), producer);
    CHECK_MESSAGE(consumer.empty(), consumer);
  }
  CHECK(above > 10);
}

TEST_CASE("between processes, too" * takt_tests::traces("GSA-39")) {
  for (const kind over : all_kinds) {
    CAPTURE(static_cast<int>(over));
    takt::random_stream random{static_cast<std::uint64_t>(over) + 5};
    link_description e = draw(random, over);
    e.consume = e.produce;
    e.threshold = 0;
    if (over == kind::ring) { e.over = shared_ring{3 * takt::runtime::detail::needed_capacity(e)}; }
    const named name{"processes"};
    REQUIRE(shared_graph<>::create(graph_of(name.get(), e)));
    process to{[&] {
      const auto g = shared_graph<>::open(name.get(), soon());
      return g && consume(g, e, 200, 0).empty() ? 0 : 1;
    }};
    process from{[&] {
      const auto g = shared_graph<>::open(name.get(), soon());
      return g && produce(g, 200, 0).empty() ? 0 : 1;
    }};
    CHECK(from.end() == 0);
    CHECK(to.end() == 0);
    const auto g = shared_graph<>::open(name.get());
    CHECK(g.finished("to") == 200);
    CHECK(g.tokens("bytes") == 0);
    CHECK(g.holder("to") == 0);
  }
}

TEST_CASE("a consumer of several channels and counters begins when the last of them is there" *
          takt_tests::traces("GSA-39")) {
  const named name{"mixed"};
  graph_description d{.name = name.get(), .nodes = {"from", "to"}, .folder = folder()};
  const std::vector<std::pair<std::string, transport>> ways{{"events", event_tokens{}},
                                                            {"ring", shared_ring{64}},
                                                            {"fifo", named_fifo{}},
                                                            {"fast", named_fifo{.fast = true}},
                                                            {"queue", message_queue{.messages = 4}},
                                                            {"socket", stream_socket{}}};
  for (const auto& [edge, over] : ways) {
    const std::int64_t bytes = carries_bytes(over) ? 4 : 1;
    d.edges.push_back({.name = edge, .from = "from", .to = "to", .token_bytes = bytes, .over = over});
  }
  const auto g = shared_graph<>::create(d);
  REQUIRE_MESSAGE(g, g.status().sentence());
  std::atomic<int> wrong = 0;
  {
    std::jthread to{[&] {
      auto n = g.claim("to");
      if (!n.bind_all(soon())) { ++wrong; }
      for (std::int64_t job = 0; job < 500; ++job) {
        if (!n.begin_job(soon())) { ++wrong; }
        for (const auto& [edge, over] : ways) {
          const auto got = n.received(edge);
          if (got.size() != (carries_bytes(over) ? 4U : 0U) || !in_order(got, job * 4)) { ++wrong; }
        }
        if (!n.finish_job(soon())) { ++wrong; }
      }
    }};
    std::jthread from{[&] {
      auto n = g.claim("from");
      if (!n.bind_all(soon())) { ++wrong; }
      for (std::int64_t job = 0; job < 500; ++job) {
        if (!n.begin_job(soon())) { ++wrong; }
        for (const auto& [edge, over] : ways) { fill(n.to_send(edge), job * 4); }
        if (!n.finish_job(soon())) { ++wrong; }
      }
    }};
  }
  CHECK(wrong == 0);
  CHECK(g.finished("to") == 500);
}

TEST_CASE("a producer whose channel is full waits no longer than its limit, and goes on later") {
  for (const kind over : {kind::ring, kind::fifo, kind::fast_fifo, kind::queue, kind::socket}) {
    CAPTURE(static_cast<int>(over));
    link_description e{.name = "bytes", .from = "from", .to = "to", .produce = 40'000, .consume = 40'000};
    if (over == kind::ring) { e.over = shared_ring{80'000}; }
    if (over == kind::fifo) { e.over = named_fifo{}; }
    if (over == kind::fast_fifo) { e.over = named_fifo{.fast = true}; }
    if (over == kind::queue) { e.over = message_queue{}; }
    if (over == kind::socket) { e.over = stream_socket{}; }
    const named name{"full"};
    const auto g = shared_graph<>::create(graph_of(name.get(), e));
    REQUIRE_MESSAGE(g, g.status().sentence());
    auto to = g.claim("to");
    REQUIRE(to.bind_all(soon()));
    auto from = g.claim("from");
    REQUIRE(from.bind_all(soon()));
    std::int64_t sent = 0;
    for (bool full = false; !full; ++sent) {
      REQUIRE(from.begin_job(soon()));
      fill(from.to_send("bytes"), sent * 40'000);
      const auto s = from.finish_job(shortly());
      full = !s;
      CHECK((s || s.fault == link_fault::time_limit));
      REQUIRE(sent < 100);
    }
    std::jthread rest{[&] { (void)from.finish_job(soon()); }};
    for (std::int64_t job = 0; job < sent; ++job) {
      REQUIRE(to.begin_job(soon()));
      CHECK(in_order(to.received("bytes"), job * 40'000));
      REQUIRE(to.finish_job(soon()));
    }
    rest.join();
    CHECK(g.finished("from") == sent);
  }
}
