// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <takt/systems/shares/run/launch_gate.hpp>
#include <takt/systems/shares/run/share_manager.hpp>
#include <takt/systems/shares/run/virtual_context.hpp>

#include "share_fixture.hpp"
#include "support/traces.hpp"

namespace {

using namespace share_test;
using takt::ticks;
using takt::runtime::deny_reason;
using takt::runtime::share_event;
using takt::runtime::share_message;
using takt::runtime::share_page;
using takt::runtime::share_record;
using kind = takt::runtime::share_message_kind;

/// A manager in virtual time, client i being that of application i.
class bench {
 public:
  explicit bench(const table_type& table, const takt::runtime::share_manager_options& options = {},
                 const takt::share_rules& rules = takt::wamp2s_robust,
                 const takt::share_triggers& triggers = takt::every_change)
      : table_{&table}, manager{table, scheduler_of(table, rules, triggers), page, options} {
    page.open = 1;
    page.format = share_page::layout;
  }

  void send(std::size_t client, const share_message& m) { manager.receive(client, m, now, box); }
  void join(std::size_t i) { send(i, join_message(*table_, i)); }
  void ask(std::size_t i, std::uint32_t job) {
    send(i, {.kind = kind::allocate, .application = static_cast<std::uint16_t>(i), .job = job});
  }
  void finish(std::size_t i, std::uint32_t job) {
    send(i, {.kind = kind::finish, .application = static_cast<std::uint16_t>(i), .job = job});
  }
  auto settle() -> std::vector<letter_box::letter> {
    manager.expire(now, box);
    manager.settle(now, box);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < share_page::capacity; ++i) { sum += page.read(i).share(); }
    CHECK(sum <= 100);
    return box.take();
  }
  [[nodiscard]] auto share_of(std::size_t i) const -> std::int32_t { return page.read(i).share(); }
  [[nodiscard]] auto events() const -> std::vector<share_event> {
    std::vector<share_event> out;
    for (const share_record& r : manager.monitor().records()) { out.push_back(r.what); }
    return out;
  }

 private:
  const table_type* table_;

 public:
  share_page page;
  takt::runtime::share_manager<scheduler_type> manager;
  letter_box box;
  ticks now = 1'000'000'000;
};

auto two_applications() -> table_type {
  table_type table;
  add(table, 20 * ms, 50 * ms, 100 * ms, 2);
  add(table, 20 * ms, 80 * ms, 100 * ms, 3);
  return table;
}

auto reasons(const std::vector<letter_box::letter>& letters) -> std::vector<deny_reason> {
  std::vector<deny_reason> out;
  for (const auto& l : letters) {
    if (l.message.kind == kind::deny) { out.push_back(l.message.why); }
  }
  return out;
}

/// A driver that remembers what reached it.
struct fake_driver {
  using kernel = std::string;

  auto launch(const std::string& name, std::int64_t blocks) -> bool {
    launched.push_back(name + ":" + std::to_string(blocks));
    return !broken;
  }
  auto allocate(std::uint64_t bytes) -> void* {
    if (broken) { return nullptr; }
    held += bytes;
    sizes.push_back(bytes);
    memory.push_back(std::make_unique<char>());
    return memory.back().get();
  }
  void release(void* what) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (memory[i].get() == what) { held -= sizes[i]; }
    }
  }

  std::vector<std::string> launched;
  std::vector<std::unique_ptr<char>> memory;
  std::vector<std::uint64_t> sizes;
  std::uint64_t held = 0;
  bool broken = false;
};

/// A device that is as busy as was said last.
struct fake_meter {
  std::int64_t percent = 0;
  [[nodiscard]] auto used_percent() const -> std::int64_t { return percent; }
};

}  // namespace

