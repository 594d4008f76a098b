// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/sockios.h>

#include <takt/core/random.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/systems/shares/run/path_lock.hpp>
#include <takt/systems/shares/run/seqpacket.hpp>
#include <takt/systems/shares/run/share_client.hpp>
#include <takt/systems/shares/run/share_page.hpp>
#include <takt/systems/shares/run/share_service.hpp>

#include "share_fixture.hpp"
#include "support/environment.hpp"
#include "support/signal_storm.hpp"

namespace {

using namespace share_test;
using takt::ticks;
using takt::runtime::client_status;
using takt::runtime::deny_reason;
using takt::runtime::now;
using takt::runtime::seqpacket;
using takt::runtime::service_status;
using takt::runtime::share_client;
using takt::runtime::share_message;
using takt::runtime::socket_channel;
using takt::runtime::transfer;
using kind = takt::runtime::share_message_kind;
using service_type = takt::runtime::share_service<scheduler_type>;

constexpr ticks patience = 20'000 * ms;
auto soon() -> ticks { return now() + patience; }

auto socket_path() -> std::string {
  static int number = 0;
  return (std::filesystem::temp_directory_path() /
          ("takt-shares-" + std::to_string(getpid()) + "-" + std::to_string(++number)))
      .string();
}

/// Applications with short jobs and long deadlines.
auto easy_table(std::size_t count) -> table_type {
  table_type table;
  for (std::size_t i = 0; i < count; ++i) { add(table, ms / 20, 60'000 * ms, 60'000 * ms); }
  return table;
}
/// Jobs of them may follow one another at once.
auto open_options(const std::string& path = {}) -> takt::runtime::share_service_options {
  return {.path = path, .users = {}, .manager = {.keep_periods = false}};
}

template <class Holds>
auto eventually(Holds holds) -> bool {
  for (const ticks end = soon(); now() < end; takt::runtime::sleep_until(now() + ms)) {
    if (holds()) { return true; }
  }
  return holds();
}

auto open_files() -> std::ptrdiff_t {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, std::filesystem::directory_iterator{});
}

/// A client that speaks for itself.
class raw_client {
 public:
  explicit raw_client(const std::string& path) : socket_{seqpacket::connect(path)} {}

  auto send(std::span<const std::uint8_t> bytes, int file = -1) -> transfer {
    return seqpacket::send(socket_, bytes, file);
  }
  auto send(const share_message& m) -> transfer { return send(takt::runtime::encode(m)); }
  /// The next reply; nothing once the service has hung up.
  auto receive() -> std::optional<share_message> {
    takt::runtime::share_message_buffer bytes{};
    std::size_t length = 0;
    transfer got = transfer::would_block;
    while (got == transfer::would_block && seqpacket::wait(socket_, soon())) {
      got = seqpacket::receive(socket_, bytes, length);
    }
    share_message m;
    if (got != transfer::done || takt::runtime::decode(std::span{bytes}.first(length), m) != deny_reason::none) {
      return std::nullopt;
    }
    return m;
  }
  [[nodiscard]] auto connected() const -> bool { return static_cast<bool>(socket_); }

 private:
  takt::runtime::descriptor socket_;
};

/// The other end of a channel, as a test wants it: answers with what `answers` says to a message.
class odd_service {
 public:
  explicit odd_service(std::function<std::vector<share_message>(const share_message&)> answers)
      : answers_{std::move(answers)} {
    auto [own, client] = seqpacket::pair();
    socket_ = std::move(own);
    channel_ = std::move(client);
    thread_ = std::jthread{[this](const std::stop_token& end) { serve(end); }};
  }
  [[nodiscard]] auto channel() -> socket_channel { return socket_channel{std::move(channel_)}; }

 private:
  void serve(const std::stop_token& end) {
    while (!end.stop_requested()) {
      takt::runtime::share_message_buffer bytes{};
      std::size_t length = 0;
      share_message m;
      if (!seqpacket::wait(socket_, now() + ms)) { continue; }
      if (seqpacket::receive(socket_, bytes, length) != transfer::done) { return; }
      if (takt::runtime::decode(std::span{bytes}.first(length), m) != deny_reason::none) { return; }
      for (const share_message& a : answers_(m)) {
        (void)seqpacket::send(socket_, takt::runtime::encode(a), a.kind == kind::welcome ? page_.file() : -1);
      }
    }
  }

