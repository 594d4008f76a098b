// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <takt/core/random.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/systems/shares/run/seqpacket.hpp>
#include <takt/systems/shares/run/share_client.hpp>
#include <takt/systems/shares/run/share_service.hpp>

#include "share_fixture.hpp"
#include "support/environment.hpp"
#include "support/signal_storm.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace share_test;
using takt::ticks;
using takt::runtime::now;
using takt::runtime::seqpacket;
using takt::runtime::share_client;
using takt::runtime::socket_channel;
using takt::runtime::transfer;
using service_type = takt::runtime::share_service<scheduler_type>;

constexpr std::size_t clients = 20;
constexpr std::size_t rude_clients = 3;
constexpr ticks patience = 20'000 * ms;
constexpr const char* child_case = "a process of its own for the tests with many processes";

auto stress_table() -> table_type {
  table_type table;
  for (std::size_t i = 0; i < clients; ++i) { add(table, ms / 4, 30 * ms, 30 * ms, static_cast<int>(1 + i % 3)); }
  return table;
}

/// This program again, with the child's case alone, until it is killed or its service has gone.
class child {
 public:
  child(const std::string& path, const std::string& role, std::uint64_t seed) {
    const std::string only = std::string{"--test-case="} + child_case;
    const std::string socket = "TAKT_SHARE_SOCKET=" + path;
    const std::string as = "TAKT_SHARE_ROLE=" + role;
    const std::string from = "TAKT_SHARE_SEED=" + std::to_string(seed);
    std::vector<std::string> arguments{"takt_tests", only, "--no-skip"};
    std::vector<std::string> variables{socket, as, from};
    const auto pointers = [](std::vector<std::string>& all) {
      std::vector<char*> out;
      for (auto& one : all) { out.push_back(one.data()); }
      out.push_back(nullptr);
      return out;
    };
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    started_ = posix_spawn(&process_, "/proc/self/exe", &files, nullptr, pointers(arguments).data(),
                           pointers(variables).data()) == 0;
    posix_spawn_file_actions_destroy(&files);
  }
  child(const child&) = delete;
  auto operator=(const child&) -> child& = delete;
  ~child() { end(SIGKILL); }

  [[nodiscard]] auto started() const -> bool { return started_; }
  /// -1 when it was ended by a signal.
  auto end(int signal) -> int {
    if (!std::exchange(started_, false)) { return -1; }
    if (signal != 0) { (void)kill(process_, signal); }
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  bool started_ = false;
};

/// Begins and ends jobs until the service has gone.
void work(const std::string& path, std::size_t application, takt::random_stream& random) {
  const table_type table = stress_table();
  share_client client{socket_channel{path}, registration(table, application), now() + patience};
  while (client) {
    auto job = client.begin_job(now() + (random.chance(1, 20) ? 0 : patience));
    if (job.status() == takt::runtime::client_status::gone) { return; }
    takt::runtime::sleep_until(now() + random.between(0, 4 * ms));
    if (random.chance(1, 10)) { (void)client.heartbeat(); }
    if (random.chance(1, 30)) { takt::runtime::sleep_until(now() + 40 * ms); }
  }
}
/// Sends whatever comes to mind.
void be_rude(const std::string& path, takt::random_stream& random) {
  const table_type table = stress_table();
  for (;;) {
    const takt::runtime::descriptor socket = seqpacket::connect(path);
    if (!socket) { return; }
    for (transfer went = transfer::done; went == transfer::done;) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.chance(1, 10)  ? random.between(0, 150'000)
                                                               : random.chance(1, 2) ? 40
                                                                                     : random.between(0, 80)));
      for (auto& b : bytes) { b = static_cast<std::uint8_t>(random.below(256)); }
      if (random.chance(2, 3) && bytes.size() == 40) {
        auto m = join_message(table, static_cast<std::size_t>(random.below(clients)));
        m.kind = static_cast<takt::runtime::share_message_kind>(random.between(1, 5));
        m.job = static_cast<std::uint32_t>(random.below(4));
        if (m.kind == takt::runtime::share_message_kind::join) { m.priority = 0; }
        const auto encoded = takt::runtime::encode(m);
        bytes.assign(encoded.begin(), encoded.end());
      }
      went = seqpacket::send(socket, bytes, random.chance(1, 8) ? STDERR_FILENO : -1);
      if (random.chance(1, 16)) { break; }
    }
  }
}
/// Registers, hands the connection down to a child of its own, and ends in the middle of a job.
void leave_an_heir(const std::string& path, std::size_t application) {
  const table_type table = stress_table();
  share_client client{socket_channel{path}, registration(table, application), now() + patience};
  const auto job = client.begin_job(now() + patience);
  if (!job) { return; }
  if (fork() == 0) {
    for (const ticks end = now() + patience; client.heartbeat() && now() < end;) {
      takt::runtime::sleep_until(now() + ms);
    }
  }
  _exit(0);
}