TEST_CASE("a request passes the eight steps from intercepted launch to refilled gate, or is denied" *
          takt_tests::traces("WAMP-02")) {
  const table_type table = two_applications();
  bench b{table, {.memory_units = 4}};
  b.join(0);
  CHECK(b.box.take().front().message.kind == kind::welcome);
  CHECK(b.manager.memory_left() == 2);

  fake_driver driver;
  fake_meter meter;
  takt::runtime::launch_gate gate{b.page, 0, meter, {.capacity = {.sms = 10}, .period = 2 * ms, .poll = ms}};
  takt::runtime::virtual_context context{driver, gate, 512};
  // 1: the launch is intercepted; without a job it does not reach the driver.
  CHECK(context.launch("early", 100, takt::runtime::now()) == takt::runtime::context_status::timed_out);
  CHECK(driver.launched.empty());
  // 2 to 7 happen in this order, and the reply comes last.
  b.ask(0, 1);
  CHECK(b.box.take().empty());
  CHECK(b.share_of(0) == 0);
  const auto letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].message == share_message{.kind = kind::grant, .application = 0, .job = 1, .word = b.page.read(0)});
  CHECK(b.share_of(0) == 100);
  CHECK(b.events() == std::vector{share_event::join, share_event::request, share_event::release, share_event::operation,
                                  share_event::share, share_event::grant});
  // 8: the gate has tokens at the new rate.
  const std::uint64_t refills = gate.refills();
  CHECK(context.launch("first", 100) == takt::runtime::context_status::done);
  CHECK(context.launch("second", 100) == takt::runtime::context_status::done);
  CHECK(driver.launched == std::vector<std::string>{"first:100", "second:100"});
  CHECK(gate.refills() > refills);
  CHECK(gate.tokens().limit() == 100);

  // Denials, each with its reason.
  b.ask(0, 2);
  b.finish(0, 7);
  b.join(0);
  b.join(1);
  b.send(5, {.kind = kind::allocate, .job = 1});
  b.send(5, {.kind = kind::grant});
  CHECK(reasons(b.settle()) == std::vector{deny_reason::job_active, deny_reason::no_such_job,
                                           deny_reason::already_registered, deny_reason::out_of_memory,
                                           deny_reason::not_registered, deny_reason::malformed});
  // The end of the job, and of the client.
  b.now += 20 * ms;
  b.finish(0, 1);
  CHECK(b.settle().empty());
  CHECK(b.share_of(0) == 0);
  CHECK(context.launch("late", 1, takt::runtime::now()) == takt::runtime::context_status::timed_out);
  b.send(0, {.kind = kind::leave});
  CHECK(b.manager.memory_left() == 4);
  CHECK(b.manager.live() == 0);
  b.ask(0, 2);
  CHECK(reasons(b.settle()) == std::vector{deny_reason::not_registered});
}