  std::function<std::vector<share_message>(const share_message&)> answers_;
  takt::runtime::shared_page page_ = takt::runtime::shared_page::create();
  takt::runtime::descriptor socket_;
  takt::runtime::descriptor channel_;
  std::jthread thread_;
};

/// Memory of what was sent on a connection and has not been read.
auto unread(const takt::runtime::descriptor& socket) -> int {
  int bytes = 0;
  REQUIRE(ioctl(socket.get(), SIOCOUTQ, &bytes) == 0);
  return bytes;
}

/// Who begins the first service on a socket that nobody listens on any more, of several that try at once.
auto services_on(const std::string& path, std::size_t tries) -> std::size_t {
  const table_type table = easy_table(1);
  std::vector<std::unique_ptr<service_type>> services(tries);
  std::vector<std::jthread> threads;
  std::atomic<std::size_t> there{0};
  for (auto& s : services) {
    threads.emplace_back([&] {
      ++there;
      while (there < tries) {}
      s = std::make_unique<service_type>(table, scheduler_of(table), open_options(path));
    });
  }
  threads.clear();
  return static_cast<std::size_t>(
      std::ranges::count_if(services, [](const auto& s) { return s->status() == service_status::ready; }));
}

}  // namespace

TEST_CASE("clients of the own and of other processes share one service") {
  const table_type table = easy_table(3);
  const std::string path = socket_path();
  service_type service{table, scheduler_of(table), open_options(path)};
  REQUIRE(service.status() == service_status::ready);
  share_client near{service.attach(), registration(table, 0), soon()};
  share_client far{socket_channel{path}, registration(table, 1), soon()};
  REQUIRE(near);
  REQUIRE(far);
  CHECK(near.share().share() == 0);
  {
    auto first = near.begin_job(soon());
    REQUIRE(first);
    CHECK(near.share().share() == 100);
    auto second = far.begin_job(soon());
    REQUIRE(second);
    CHECK(far.share().share() > 0);
    CHECK(near.share().share() + far.share().share() == 100);
    CHECK(near.page().read(1) == far.share());
    // Set from outside, visible to both at once.
    const std::int32_t given = far.share().share() - 5;
    CHECK(service.set_share(1, given));
    CHECK(eventually([&] { return far.share().share() == given; }));
    CHECK_FALSE(service.set_share(0, 101));
    CHECK_FALSE(service.set_share(2, 1));
    first.end();
    CHECK(eventually([&] { return far.share().share() == 100; }));
    CHECK(far.heartbeat());
    CHECK_FALSE(second.aborted());
  }
  CHECK(eventually([&] { return far.share().share() == 0; }));
  const share_client late{service.attach(), registration(table, 1), soon()};
  CHECK(late.status() == client_status::denied);
  CHECK(late.why() == deny_reason::already_registered);
  service.stop();
  CHECK(near.begin_job(soon()).status() == client_status::gone);
  CHECK(far.begin_job(soon()).status() == client_status::gone);
  CHECK_FALSE(far.page().is_open());
  CHECK_FALSE(service.attach());
  CHECK_FALSE(service.set_share(1, 0));
}

