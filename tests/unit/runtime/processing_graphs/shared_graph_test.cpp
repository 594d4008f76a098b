// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/rules/graph/release_rule.hpp>
#include <takt/systems/graphs/run/links/shared_graph.hpp>

#include "link_fixture.hpp"
#include "support/traces.hpp"

namespace {

using namespace link_test;

auto chain(const std::string& name, transport over = event_tokens{}) -> graph_description {
  graph_description d{.name = name,
                      .nodes = {"grab", "detect"},
                      .edges = {{.name = "frames", .from = "grab", .to = "detect", .over = over}}};
  if (takt::runtime::detail::has_file(over)) { d.folder = folder(); }
  return d;
}
constexpr uid_t nobody = 65'534;
/// On a thread that is this user; other than the function of the C library, the system's call changes it alone.
template <class Work>
void as_nobody(Work work) {
  std::thread{[&] {
    REQUIRE(syscall(SYS_setresuid, nobody, nobody, nobody) == 0);
    work();
  }}.join();
}
auto fault_of(const graph_description& d) -> link_fault { return validate(d).fault; }

}  // namespace

TEST_CASE("a graph is found by its name, its nodes are claimed once, and edges are bound while it runs" *
          takt_tests::traces("GSA-36")) {
  const named name{"claims"};
  const auto made = shared_graph<>::create(chain(name.get()));
  REQUIRE_MESSAGE(made, made.status().sentence());
  const auto opened = shared_graph<>::open(name.get());
  REQUIRE(opened);
  CHECK(opened.nodes() == std::vector<std::string>{"grab", "detect"});
  CHECK(opened.edges() == std::vector<std::string>{"frames"});
  CHECK(opened.holder("grab") == 0);

  auto grab = made.claim("grab");
  REQUIRE(grab);
  CHECK(opened.holder("grab") == getpid());
  CHECK(opened.claim("grab").status().fault == link_fault::claimed);
  CHECK(opened.claim("grub").status().fault == link_fault::unknown_name);
  CHECK(grab.begin_job().fault == link_fault::not_bound);
  CHECK(grab.bind("fromes").fault == link_fault::unknown_name);
  REQUIRE(grab.bind("frames"));
  CHECK(grab.finish_job().fault == link_fault::no_job);
  {
    auto detect = opened.claim("detect");
    REQUIRE(detect.bind_all());
    CHECK(detect.begin_job(shortly()).fault == link_fault::time_limit);
    REQUIRE(grab.begin_job());
    CHECK(grab.begin_job().fault == link_fault::job_open);
    REQUIRE(grab.finish_job());
    CHECK(made.tokens("frames") == 1);
    REQUIRE(detect.begin_job(soon()));
    CHECK(made.tokens("frames") == 0);
    REQUIRE(detect.finish_job());
    CHECK(detect.job().number == 1);
  }
  // Given back at the end of the scope.
  CHECK(made.claim("detect"));
  auto elsewhere = std::move(grab);
  CHECK(grab.begin_job().fault == link_fault::not_claimed);  // NOLINT(*-use-after-move): what that gives
  CHECK(elsewhere.begin_job());

  CHECK(shared_graph<>::remove(name.get()));
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::missing);
  CHECK(elsewhere.finish_job());
}