TEST_CASE("launches pass by tokens, one context per application, which limits its memory too" *
          takt_tests::traces("WAMP-03")) {
  share_page page;
  page.format = share_page::layout;
  page.open = 1;
  page.write(3, 50);
  fake_driver driver;
  fake_meter meter{.percent = 100};
  takt::runtime::launch_gate gate{
      page, 3, meter, {.capacity = {.sms = 10}, .tokens_per_block = 2, .period = ms, .poll = ms}};
  REQUIRE(gate.started());
  {
    takt::runtime::virtual_context context{driver, gate, 1'000};
    CHECK(context.launch("a", 10) == takt::runtime::context_status::done);
    CHECK(gate.tokens().pool() == -20);
    // In debt, and no tokens come as long as the device is busier than the limit.
    CHECK(context.launch("b", 1, takt::runtime::now() + 5 * ms) == takt::runtime::context_status::timed_out);
    void* memory = nullptr;
    void* more = nullptr;
    CHECK(context.allocate(600, memory) == takt::runtime::context_status::done);
    CHECK(context.allocate(401, more) == takt::runtime::context_status::out_of_memory);
    CHECK(context.allocate(UINT64_MAX, more) == takt::runtime::context_status::out_of_memory);
    CHECK(context.allocate(400, more) == takt::runtime::context_status::done);
    CHECK(context.release(memory));
    CHECK_FALSE(context.release(memory));
    CHECK(context.used_bytes() == 400);
    CHECK(driver.held == 400);
    driver.broken = true;
    CHECK(context.allocate(1, memory) == takt::runtime::context_status::driver_refuses);
    page.open = 0;
    CHECK(context.launch("c", 1) == takt::runtime::context_status::closed);
  }
  CHECK(driver.held == 0);
  CHECK(driver.launched == std::vector<std::string>{"a:10"});
}

TEST_CASE("registration and requests are typed, checked against the table, and answered or denied" *
          takt_tests::traces("WAMP-05")) {
  const table_type table = two_applications();
  bench b{table};
  const share_message good = join_message(table, 1);
  for (const auto spoil : {+[](share_message& m) { ++m.priority; }, +[](share_message& m) { --m.deadline; },
                           +[](share_message& m) { m.period = 0; }, +[](share_message& m) { m.memory_units = 0; }}) {
    share_message bad = good;
    spoil(bad);
    b.send(1, bad);
    CHECK(reasons(b.box.take()) == std::vector{deny_reason::wrong_parameters});
  }
  share_message unknown = good;
  unknown.application = 2;
  b.send(1, unknown);
  CHECK(reasons(b.box.take()) == std::vector{deny_reason::unknown_application});
  b.send(1, good);
  CHECK(b.box.take().front().message.kind == kind::welcome);
  // Another client for the same application, and another application for the same client.
  b.send(9, good);
  b.send(1, join_message(table, 0));
  CHECK(reasons(b.box.take()) == std::vector{deny_reason::already_registered, deny_reason::already_registered});
  CHECK(b.manager.monitor().counts().denials == 7);
}

TEST_CASE("a killed client's share and memory come back, and one instant is one operation" *
          takt_tests::traces("WAMP-04 WAMP-28")) {
  const table_type table = two_applications();
  bench b{table, {.memory_units = 5}};
  b.join(0);
  b.join(1);
  CHECK(b.manager.memory_left() == 0);
  b.ask(0, 1);
  b.ask(1, 1);
  (void)b.settle();
  CHECK(b.manager.monitor().counts().operations == 1);
  CHECK(b.share_of(0) + b.share_of(1) == 100);
  CHECK(b.share_of(0) >= 40);
  CHECK(b.share_of(1) >= 25);
  CHECK(b.manager.live() == 2);

  b.now += ms;
  b.manager.hang_up(0, b.now);
  const auto letters = b.settle();
  CHECK(b.manager.monitor().counts().operations == 2);
  CHECK(b.manager.monitor().counts().deaths == 1);
  CHECK(b.share_of(0) == 0);
  CHECK(b.share_of(1) == 100);
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].message.kind == kind::update);
  CHECK(letters[0].message.word.share() == 100);
  CHECK(b.manager.memory_left() == 2);
  CHECK(b.manager.live() == 1);
  // Nothing more to release the second time, and the application may have another client.
  b.manager.hang_up(0, b.now);
  CHECK(b.settle().empty());
  CHECK(b.manager.monitor().counts().operations == 2);
  b.join(0);
  CHECK(b.box.take().front().message.kind == kind::welcome);

  // A completion, a release and a death at one instant.
  b.now += 200 * ms;
  (void)b.settle();
  const auto before = b.manager.monitor().counts().operations;
  b.ask(0, 1);
  b.ask(1, 2);
  (void)b.settle();
  b.now += ms;
  b.finish(1, 2);
  b.manager.hang_up(0, b.now);
  (void)b.settle();
  CHECK(b.manager.monitor().counts().operations == before + 2);
  CHECK(b.share_of(0) + b.share_of(1) == 0);
  CHECK(b.settle().empty());
}