TEST_CASE("whatever is no message of the protocol is answered and ends the connection, and nothing else") {
  const table_type table = easy_table(2);
  const std::string path = socket_path();
  const service_type service{table, scheduler_of(table), open_options(path)};
  REQUIRE(service.status() == service_status::ready);
  share_client honest{socket_channel{path}, registration(table, 0), soon()};
  REQUIRE(honest);
  const auto good = takt::runtime::encode(join_message(table, 1));
  struct nonsense {
    std::vector<std::uint8_t> bytes;
    deny_reason why;
  };
  std::vector<nonsense> all{{{1}, deny_reason::malformed},
                            {std::vector<std::uint8_t>(39, 1), deny_reason::malformed},
                            {std::vector<std::uint8_t>(41, 1), deny_reason::malformed},
                            {std::vector<std::uint8_t>(100'000, 7), deny_reason::malformed}};
  const auto spoilt = [&](std::size_t at, std::uint8_t value, deny_reason why) {
    std::vector<std::uint8_t> bytes{good.begin(), good.end()};
    bytes[at] = value;
    all.push_back({bytes, why});
  };
  spoilt(0, 2, deny_reason::wrong_version);
  spoilt(1, 0, deny_reason::malformed);
  spoilt(1, 6, deny_reason::malformed);
  spoilt(1, 255, deny_reason::malformed);
  spoilt(11, 101, deny_reason::malformed);
  spoilt(20, 200, deny_reason::malformed);
  spoilt(22, 1, deny_reason::malformed);
  for (const nonsense& n : all) {
    CAPTURE(n.bytes.size());
    raw_client rude{path};
    REQUIRE(rude.connected());
    REQUIRE(rude.send(n.bytes) == transfer::done);
    const auto reply = rude.receive();
    REQUIRE(reply);
    CHECK(reply->kind == kind::deny);
    CHECK(reply->why == n.why);
    CHECK_FALSE(rude.receive());
  }
  // An empty message is the end of a conversation; a file that comes along is nobody's.
  raw_client silent{path};
  REQUIRE(silent.send(std::span<const std::uint8_t>{}) == transfer::done);
  CHECK_FALSE(silent.receive());
  raw_client generous{path};
  REQUIRE(generous.send(takt::runtime::encode(join_message(table, 1)), STDIN_FILENO) == transfer::done);
  const auto welcome = generous.receive();
  REQUIRE(welcome);
  CHECK(welcome->kind == kind::welcome);
  // Messages that only a service sends are refused, the connection stays.
  REQUIRE(generous.send({.kind = kind::grant, .application = 1}) == transfer::done);
  CHECK(generous.receive().value_or(share_message{}).why == deny_reason::malformed);
  REQUIRE(generous.send({.kind = kind::allocate, .application = 1, .job = 4}) == transfer::done);
  CHECK(generous.receive().value_or(share_message{}).kind == kind::grant);
  CHECK(honest.begin_job(soon()));
}

TEST_CASE("a client that does not read is dropped, and nobody else waits for it") {
  const table_type table = easy_table(2);
  const std::string path = socket_path();
  service_type service{table, scheduler_of(table), open_options(path)};
  REQUIRE(service.status() == service_status::ready);
  share_client honest{socket_channel{path}, registration(table, 0), soon()};
  REQUIRE(honest);
  raw_client deaf{path};
  REQUIRE(deaf.send(join_message(table, 1)) == transfer::done);
  bool dropped = false;
  std::uint64_t sent = 0;
  for (const ticks end = soon(); !dropped && now() < end; ++sent) {
    const transfer went = deaf.send({.kind = kind::finish, .application = 1, .job = 99});
    dropped = went == transfer::closed;
    if (sent % 64 == 0) { CHECK(honest.begin_job(soon())); }
  }
  CHECK(dropped);
  CHECK(eventually([&] { return service.monitor().counts().deaths == 1; }));
  share_client next{socket_channel{path}, registration(table, 1), soon()};
  CHECK(next);
}

TEST_CASE("connections that never register, and clients that fall silent, are turned away") {
  const table_type table = easy_table(2);
  const std::string path = socket_path();
  auto options = open_options(path);
  options.join_limit = 20 * ms;
  options.silence_limit = 50 * ms;
  service_type service{table, scheduler_of(table), options};
  REQUIRE(service.status() == service_status::ready);
  raw_client idle{path};
  CHECK(idle.receive().value_or(share_message{}).why == deny_reason::silent);
  CHECK_FALSE(idle.receive());
  raw_client once{path};
  REQUIRE(once.send(join_message(table, 0)) == transfer::done);
  REQUIRE(once.send({.kind = kind::allocate, .application = 0, .job = 1}) == transfer::done);
  CHECK(once.receive().value_or(share_message{}).kind == kind::welcome);
  CHECK(once.receive().value_or(share_message{}).kind == kind::grant);
  CHECK(once.receive().value_or(share_message{}).why == deny_reason::silent);
  CHECK(eventually([&] { return service.page().read(0).share() == 0; }));
  CHECK(service.monitor().counts().deaths == 1);
}

TEST_CASE("a connection that does not register is turned away whatever it sends, one that leaves gets the same time") {
  const table_type table = easy_table(2);
  const std::string path = socket_path();
  auto options = open_options(path);
  options.join_limit = 50 * ms;
  const service_type service{table, scheduler_of(table), options};
  REQUIRE(service.status() == service_status::ready);
  raw_client alive{path};
  REQUIRE(alive.connected());
  bool dropped = false;
  for (const ticks end = now() + 2'000 * ms; !dropped && now() < end; takt::runtime::sleep_until(now() + 5 * ms)) {
    dropped = alive.send({.kind = kind::heartbeat}) == transfer::closed || !alive.receive();
  }
  CHECK(dropped);
  // Registered for longer than the limit, then not.
  raw_client member{path};
  REQUIRE(member.send(join_message(table, 0)) == transfer::done);
  CHECK(member.receive().value_or(share_message{}).kind == kind::welcome);
  takt::runtime::sleep_until(now() + 60 * ms);
  REQUIRE(member.send({.kind = kind::leave}) == transfer::done);
  REQUIRE(member.send(join_message(table, 1)) == transfer::done);
  CHECK(member.receive().value_or(share_message{}).kind == kind::welcome);
  REQUIRE(member.send({.kind = kind::leave}) == transfer::done);
  CHECK(member.receive().value_or(share_message{}).why == deny_reason::silent);
}

TEST_CASE("a client whose limit has passed reads no more of a service that talks of something else") {
  const auto [service, socket] = seqpacket::pair();
  for (int n = 0; n < 100; ++n) {
    REQUIRE(seqpacket::send(service, takt::runtime::encode({.kind = kind::update, .job = 77})) == transfer::done);
  }
  const share_client client{socket_channel{takt::runtime::descriptor{dup(socket.get())}},
                            registration(easy_table(1), 0), now()};
  CHECK(client.status() == client_status::timed_out);
  CHECK(unread(service) > 0);
}

TEST_CASE("a service that never answers does not hold a client beyond its limit") {
  const std::string path = socket_path();
  const takt::runtime::descriptor deaf = seqpacket::listen(path, false);
  REQUIRE(deaf);
  const share_client client{socket_channel{path}, registration(easy_table(1), 0), now() + 20 * ms};
  CHECK(client.status() == client_status::timed_out);
  // Nor where so many wait already that there is no room for another.
  REQUIRE(::listen(deaf.get(), 0) == 0);
  std::vector<socket_channel> others;
  for (bool room = true; room && others.size() < 10;) {
    others.emplace_back(path, std::span<const uid_t>{}, now() + 20 * ms);
    room = static_cast<bool>(others.back());
  }
  CHECK_FALSE(others.back());
  std::filesystem::remove(path);
}

TEST_CASE("numbers of jobs come again, and none is taken for the one that was dropped before") {
  const table_type table = easy_table(1);
  odd_service odd{[first = 0](const share_message& m) mutable {
    // The first job 1 is dropped at once, all others are not.
    if (m.kind == kind::join) { return std::vector{share_message{.kind = kind::welcome}}; }
    if (m.kind != kind::allocate) { return std::vector<share_message>{}; }
    std::vector out{share_message{.kind = kind::grant, .job = m.job}};
    if (m.job == 1 && first++ == 0) { out.push_back({.kind = kind::abort, .job = 1}); }
    return out;
  }};
  share_client dropped{odd.channel(), registration(table, 0), soon()};
  REQUIRE(dropped);
  {
    auto job = dropped.begin_job(soon());
    CHECK(eventually([&] { return job.aborted(); }));
  }
  takt::runtime::detail::job_numbers::skip_to(dropped, std::numeric_limits<std::uint32_t>::max() - 1);
  for (int n = 0; n < 3; ++n) {
    auto job = dropped.begin_job(soon());
    CHECK(job);
    CHECK_FALSE(job.aborted());
  }
}

TEST_CASE("there is a limit on connections, of whatever kind") {
  const table_type table = easy_table(4);
  const std::string path = socket_path();
  auto options = open_options(path);
  options.connections = 2;
  service_type service{table, scheduler_of(table), options};
  REQUIRE(service.status() == service_status::ready);
  const share_client first{service.attach(), registration(table, 0), soon()};
  std::optional<share_client> second;
  second.emplace(socket_channel{path}, registration(table, 1), soon());
  REQUIRE(*second);
  const share_client third{service.attach(), registration(table, 2), soon()};
  const share_client fourth{socket_channel{path}, registration(table, 3), soon()};
  CHECK(third.why() == deny_reason::too_many_clients);
  CHECK(fourth.why() == deny_reason::too_many_clients);
  second.reset();
  CHECK(eventually([&] {
    const share_client again{socket_channel{path}, registration(table, 3), soon()};
    return static_cast<bool>(again);
  }));
}

// Only root can be somebody else.
TEST_CASE("only users that the system vouches for are let in" * doctest::skip(geteuid() != 0)) {
  constexpr uid_t nobody = 65'534;
  const table_type table = easy_table(1);
  struct setting {
    std::vector<uid_t> users;
    client_status expected;
    deny_reason why;
  };
  for (const setting& s : {setting{{}, client_status::gone, deny_reason::none},
                           setting{{12'345}, client_status::denied, deny_reason::not_permitted},
                           setting{{12'345, nobody}, client_status::ready, deny_reason::none}}) {
    const std::string path = socket_path();
    auto options = open_options(path);
    options.users = s.users;
    const service_type service{table, scheduler_of(table), options};
    REQUIRE(service.status() == service_status::ready);
    struct stat facts{};
    REQUIRE(stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == (s.users.empty() ? 0600 : 0666));
    // For the calling thread alone, other than the function of the C library.
    std::thread{[&] {
      if (syscall(SYS_setresuid, nobody, nobody, nobody) != 0) { return; }
      const share_client client{socket_channel{path}, registration(table, 0), soon()};
      CHECK(client.status() == s.expected);
      CHECK(client.why() == s.why);
    }}.join();
  }
}

TEST_CASE("a service takes the place of one that has died, but not of one that lives, nor of a file") {
  const table_type table = easy_table(1);
  const std::string path = socket_path();
  {
    takt::runtime::descriptor abandoned = seqpacket::listen(path, false);
    REQUIRE(abandoned);
  }
  REQUIRE(std::filesystem::exists(path));
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::ready);
    const service_type other{table, scheduler_of(table), open_options(path)};
    CHECK(other.status() == service_status::no_socket);
    const share_client client{socket_channel{path}, registration(table, 0), soon()};
    CHECK(client);
  }
  CHECK_FALSE(std::filesystem::exists(path));
  std::ofstream{path} << "precious";
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::no_socket);
  }
  CHECK(std::filesystem::file_size(path) == 8);
  std::filesystem::remove(path);
  const service_type long_name{table, scheduler_of(table), open_options(std::string(200, 'x'))};
  CHECK(long_name.status() == service_status::no_socket);
  const table_type empty;
  const service_type nothing{empty, scheduler_of(empty), open_options()};
  CHECK(nothing.status() == service_status::wrong_model);
  CHECK_FALSE(socket_channel{path});
}

TEST_CASE("of services that begin at once on a socket of one that has died, one serves") {
  for (int round = 0; round < 20; ++round) {
    const std::string path = socket_path();
    {
      const takt::runtime::descriptor abandoned = seqpacket::listen(path, false);
      REQUIRE(abandoned);
    }
    CHECK(services_on(path, 4) == 1);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK_FALSE(std::filesystem::exists(path + ".lock"));
  }
}

TEST_CASE("a service looks at a socket once it has the lock beside it") {
  const std::string path = socket_path();
  const table_type table = easy_table(1);
  {
    const takt::runtime::descriptor abandoned = seqpacket::listen(path, false);
    REQUIRE(abandoned);
  }
  takt::runtime::path_lock other;
  REQUIRE(other.take(path));
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::no_socket);
    CHECK(errno == EADDRINUSE);
  }
  CHECK(std::filesystem::exists(path));
  other.release();
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::ready);
    CHECK_FALSE(other.take(path));
  }
  CHECK(other.take(path));
}