TEST_CASE("a description that is no graph is refused before anything is made" * takt_tests::traces("GSA-36")) {
  const auto good = chain("good");
  CHECK(fault_of(good) == link_fault::none);
  const auto with = [&](auto change) {
    auto d = good;
    change(d, d.edges[0]);
    return fault_of(d);
  };
  CHECK(with([](auto& d, auto&) { d.name = "a/b"; }) == link_fault::name);
  CHECK(with([](auto& d, auto&) { d.name = std::string(32, 'a'); }) == link_fault::name);
  CHECK(with([](auto& d, auto&) { d.nodes[0] = ""; }) == link_fault::name);
  CHECK(with([](auto& d, auto&) { d.nodes[0] = "detect"; }) == link_fault::duplicate_name);
  CHECK(with([](auto& d, auto&) { d.nodes.clear(); }) == link_fault::number_of_nodes);
  CHECK(with([](auto& d, auto&) { d.edges.resize(129); }) == link_fault::number_of_edges);
  CHECK(with([](auto& d, auto&) { d.mode = 0400; }) == link_fault::mode);
  CHECK(with([](auto& d, auto&) { d.mode = 0700; }) == link_fault::mode);
  CHECK(with([](auto& d, auto&) { d.folder = "/tmp"; }) == link_fault::folder);
  CHECK(with([](auto&, auto& e) { e.over = named_fifo{}; }) == link_fault::folder);
  CHECK(with([](auto&, auto& e) { e.to = "nobody"; }) == link_fault::unknown_name);
  CHECK(with([](auto&, auto& e) { e.produce = 0; }) == link_fault::amount);
  CHECK(with([](auto&, auto& e) { e.consume = 3, e.threshold = 2; }) == link_fault::amount);
  CHECK(with([](auto&, auto& e) { e.token_bytes = 4; }) == link_fault::amount);
  CHECK(with([](auto&, auto& e) { e.produce = std::int64_t{1} << 62; }) == link_fault::amount);
  CHECK(with([](auto&, auto& e) { e.over = shared_ring{8}, e.initial = 1; }) == link_fault::initial_data);
  CHECK(with([](auto&, auto& e) { e.over = shared_ring{3}, e.threshold = 3, e.produce = 2; }) == link_fault::capacity);
  CHECK(with([](auto&, auto& e) { e.over = shared_ring{4}, e.threshold = 3, e.produce = 2; }) == link_fault::none);
  CHECK(with([](auto&, auto& e) { e.over = message_queue{.messages = 0}; }) == link_fault::message_size);
  CHECK(with([](auto&, auto& e) {
          e.over = message_queue{.messages = 2, .message_bytes = 4, .fast = true}, e.threshold = 3;
        }) == link_fault::capacity);
  CHECK(with([](auto& d, auto& e) { e.to = "grab", d.edges.resize(1); }) == link_fault::cycle);
  CHECK(with([](auto&, auto& e) { e.to = "grab", e.initial = 1; }) == link_fault::none);
}

TEST_CASE("a threshold above the consumption is refused where nobody counts the bytes, with a sentence" *
          takt_tests::traces("GSA-39")) {
  const auto with = [](transport over) {
    auto d = chain("thresholds", over);
    d.edges[0].consume = 2;
    d.edges[0].threshold = 5;
    return validate(d);
  };
  CHECK(with(event_tokens{}));
  CHECK(with(shared_ring{64}));
  CHECK(with(named_fifo{.fast = true}));
  CHECK(with(message_queue{.fast = true}));
  for (const transport& over : {transport{named_fifo{}}, transport{message_queue{}}, transport{stream_socket{}}}) {
    const link_status s = with(over);
    CHECK(s.fault == link_fault::threshold);
    CHECK(s.sentence() ==
          "takt: frames: a threshold above the consumption; only event tokens, rings and the fast variants of FIFOs "
          "and message queues can count what is there");
  }
}