TEST_CASE("a share can be set while the job runs, up to what is left, until the next operation decides anew" *
          takt_tests::traces("WAMP-06")) {
  const table_type table = two_applications();
  bench b{table};
  b.join(0);
  b.join(1);
  CHECK_FALSE(b.manager.set_share(0, 10, b.now));
  b.ask(0, 1);
  b.ask(1, 1);
  (void)b.settle();
  const std::int32_t first = b.share_of(0);
  const std::uint32_t version = b.page.read(0).version();
  CHECK_FALSE(b.manager.set_share(0, first + 1, b.now));
  CHECK_FALSE(b.manager.set_share(0, -1, b.now));
  CHECK_FALSE(b.manager.set_share(0, 101, b.now));
  CHECK_FALSE(b.manager.set_share(7, 0, b.now));
  b.now += ms;
  REQUIRE(b.manager.set_share(0, first - 10, b.now));
  auto letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].message.kind == kind::update);
  CHECK(letters[0].message.word == takt::runtime::share_word{static_cast<std::uint32_t>(first - 10), version + 1});
  REQUIRE(b.manager.set_share(1, b.share_of(1) + 10, b.now));
  (void)b.settle();
  CHECK(b.share_of(0) + b.share_of(1) == 100);
  CHECK(b.manager.monitor().counts().operations == 1);
  // A late message of an earlier write does not win.
  CHECK(takt::runtime::latest(b.page.read(0), takt::runtime::share_word{100, version}) == b.page.read(0));
  b.now += ms;
  b.finish(1, 1);
  (void)b.settle();
  CHECK(b.share_of(0) == 100);
  CHECK(b.page.read(0).version() == version + 2);
}

TEST_CASE("a job that misses its deadline is dropped, or goes on when the service is told so") {
  const table_type table = two_applications();
  for (const bool abort : {true, false}) {
    CAPTURE(abort);
    bench b{table, {.abort_at_deadline = abort}};
    b.join(0);
    b.ask(0, 1);
    (void)b.settle();
    CHECK(b.manager.next_wake() == b.now + 50 * ms);
    b.now += 50 * ms;
    const auto letters = b.settle();
    CHECK(b.manager.monitor().counts().misses == 1);
    CHECK((b.share_of(0) == 0) == abort);
    if (abort) {
      REQUIRE(letters.size() == 1);
      CHECK(letters[0].message.kind == kind::abort);
      CHECK(letters[0].message.job == 1);
    }
    CHECK(b.manager.next_wake() == takt::runtime::share_publisher::never);
    b.now += ms;
    b.finish(0, 1);
    CHECK(reasons(b.settle()) == (abort ? std::vector{deny_reason::no_such_job} : std::vector<deny_reason>{}));
    CHECK(b.manager.monitor().counts().misses == 1);
    CHECK(b.manager.monitor().counts().jobs == 1);
    CHECK(b.share_of(0) == 0);
  }
}

TEST_CASE("a job that never got a share is denied at its deadline") {
  table_type table;
  add(table, 95 * ms, 100 * ms, 100 * ms);
  add(table, 95 * ms, 100 * ms, 100 * ms);
  bench b{table, {}, takt::wamp2s_text};
  b.join(0);
  b.join(1);
  (void)b.box.take();
  b.ask(0, 1);
  b.ask(1, 1);
  const auto letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].client == 0);
  CHECK(b.share_of(1) == 0);
  b.now += 100 * ms;
  b.finish(0, 1);
  CHECK(reasons(b.settle()) == std::vector{deny_reason::deadline_missed});
  CHECK(b.manager.monitor().counts().misses == 1);
}

TEST_CASE("a completion in the batch of its deadline is in time, one after it is not") {
  const table_type table = two_applications();
  bench b{table};
  b.join(0);
  b.ask(0, 1);
  (void)b.settle();
  b.now += 50 * ms;
  b.finish(0, 1);
  (void)b.settle();
  CHECK(b.manager.monitor().counts().misses == 0);
  b.now += 100 * ms;
  b.ask(0, 2);
  (void)b.settle();
  b.now += 50 * ms + 1;
  b.finish(0, 2);
  (void)b.settle();
  CHECK(b.manager.monitor().counts().misses == 1);
}