// Only root can be somebody else.
TEST_CASE("a socket, or a lock, of another user is not replaced" * doctest::skip(geteuid() != 0)) {
  const std::string path = socket_path();
  const table_type table = easy_table(1);
  {
    const takt::runtime::descriptor abandoned = seqpacket::listen(path, false);
    REQUIRE(abandoned);
  }
  REQUIRE(chown(path.c_str(), 65'534, 65'534) == 0);
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::no_socket);
  }
  REQUIRE(std::filesystem::remove(path));
  std::ofstream{path + ".lock"} << "";
  REQUIRE(chown((path + ".lock").c_str(), 65'534, 65'534) == 0);
  {
    const service_type service{table, scheduler_of(table), open_options(path)};
    CHECK(service.status() == service_status::no_socket);
  }
  CHECK(std::filesystem::remove(path + ".lock"));
}

TEST_CASE("a request can time out, is then withdrawn, and whoever waits hears of the end of the service") {
  table_type table;
  add(table, 50'000 * ms, 60'000 * ms, 60'000 * ms);
  add(table, 50'000 * ms, 60'000 * ms, 60'000 * ms);
  service_type service{table, scheduler_of(table, takt::wamp2s_text), open_options()};
  share_client first{service.attach(), registration(table, 0), soon()};
  share_client second{service.attach(), registration(table, 1), soon()};
  auto running = first.begin_job(soon());
  REQUIRE(running);
  CHECK(second.begin_job(now() + 20 * ms).status() == client_status::timed_out);
  auto waits = std::async(std::launch::async, [&] { return second.begin_job(soon()).status(); });
  CHECK(eventually([&] {
    const auto records = service.monitor().records();
    return std::ranges::count_if(records, [](const auto& r) {
             return r.what == takt::runtime::share_event::release && r.application == 1;
           }) == 2;
  }));
  service.stop();
  CHECK(waits.get() == client_status::gone);
}

TEST_CASE("a job that is dropped at its deadline is told so") {
  table_type table;
  add(table, 5 * ms, 20 * ms, 20 * ms);
  service_type service{table, scheduler_of(table), open_options()};
  share_client client{service.attach(), registration(table, 0), soon()};
  auto job = client.begin_job(soon());
  REQUIRE(job);
  CHECK(eventually([&] { return job.aborted(); }));
  CHECK(client.share().share() == 0);
  job.end();
  CHECK(client.begin_job(soon()));
  CHECK(service.monitor().counts().misses >= 1);
}

TEST_CASE("many clients on threads come, work, are overruled and go, and leave nothing behind") {
  const ticks length = takt_tests::stress_time(300 * ms);
  const table_type table = easy_table(8);
  const std::string path = socket_path();
  const auto files = open_files();
  {
    const takt_tests::signal_storm storm;
    auto options = open_options(path);
    options.manager.actuation_delay = ms / 2;
    options.manager.memory_units = 8;
    service_type service{table, scheduler_of(table), options};
    REQUIRE(service.status() == service_status::ready);
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> jobs = 0;
    std::atomic<std::uint64_t> wrong = 0;
    const ticks end = now() + length;
    std::vector<std::thread> threads;
    for (std::uint16_t i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        takt::random_stream random{i + std::uint64_t{1}};
        const auto work = [&](auto channel) {
          auto client = share_client{std::move(channel), registration(table, i), soon()};
          for (int n = 0; client && n < 20 && now() < end; ++n) {
            auto job = client.begin_job(random.chance(1, 10) ? now() : soon());
            if (job) { ++jobs; }
            if (random.chance(1, 8)) { takt::runtime::sleep_until(now() + random.between(0, ms)); }
            if (random.chance(1, 50)) { return; }
          }
        };
        while (now() < end) { i % 2 == 0 ? work(service.attach()) : work(socket_channel{path}); }
      });
    }
    threads.emplace_back([&] {
      std::array<takt::runtime::share_word, takt::runtime::share_page::capacity> words{};
      while (!over) {
        if (service.page().snapshot(words) && sum_of(words) > 100) { ++wrong; }
      }
    });
    takt::random_stream random{99};
    while (now() < end) {
      (void)service.set_share(static_cast<std::size_t>(random.below(9)), static_cast<std::int32_t>(random.below(110)));
      takt::runtime::sleep_until(now() + ms);
    }
    for (std::size_t t = 0; t + 1 < threads.size(); ++t) { threads[t].join(); }
    CHECK(eventually([&] {
      std::array<takt::runtime::share_word, takt::runtime::share_page::capacity> words{};
      return service.page().snapshot(words) && sum_of(words) == 0;
    }));
    over = true;
    threads.back().join();
    service.stop();
    CHECK(wrong == 0);
    CHECK(jobs > 0);
    CHECK(service.manager().live() == 0);
    CHECK(service.manager().memory_left() == 8);
  }
  CHECK(open_files() == files);
}