TEST_CASE("what the system refuses is a status with its own word, and nothing is left behind") {
  const named name{"refused"};
  auto d = chain(name.get(), named_fifo{});
  d.folder = "/no-such-folder";
  auto s = shared_graph<>::create(d).status();
  CHECK(s.fault == link_fault::system);
  CHECK(s.error == ENOENT);
  CHECK(s.sentence() == "takt: frames: the system refused (mkfifo: No such file or directory)");
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::missing);

  // The second edge fails: the FIFO of the first goes, too. No user may have messages so large.
  d = chain(name.get(), named_fifo{});
  d.edges.push_back({.name = "large",
                     .from = "grab",
                     .to = "detect",
                     .over = message_queue{.messages = 1 << 16, .message_bytes = 1 << 20}});
  s = shared_graph<>::create(d).status();
  CHECK(s.fault == link_fault::system);
  CHECK(std::string{s.call} == "mq_open");
  CHECK(s.error != 0);
  CHECK_FALSE(std::filesystem::exists(folder() + "/" + name.get() + ".frames"));
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::missing);

  // A file that is no FIFO is not ours to remove.
  const std::string path = folder() + "/" + name.get() + ".frames";
  { const descriptor file{open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)}; }
  CHECK(shared_graph<>::create(chain(name.get(), named_fifo{})).status().error == EEXIST);
  const auto g = shared_graph<>::create(chain(name.get(), stream_socket{}));
  REQUIRE(g);
  CHECK(g.claim("detect").bind_all().fault == link_fault::wrong_kind);
  CHECK(std::filesystem::remove(path));
}

TEST_CASE("a graph with other monitors, of another layout or of a creator that was killed is not opened") {
  const named name{"layouts"};
  {
    const auto g = shared_graph<>::create(chain(name.get()));
    REQUIRE(g);
    CHECK(shared_graph<>::create(chain(name.get())).status().fault == link_fault::exists);
    CHECK(shared_graph<ticket_monitor<>>::open(name.get()).status().fault == link_fault::other_monitor);
    REQUIRE(shared_graph<>::remove(name.get()));
  }
  const std::string path = "/takt." + name.get();
  const auto leave = [&](off_t bytes, std::uint32_t first) {
    const descriptor file{shm_open(path.c_str(), O_CREAT | O_RDWR, 0600)};
    REQUIRE(file);
    REQUIRE(ftruncate(file.get(), 0) == 0);
    REQUIRE(ftruncate(file.get(), bytes) == 0);
    if (bytes > 0) { REQUIRE(write(file.get(), &first, sizeof(first)) == sizeof(first)); }
  };
  leave(1 << 20, 0x1234);
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::other_layout);
  leave(8, 0);
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::other_layout);
  for (const off_t bytes : {off_t{0}, off_t{1 << 20}}) {
    leave(bytes, 0);
    CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::unfinished);
    CHECK(shared_graph<>::create(chain(name.get())));
    CHECK(shared_graph<>::open(name.get()));
  }
}

// Only root can be somebody else.
TEST_CASE("memory of another user is refused, and left as it is" * doctest::skip(geteuid() != 0)) {
  const named name{"planted"};
  const std::string path = "/takt." + name.get();
  as_nobody([&] {
    const descriptor file{shm_open(path.c_str(), O_CREAT | O_EXCL | O_RDWR, 0666)};
    (void)fchmod(file.get(), 0666);
  });
  const auto facts_of = [&] {
    struct stat facts{};
    const descriptor file{shm_open(path.c_str(), O_RDWR, 0)};
    REQUIRE(fstat(file.get(), &facts) == 0);
    return facts;
  };
  REQUIRE(facts_of().st_uid == nobody);
  const auto refused = shared_graph<>::create(chain(name.get())).status();
  CHECK(refused.fault == link_fault::other_owner);
  CHECK(refused.sentence().starts_with("takt: /takt.planted-"));
  CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::other_owner);
  CHECK((facts_of().st_mode & 0777) == 0666);
  CHECK(facts_of().st_size == 0);
  CHECK(shm_unlink(path.c_str()) == 0);
}

