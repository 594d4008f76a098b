// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <takt/core/random.hpp>
#include <takt/systems/graphs/run/links/shared_graph.hpp>

#include "link_fixture.hpp"
#include "support/traces.hpp"

namespace {

using namespace link_test;

auto chain(const std::string& name) -> graph_description {
  return {.name = name,
          .nodes = {"source", "middle", "sink"},
          .edges = {{.name = "in", .from = "source", .to = "middle", .produce = 2, .consume = 1, .threshold = 3},
                    {.name = "bytes",
                     .from = "source",
                     .to = "middle",
                     .produce = 10,
                     .consume = 5,
                     .threshold = 7,
                     .over = shared_ring{40}},
                    {.name = "out", .from = "middle", .to = "sink", .over = shared_ring{64}}}};
}

/// Executes jobs until the node has done so many, or this process is killed. 0 if all bytes were right.
template <class Monitor>
auto work(const std::string& name, std::string_view node, std::int64_t jobs) -> int {
  const auto g = shared_graph<Monitor>::open(name, soon());
  if (!g) { return 2; }
  auto n = g.claim(node);
  if (!n) { return 3; }
  if (!n.bind_all(soon())) { return 4; }
  while (g.finished(node) < jobs) {
    if (!n.begin_job(soon())) { return 5; }
    const std::int64_t before = n.job().number - 1;
    if (n.job().number != g.finished(node) + 1) { return 6; }
    if (node == "source") { fill(n.to_send("bytes"), before * 10); }
    if (node == "middle") {
      if (!in_order(n.received("bytes"), before * 5)) { return 7; }
      fill(n.to_send("out"), before);
    }
    if (node == "sink" && !in_order(n.received("out"), before)) { return 8; }
    if (!n.finish_job(soon())) { return 9; }
  }
  return 0;
}

template <class Monitor>
void kill_at_any_time(std::int64_t kills) {
  const named<Monitor> name{"killed"};
  const auto g = shared_graph<Monitor>::create(chain(name.get()));
  REQUIRE_MESSAGE(g, g.status().sentence());
  constexpr std::array<std::string_view, 3> nodes{"source", "middle", "sink"};
  std::array<std::optional<process>, 3> all;
  const auto start = [&](std::size_t v, std::int64_t jobs) {
    all[v].emplace([&, v, jobs] { return work<Monitor>(name.get(), nodes[v], jobs); });
  };
  constexpr std::int64_t endless = std::int64_t{1} << 40;
  takt::random_stream random{17};
  for (std::size_t v = 0; v < nodes.size(); ++v) { start(v, endless); }
  std::int64_t died = 0;
  for (std::int64_t k = 0; k < kills; ++k) {
    takt::runtime::sleep_until(now() + random.between(0, 3'000'000));
    const auto v = static_cast<std::size_t>(random.below(nodes.size()));
    if (all[v]->end(SIGKILL) == -1) { ++died; }
    start(v, endless);
  }
  CHECK(died == kills);
  for (auto& p : all) { CHECK(p->end(SIGKILL) == -1); }
  // Whatever they were in the middle of, others go on from there, to the last token.
  const std::int64_t done = g.finished("sink");
  CHECK(done > 0);
  const std::int64_t jobs = g.finished("middle") + 200;
  start(0, (jobs + 2 + 1) / 2);
  start(1, jobs);
  start(2, jobs);
  for (auto& p : all) { CHECK(p->end() == 0); }
  CHECK(g.finished("sink") == jobs);
  CHECK(g.tokens("out") == 0);
  CHECK(g.tokens("in") == 2 * g.finished("source") - jobs);
}

}  // namespace

TEST_CASE("processes that are killed at any time leave no token lost or doubled, and nobody waits for ever" *
          takt_tests::traces("GSA-37")) {
  SUBCASE("under the monitor of the operating system") { kill_at_any_time<system_monitor>(150); }
  SUBCASE("under spinning in the order of tickets") { kill_at_any_time<ticket_monitor<>>(150); }
}