template <class Holds>
auto eventually(Holds holds) -> bool {
  for (const ticks end = now() + patience; now() < end; takt::runtime::sleep_until(now() + ms / 2)) {
    if (holds()) { return true; }
  }
  return holds();
}

}  // namespace

TEST_CASE("a process of its own for the tests with many processes" * doctest::skip() *
          doctest::description("run by other cases")) {
  const char* path = std::getenv("TAKT_SHARE_SOCKET");
  const char* role = std::getenv("TAKT_SHARE_ROLE");
  const char* seed = std::getenv("TAKT_SHARE_SEED");
  if (path == nullptr || role == nullptr || seed == nullptr) { return; }
  takt::random_stream random{static_cast<std::uint64_t>(std::atoll(seed))};
  const std::string what{role};
  if (what == "rude") {
    be_rude(path, random);
  } else if (what == "heir") {
    leave_an_heir(path, 0);
  } else {
    work(path, static_cast<std::size_t>(std::atoll(role)), random);
  }
}

TEST_CASE("the end of a process is noticed although a child of it holds the connection") {
  const takt_tests::watchdog guard{10 * patience};
  const table_type table = stress_table();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("takt-heir-" + std::to_string(getpid()))).string();
  takt::runtime::share_service_options options{.path = path, .users = {}, .manager = {.abort_at_deadline = false}};
  service_type service{table, scheduler_of(table), options};
  REQUIRE(service.status() == takt::runtime::service_status::ready);
  child parent{path, "heir", 1};
  CHECK(parent.end(0) == 0);
  CHECK(eventually([&] { return service.monitor().counts().deaths == 1; }));
  CHECK(eventually([&] { return service.page().read(0).share() == 0; }));
}

TEST_CASE(
    "twenty processes that are killed at any time, and three that send nonsense, never bring the shares above 100") {
  const ticks length = takt_tests::stress_time(1'500 * ms);
  const takt_tests::watchdog guard{length + 10 * patience};
  const table_type table = stress_table();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("takt-stress-" + std::to_string(getpid()))).string();
  std::uint32_t memory = 0;
  for (std::size_t i = 0; i < clients; ++i) { memory += static_cast<std::uint32_t>(table.tasks[i].memory.count()); }
  takt::runtime::share_service_options options{
      .path = path, .users = {}, .connections = 40, .join_limit = 2'000 * ms, .manager = {.memory_units = memory}};
  service_type service{table, scheduler_of(table), options};
  REQUIRE(service.status() == takt::runtime::service_status::ready);

  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> seen = 0;
  std::atomic<std::uint64_t> wrong = 0;
  std::thread reader{[&] {
    std::array<takt::runtime::share_word, takt::runtime::share_page::capacity> words{};
    while (!over) {
      if (!service.page().snapshot(words)) { continue; }
      ++seen;
      if (sum_of(words) > 100) { ++wrong; }
    }
  }};
  const takt_tests::signal_storm storm;
  takt::random_stream random{2022};
  std::array<std::optional<child>, clients> workers;
  std::array<std::optional<child>, rude_clients> rude;
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < clients; ++i) { workers[i].emplace(path, std::to_string(i), ++seed); }
  for (auto& r : rude) { r.emplace(path, "rude", ++seed); }
  std::uint64_t kills = 0;
  for (const ticks end = now() + length; now() < end || kills < 5;) {
    const auto i = static_cast<std::size_t>(random.below(clients + rude_clients));
    takt::runtime::sleep_until(now() + random.between(0, 20 * ms));
    if (i >= clients) {
      rude[i - clients].emplace(path, "rude", ++seed);
      continue;
    }
    workers[i].reset();
    ++kills;
    REQUIRE(eventually([&] { return service.page().read(i).share() == 0; }));
    workers[i].emplace(path, std::to_string(i), ++seed);
    REQUIRE(workers[i]->started());
  }
  // Whoever is left works on.
  const std::uint64_t before = service.monitor().counts().jobs;
  CHECK(eventually([&] { return service.monitor().counts().jobs > before; }));
  for (auto& w : workers) { w.reset(); }
  for (auto& r : rude) { r.reset(); }
  CHECK(eventually([&] {
    std::array<takt::runtime::share_word, takt::runtime::share_page::capacity> words{};
    return service.page().snapshot(words) && sum_of(words) == 0;
  }));
  // Nobody holds a place or memory any more: an honest client for each application finds room.
  for (std::size_t i = 0; i < clients; ++i) {
    CHECK(eventually([&] {
      const share_client client{socket_channel{path}, registration(table, i), now() + patience};
      return static_cast<bool>(client);
    }));
  }
  over = true;
  reader.join();
  service.stop();
  CHECK(wrong == 0);
  CHECK(seen > 0);
  CHECK(service.monitor().counts().deaths > 0);
  CHECK(service.manager().live() == 0);
  CHECK(service.manager().memory_left() == memory);
  MESSAGE(kills << " kills, " << service.monitor().counts().jobs << " jobs, " << service.monitor().counts().operations
                << " operations, " << seen.load() << " readings");
}