TEST_CASE("a client cannot have more jobs than its period allows, and may take a request back") {
  const table_type table = two_applications();
  bench b{table};
  b.join(0);
  b.ask(0, 1);
  (void)b.settle();
  const ticks first = b.now;
  b.now += 10 * ms;
  b.finish(0, 1);
  b.ask(0, 2);
  CHECK(b.settle().empty());
  CHECK(b.manager.next_wake() == first + 100 * ms);
  b.now += 20 * ms;
  b.finish(0, 2);
  CHECK(b.manager.next_wake() == takt::runtime::share_publisher::never);
  b.ask(0, 3);
  b.now = first + 100 * ms;
  const auto letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].message.kind == kind::grant);
  CHECK(letters[0].message.job == 3);
  CHECK(b.manager.scheduler().deadline(0) == first + 150 * ms);

  bench free{table, {.keep_periods = false}};
  free.join(0);
  free.ask(0, 1);
  (void)free.settle();
  free.finish(0, 1);
  free.ask(0, 2);
  CHECK(free.settle().size() == 1);
}

TEST_CASE("with an actuation delay a job is granted when its share is in force, and its progress counts from then") {
  const table_type table = two_applications();
  bench b{table, {.actuation_delay = 5 * ms}};
  b.join(0);
  b.join(1);
  b.ask(1, 1);
  (void)b.settle();
  CHECK(b.share_of(1) == 100);
  b.now += 10 * ms;
  b.ask(0, 1);
  auto letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].client == 1);
  CHECK(b.share_of(0) == 0);
  CHECK(b.manager.next_wake() == b.now + 5 * ms);
  b.now += 5 * ms;
  letters = b.settle();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].message.kind == kind::grant);
  CHECK(b.share_of(0) > 0);
  b.now += 10 * ms;
  b.manager.hang_up(1, b.now);
  (void)b.settle();
  CHECK(b.manager.scheduler().executed(0) == 10 * ms);
}

TEST_CASE("an operation that a trigger leaves out keeps all other shares, and is recorded as such") {
  const table_type table = two_applications();
  bench b{table, {}, takt::wamp2s_robust, takt::workload_decrease};
  b.join(0);
  b.join(1);
  b.ask(0, 1);
  b.ask(1, 1);
  (void)b.settle();
  const std::int32_t before = b.share_of(1);
  b.now += ms;
  b.finish(0, 1);
  CHECK(b.settle().empty());
  CHECK(b.share_of(0) == 0);
  CHECK(b.share_of(1) == before);
  CHECK(b.manager.monitor().counts().skips == 1);
}

TEST_CASE("the records of a run can be read as a table and replayed as a trace") {
  const table_type table = two_applications();
  bench b{table, {.records = 8}};
  b.join(0);
  b.ask(0, 1);
  (void)b.settle();
  const ticks start = b.now;
  b.now += 20 * ms;
  b.finish(0, 1);
  (void)b.settle();
  const auto records = b.manager.monitor().records();
  REQUIRE(records.size() == 8);
  CHECK(b.manager.monitor().lost() == 1);
  std::ostringstream csv;
  takt::runtime::write_csv(csv, records, start);
  CHECK(csv.str() ==
        "time_ns,event,application,job,value\n"
        "0,request,0,0,0\n"
        "0,release,0,1,0\n"
        "0,operation,none,0,1\n"
        "0,share,0,1,100\n"
        "0,grant,0,1,100\n"
        "20000000,finish,0,1,0\n"
        "20000000,operation,none,0,1\n"
        "20000000,share,0,1,0\n");
  struct {
    std::vector<takt::slice> slices;
    std::vector<takt::mark> marks;
    void record(const takt::slice& s) { slices.push_back(s); }
    void record(const takt::mark& m) { marks.push_back(m); }
  } trace;
  takt::runtime::replay(records, trace, start, b.now);
  REQUIRE(trace.slices.size() == 1);
  CHECK(trace.slices[0].start == 0);
  CHECK(trace.slices[0].end == 20 * ms);
  REQUIRE(trace.marks.size() == 2);
  CHECK(trace.marks[0].what == takt::mark_kind::release);
  CHECK(trace.marks[1].what == takt::mark_kind::completion);
}