TEST_CASE("the node of a process that was killed is taken over, and its last job is repeated" *
          takt_tests::traces("GSA-36")) {
  const named name{"taken"};
  const auto g = shared_graph<>::create(chain(name.get()));
  REQUIRE(g);
  process first{[&] {
    auto n = shared_graph<>::open(name.get(), soon()).claim("source");
    if (!n.bind_all(soon())) { return 1; }
    fill(n.to_send("bytes"), 0);
    if (!n.begin_job(soon()) || !n.finish_job(soon()) || !n.begin_job(soon())) { return 1; }
    for (;;) { pause(); }
    return 0;
  }};
  const ticks limit = soon();
  while (g.finished("source") < 1 && now() < limit) { takt::runtime::sleep_until(now() + 1'000'000); }
  CHECK(g.holder("source") > 0);
  CHECK(g.claim("source").status().fault == link_fault::claimed);
  first.kill_only();
  CHECK(g.holder("source") == 0);
  auto second = g.claim("source");
  REQUIRE(second);
  REQUIRE(second.bind_all(soon()));
  REQUIRE(second.begin_job());
  CHECK(second.job().number == 2);
  fill(second.to_send("bytes"), 10);
  REQUIRE(second.finish_job());
  CHECK(g.tokens("in") == 4);
  // A forked child has a copy of the claim, and it is not its own.
  process child{[&] { return second.begin_job().fault == link_fault::not_claimed ? 0 : 1; }};
  CHECK(child.end() == 0);
  CHECK(g.holder("source") == getpid());
}