TEST_CASE("a graph of another user, and its channels, are used where that user is trusted" *
          doctest::skip(geteuid() != 0)) {
  const named name{"theirs"};
  for (const transport& over : {transport{event_tokens{}}, transport{named_fifo{}}, transport{message_queue{}}}) {
    CAPTURE(over.index());
    auto d = chain(name.get(), over);
    d.mode = 0666;
    as_nobody([&] { CHECK(shared_graph<>::create(d)); });
    CHECK(shared_graph<>::open(name.get()).status().fault == link_fault::other_owner);
    CHECK(shared_graph<>::remove(name.get()).fault == link_fault::other_owner);
    CHECK(shared_graph<>::create(d).status().fault == link_fault::other_owner);
    const uid_t trusted[] = {nobody};
    {
      const auto opened = shared_graph<>::open(name.get(), 0, trusted);
      REQUIRE(opened);
      CHECK(opened.claim("detect").bind_all(shortly()));
    }
    as_nobody([&] { CHECK(shared_graph<>::remove(name.get())); });
  }
  // A channel can be somebody else's than the memory.
  auto d = chain(name.get(), named_fifo{});
  const auto g = shared_graph<>::create(d);
  REQUIRE(g);
  const std::string fifo = folder() + "/" + name.get() + ".frames";
  REQUIRE(chown(fifo.c_str(), nobody, nobody) == 0);
  CHECK(g.claim("detect").bind_all(shortly()).fault == link_fault::other_owner);
  CHECK(shared_graph<>::remove(name.get()).fault == link_fault::other_owner);
  CHECK(std::filesystem::remove(fifo));
}

TEST_CASE(
    "what others write over the memory of a graph is not read again, and no graph is opened that could not be made") {
  using memory = takt::runtime::detail::graph_memory<system_monitor>;
  const named name{"spoilt"};
  auto d = chain(name.get(), shared_ring{64});
  d.edges[0].token_bytes = 8;
  const auto made = shared_graph<>::create(d);
  REQUIRE(made);
  const auto opened = shared_graph<>::open(name.get());
  REQUIRE(opened);
  const descriptor file{shm_open(("/takt." + name.get()).c_str(), O_RDWR, 0)};
  REQUIRE(file);
  void* mapped = mmap(nullptr, sizeof(memory), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  REQUIRE(mapped != MAP_FAILED);
  auto& m = *static_cast<memory*>(mapped);
  const auto refused = [&](auto& field, auto value) {
    const auto before = field;
    field = value;
    const link_fault fault = shared_graph<>::open(name.get()).status().fault;
    field = before;
    return fault == link_fault::other_layout;
  };
  auto& edge = m.edges[0].shape;
  CHECK(refused(edge.threshold, std::int64_t{1} << 50));
  CHECK(refused(edge.consume, std::int64_t{-1}));
  CHECK(refused(edge.token_bytes, std::int64_t{65}));
  CHECK(refused(edge.ring_at, std::uint64_t{0}));
  CHECK(refused(edge.from, std::uint32_t{2}));
  CHECK(refused(edge.over, transport{shared_ring{1 << 20}}));
  CHECK(refused(edge.name[0], '/'));
  CHECK(refused(m.nodes[1].shape.name[0], '/'));
  CHECK(refused(m.nodes[1].shape.users, ~std::uint64_t{0}));
  CHECK(refused(m.nodes_used, std::uint32_t{65}));
  CHECK(refused(m.edges_used, std::uint32_t{0}));
  CHECK(refused(m.name[0], '.'));
  CHECK(shared_graph<>::open(name.get()));
  // Whoever has it open goes on with what it was.
  edge = {.from = 77, .to = 99, .produce = -1, .consume = std::int64_t{1} << 60, .token_bytes = 0, .ring_at = 1 << 30};
  m.nodes_used = m.edges_used = 1'000'000;
  for (auto& n : m.nodes) { n.shape = {}; }
  CHECK(opened.nodes() == std::vector<std::string>{"grab", "detect"});
  CHECK(opened.edges() == std::vector<std::string>{"frames"});
  auto grab = made.claim("grab");
  auto detect = opened.claim("detect");
  REQUIRE(grab.bind_all(shortly()));
  REQUIRE(detect.bind_all(shortly()));
  for (int job = 0; job < 20; ++job) {
    REQUIRE(grab.begin_job(shortly()));
    CHECK(grab.to_send("frames").size() == 8);
    REQUIRE(grab.finish_job(soon()));
    CHECK(opened.tokens("frames") == 1);
    REQUIRE(detect.begin_job(soon()));
    REQUIRE(detect.finish_job(soon()));
  }
  // Counts are no indices.
  m.nodes[1].finished = std::numeric_limits<std::int64_t>::min();
  m.edges[0].produced = std::numeric_limits<std::int64_t>::max() - 3;
  m.nodes[0].finished = m.nodes[0].started = std::numeric_limits<std::int64_t>::max();
  (void)opened.tokens("frames");
  REQUIRE(grab.begin_job(shortly()));
  (void)grab.finish_job(shortly());
  CHECK(munmap(mapped, sizeof(memory)) == 0);
  CHECK(shared_graph<>::remove(name.get()).fault == link_fault::other_layout);
  CHECK(shm_unlink(("/takt." + name.get()).c_str()) == 0);
}

TEST_CASE("of many threads that create a graph or claim a node, one does") {
  const named name{"race"};
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> made = 0;
    std::atomic<int> claimed = 0;
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < 6; ++i) {
        all.emplace_back([&] {
          const auto mine = shared_graph<>::create(chain(name.get()), soon());
          if (mine) { ++made; }
          if (!mine && mine.status().fault != link_fault::exists) { ++wrong; }
          const auto g = shared_graph<>::open(name.get(), soon());
          if (!g) {
            ++wrong;
            return;
          }
          static_cast<void>(g.nodes());
          const auto n = g.claim("grab");
          if (n) {
            ++claimed;
            // Nobody else gets it meanwhile.
            if (g.claim("grab")) { ++wrong; }
          }
        });
      }
    }
    CHECK(made == 1);
    CHECK(claimed >= 1);
    CHECK(wrong == 0);
    CHECK(shared_graph<>::remove(name.get()));
  }
}

TEST_CASE("a consumer learns when its job may run and is due: a job that waited is shifted, an early one is not") {
  const named name{"releases"};
  const auto g = shared_graph<>::create(chain(name.get()));
  auto grab = g.claim("grab");
  auto detect = g.claim("detect");
  REQUIRE(grab.bind_all());
  REQUIRE(detect.bind_all());
  const ticks second = 1'000'000'000;
  takt::release_rule<ticks> rule{second, second};
  takt::node_release<ticks> first;
  takt::node_release<ticks> next;
  for (int job = 0; job < 2; ++job) {
    REQUIRE(grab.begin_job());
    REQUIRE(grab.finish_job());
  }
  REQUIRE(detect.begin_job(rule, first, soon()));
  CHECK_FALSE(detect.job().waited);
  CHECK(first.release == detect.job().ready);
  CHECK(first.deadline == first.release + second);
  REQUIRE(detect.finish_job());
  // Its tokens are there long before its release: it may run early, and keeps its deadline.
  REQUIRE(detect.begin_job(rule, next, soon()));
  CHECK(next.eligible < next.release);
  CHECK(next.release == first.release + second);
  REQUIRE(detect.finish_job());

  // One that waits for its tokens beyond its release is shifted to the last of them.
  takt::release_rule<ticks> fast{1, second};
  REQUIRE(grab.begin_job());
  REQUIRE(grab.finish_job());
  REQUIRE(detect.begin_job(fast, first, soon()));
  REQUIRE(detect.finish_job());
  CHECK(detect.begin_job(fast, next, shortly()).fault == link_fault::time_limit);
  REQUIRE(grab.begin_job());
  REQUIRE(grab.finish_job());
  REQUIRE(detect.begin_job(fast, next, soon()));
  CHECK(detect.job().waited);
  CHECK(next.release == detect.job().ready);
  CHECK(next.release > first.release + 1);
  CHECK(next.deadline == next.release + second);
}