TEST_CASE("bytes that went with a killed process are not made up: the edge says so" * takt_tests::traces("GSA-39")) {
  const auto with = [](transport over, std::int64_t bytes, auto lose) {
    const named name{"cut"};
    const auto g = shared_graph<>::create(
        {.name = name.get(),
         .nodes = {"from", "to"},
         .edges = {{.name = "bytes", .from = "from", .to = "to", .produce = bytes, .consume = bytes / 2, .over = over}},
         .folder = takt::runtime::detail::has_file(over) ? folder() : ""});
    REQUIRE_MESSAGE(g, g.status().sentence());
    lose(g);
  };
  // A producer in the middle of what it sends.
  for (const transport& over : {transport{named_fifo{}}, transport{message_queue{}}, transport{stream_socket{}}}) {
    // More than any channel holds.
    with(over, 30'000'000, [](const auto& g) {
      auto to = g.claim("to");
      REQUIRE(to.bind_all(soon()));
      process from{[&] {
        auto n = g.claim("from");
        if (!n.bind_all(soon()) || !n.begin_job(soon())) { return 1; }
        return n.finish_job(shortly()).fault == link_fault::time_limit ? 0 : 1;
      }};
      CHECK(from.end() == 0);
      CHECK(g.claim("from").bind_all(soon()).fault == link_fault::cut);
    });
  }
  // A consumer with half of what it needs.
  for (const transport& over : {transport{named_fifo{}}, transport{message_queue{}}}) {
    with(over, 300'000, [](const auto& g) {
      int ready[2];
      REQUIRE(pipe(ready) == 0);
      process to{[&] {
        auto n = g.claim("to");
        if (!n.bind_all(soon()) || write(ready[1], "x", 1) != 1) { return 1; }
        return n.begin_job(soon()) && g.tokens("bytes") != 1 && n.received("bytes").size() == 150'000 ? 0 : 1;
      }};
      char word = 0;
      REQUIRE(read(ready[0], &word, 1) == 1);
      {
        auto from = g.claim("from");
        REQUIRE(from.bind_all(soon()));
        REQUIRE(from.begin_job());
        const ticks limit = soon();
        while (g.holder("to") != 0 && now() < limit) { (void)from.finish_job(shortly()); }
      }
      CHECK(to.end() == 0);
      CHECK(g.claim("to").bind_all(soon()).fault == link_fault::cut);
      (void)close(ready[0]);
      (void)close(ready[1]);
    });
  }
  // The memory of a graph keeps them.
  with(shared_ring{600'000}, 300'000, [](const auto& g) {
    process from{[&] {
      auto n = g.claim("from");
      if (!n.bind_all(soon()) || !n.begin_job(soon())) { return 1; }
      fill(n.to_send("bytes"), 0);
      return n.finish_job(soon()) ? 0 : 1;
    }};
    CHECK(from.end() == 0);
    process to{[&] {
      auto n = g.claim("to");
      return n.bind_all(soon()) && n.begin_job(soon()) ? 0 : 1;
    }};
    CHECK(to.end() == 0);
    auto n = g.claim("to");
    REQUIRE(n.bind_all(soon()));
    REQUIRE(n.begin_job(soon()));
    CHECK(n.job().repeated);
    CHECK(in_order(n.received("bytes"), 0));
    REQUIRE(n.finish_job());
    REQUIRE(n.begin_job(soon()));
    CHECK(in_order(n.received("bytes"), 150'000));
  });
}

TEST_CASE("a creator that is killed in the middle is replaced, and one that works is waited for" *
          takt_tests::traces("GSA-36")) {
  const named name{"creator"};
  const std::string path = "/takt." + name.get();
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  process creator{[&] {
    const int file = shm_open(path.c_str(), O_CREAT | O_RDWR, 0600);
    if (flock(file, LOCK_EX) != 0 || ftruncate(file, 1 << 20) != 0 || write(ready[1], "x", 1) != 1) { return 1; }
    for (;;) { pause(); }
    return 0;
  }};
  char word = 0;
  REQUIRE(read(ready[0], &word, 1) == 1);
  CHECK(shared_graph<>::create(chain(name.get()), shortly()).status().fault == link_fault::time_limit);
  CHECK(shared_graph<>::open(name.get(), shortly()).status().fault == link_fault::time_limit);
  CHECK(creator.end(SIGKILL) == -1);
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::unfinished);
  CHECK(shared_graph<>::create(chain(name.get())));
  const auto g = shared_graph<>::open(name.get());
  REQUIRE(g);
  CHECK(g.nodes().size() == 3);
  (void)close(ready[0]);
  (void)close(ready[1]);
}

TEST_CASE("a repeated job sends nothing over the edges that have its tokens already" * takt_tests::traces("GSA-37")) {
  const named name{"doubled"};
  const auto g = shared_graph<>::create(
      {.name = name.get(),
       .nodes = {"from", "to"},
       .edges = {{.name = "first", .from = "from", .to = "to", .token_bytes = 8, .over = named_fifo{.fast = true}},
                 {.name = "second", .from = "from", .to = "to", .token_bytes = 8, .over = shared_ring{16}},
                 {.name = "third", .from = "from", .to = "to", .token_bytes = 8, .over = shared_ring{8}}},
       .folder = folder()});
  REQUIRE_MESSAGE(g, g.status().sentence());
  auto to = g.claim("to");
  REQUIRE(to.bind_all(soon()));
  process from{[&] {
    auto n = g.claim("from");
    if (!n.bind_all(soon())) { return 1; }
    for (std::int64_t job = 0; job < 2; ++job) {
      if (!n.begin_job(soon())) { return 1; }
      for (const auto* edge : {"first", "second", "third"}) { fill(n.to_send(edge), job * 8); }
      // The third edge has no room for a second job.
      if (n.finish_job(shortly()).fault != (job == 0 ? link_fault::none : link_fault::time_limit)) { return 1; }
    }
    return 0;
  }};
  CHECK(from.end() == 0);
  CHECK(g.tokens("first") == 2);
  CHECK(g.tokens("second") == 2);
  CHECK(g.tokens("third") == 1);
  REQUIRE(to.begin_job(soon()));
  REQUIRE(to.finish_job(soon()));
  auto n = g.claim("from");
  REQUIRE(n.bind_all(soon()));
  for (std::int64_t job = 1; job < 3; ++job) {
    REQUIRE(n.begin_job(soon()));
    CHECK(n.job().number == job + 1);
    CHECK(n.job().repeated == (job == 1));
    for (const auto* edge : {"first", "second", "third"}) { fill(n.to_send(edge), job * 8); }
    REQUIRE(n.finish_job(soon()));
    REQUIRE(to.begin_job(soon()));
    for (const auto* edge : {"first", "second", "third"}) { CHECK(in_order(to.received(edge), job * 8)); }
    REQUIRE(to.finish_job(soon()));
  }
  CHECK(g.tokens("first") == 0);
  CHECK(g.tokens("third") == 0);
}
